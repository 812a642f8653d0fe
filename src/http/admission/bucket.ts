import type { WindowAsk, WindowGrant } from '../../domain/accounts/request-windows.ts'

/** Whether a request may proceed, and the state of its tighter window after it. */
export type Admission = {
  readonly allowed: boolean
  readonly limit: number
  readonly remaining: number
  /** Unix time. */
  readonly resetSeconds: number
  /** At least 1. */
  readonly resetAfterSeconds: number
}

/** The limits of a bucket; with `perDay` null only the minute counts. */
export type BucketLimits = { readonly perMinute: number; readonly perDay: number | null }

type Waiter = { resolve(admission: Admission): void; reject(error: unknown): void }

export type Bucket = {
  readonly name: string
  limits: BucketLimits
  grant: WindowGrant | null
  /** Requests counted in the store and not yet used here; valid until `endsAtMs` (steady time). */
  tokens: number
  endsAtMs: number
  refillBelow: number
  refusedUntilMs: number
  usedAtMs: number
  asking: boolean
  waiters: Waiter[]
}

const mostSpare = 1_024
const idleMs = 5_000
/** How long a refusal is repeated without a round trip. */
const refusalMs = 1_000

export function newBucket(name: string, limits: BucketLimits): Bucket {
  return {
    name,
    limits,
    grant: null,
    tokens: 0,
    endsAtMs: Number.NEGATIVE_INFINITY,
    refillBelow: 0,
    refusedUntilMs: Number.NEGATIVE_INFINITY,
    usedAtMs: 0,
    asking: false,
    waiters: [],
  }
}

export function isIdle(bucket: Bucket, now: number): boolean {
  return bucket.waiters.length === 0 && now - bucket.usedAtMs >= idleMs
}

/** Whether nothing was left of the running minute when the store was last asked. */
export function isUsedUp({ grant, tokens, endsAtMs, limits }: Bucket, now: number): boolean {
  return grant !== null && tokens === 0 && now < endsAtMs && grant.minuteUsed >= limits.perMinute
}

/** What `bucket` asks of the store now. Unused tokens are removed, so none is given back twice. */
export function askOf(bucket: Bucket, now: number): WindowAsk {
  const { perMinute, perDay } = bucket.limits
  const idle = isIdle(bucket, now)
  const unused = idle || now >= bucket.endsAtMs ? bucket.tokens : 0
  bucket.tokens -= unused
  return {
    bucket: bucket.name,
    perMinute,
    perDay,
    want: bucket.waiters.length,
    spare: idle ? 0 : Math.min(mostSpare, Math.floor(perMinute / 100)),
    unused,
    known: bucket.grant,
  }
}

/** Admits those who wait, as many as the grant allows, and refuses the rest. */
export function settle(
  bucket: Bucket,
  want: number,
  grant: WindowGrant,
  { sentAtMs, now }: { sentAtMs: number; now: number },
): void {
  take(bucket, grant, sentAtMs)
  // A window that ended while the grant was on its way still covers the requests counted in it.
  const usable = now < bucket.endsAtMs ? bucket.tokens : Math.min(grant.granted, want)
  for (const waiter of bucket.waiters.splice(0, usable)) {
    bucket.tokens--
    waiter.resolve(admissionOf(bucket, grant, true, now))
  }
  bucket.refillBelow = Math.floor(bucket.tokens / 2)
  if (grant.granted < want) refuse(bucket, grant, now, want - usable)
}

function refuse(bucket: Bucket, grant: WindowGrant, now: number, asked: number): void {
  bucket.refusedUntilMs = Math.min(now + refusalMs, bucket.endsAtMs)
  // Requests that came after the ask are refused as well, unless they belong to the next window.
  const refused = now < bucket.endsAtMs ? bucket.waiters.length : asked
  for (const waiter of bucket.waiters.splice(0, refused)) {
    waiter.resolve(admissionOf(bucket, grant, false, now))
  }
}

function take(bucket: Bucket, grant: WindowGrant, sentAtMs: number) {
  // Tokens of another minute or store are dropped, and stay counted.
  const same = bucket.grant?.minute === grant.minute && bucket.grant.source === grant.source
  const kept = same ? bucket.tokens : 0
  bucket.tokens = kept + grant.granted
  bucket.grant = grant
  // Measured from before the store read its clock, so the end is never taken to be too late.
  bucket.endsAtMs = sentAtMs + (grant.minute + 1) * 60_000 - grant.nowMs
}

export function admissionOf(
  bucket: Bucket,
  grant: WindowGrant,
  allowed: boolean,
  now: number,
): Admission {
  const { perMinute, perDay } = bucket.limits
  const minuteLeft = Math.max(0, perMinute - grant.minuteUsed + bucket.tokens)
  const dayLeft = perDay === null ? Infinity : Math.max(0, perDay - grant.dayUsed + bucket.tokens)
  const byDay = perDay !== null && dayLeft <= minuteLeft
  const resetSeconds = byDay ? (grant.day + 1) * 86_400 : (grant.minute + 1) * 60
  const storeNowMs = (grant.minute + 1) * 60_000 - (bucket.endsAtMs - now)
  return {
    allowed,
    limit: byDay ? perDay : perMinute,
    remaining: byDay ? dayLeft : minuteLeft,
    resetSeconds,
    resetAfterSeconds: Math.max(1, Math.ceil(resetSeconds - storeNowMs / 1_000)),
  }
}

/** Before the first request of a minute. */
export function unusedMinute({ perMinute }: BucketLimits, nowMs: number): Admission {
  const resetSeconds = (Math.floor(nowMs / 60_000) + 1) * 60
  const resetAfterSeconds = Math.ceil(resetSeconds - nowMs / 1_000)
  return { allowed: true, limit: perMinute, remaining: perMinute, resetSeconds, resetAfterSeconds }
}
