import type { LeaseWindows, WindowAsk, WindowGrant } from '../../domain/accounts/request-windows.ts'

/** Whether a request may proceed, and the state of the tighter of its two windows after it. */
export type Admission = {
  readonly allowed: boolean
  readonly limit: number
  readonly remaining: number
  /** Unix time in seconds at which the window starts anew. */
  readonly resetSeconds: number
  /** The seconds until then, at least 1. */
  readonly resetAfterSeconds: number
}

/** The limits of a bucket; with `perDay` null only the minute counts. */
export type BucketLimits = { readonly perMinute: number; readonly perDay: number | null }

export type Limits = {
  /**
   * Counts one request of `bucket` (a key's id, `ip:<address>`, `pay:<address>`,
   * `guess:<address>`). It is answered at once from requests leased earlier or from a recent
   * refusal; otherwise the store is asked.
   * Errors: whatever the store fails with.
   */
  admit(bucket: string, limits: BucketLimits): Admission | Promise<Admission>
  /**
   * The refusal of `bucket` where its minute is known to be used up or it was just refused; null
   * otherwise. Counts nothing and does not ask the store.
   */
  refusalOf(bucket: string): Admission | null
  /** Gives back the leased requests that were not used; nothing may be admitted afterwards. */
  close(): Promise<void>
}

type Waiter = { resolve(admission: Admission): void; reject(error: unknown): void }

type Bucket = {
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
const sweepEveryMs = 1_000
// How long a refusal is repeated without a round trip, and so the delay until requests given back
// by another process are noticed.
const refusalMs = 1_000
const bucketsPerLease = 256

/**
 * Rate limits that stay exact across processes although most requests never leave memory. Requests
 * are leased from `store` in small batches, each a small share of what remains, so a small plan is
 * counted request by request. `clock` is a steady clock in ms (never set back).
 */
export function createLimits({
  store,
  clock,
}: {
  store: LeaseWindows
  clock: () => number
}): Limits {
  const buckets = new Map<string, Bucket>()
  const queue = new Set<Bucket>()
  let pumping: Promise<void> | null = null
  const sweeper = setInterval(sweep, sweepEveryMs)
  sweeper.unref()
  return { admit, refusalOf, close }

  function admit(name: string, limits: BucketLimits): Admission | Promise<Admission> {
    const now = clock()
    const bucket = buckets.get(name) ?? open(name, limits)
    bucket.limits = limits
    bucket.usedAtMs = now
    if (bucket.grant && bucket.tokens > 0 && now < bucket.endsAtMs) {
      bucket.tokens--
      if (bucket.tokens < bucket.refillBelow) ask(bucket)
      return admission(bucket, bucket.grant, true, now)
    }
    if (bucket.grant && now < bucket.refusedUntilMs)
      return admission(bucket, bucket.grant, false, now)
    return new Promise((resolve, reject) => {
      bucket.waiters.push({ resolve, reject })
      ask(bucket)
    })
  }

  function refusalOf(name: string): Admission | null {
    const now = clock()
    const bucket = buckets.get(name)
    if (!bucket?.grant) return null
    const isRefused = now < bucket.refusedUntilMs || isUsedUp(bucket, now)
    return isRefused ? admission(bucket, bucket.grant, false, now) : null
  }

  function open(name: string, limits: BucketLimits): Bucket {
    const bucket = newBucket(name, limits)
    buckets.set(name, bucket)
    return bucket
  }

  function ask(bucket: Bucket) {
    if (bucket.asking) return
    bucket.asking = true
    queue.add(bucket)
    pumping ??= pump()
  }

  // One round trip at a time: what arrives meanwhile goes into the next, so no timer is needed.
  async function pump() {
    await null
    while (queue.size > 0) {
      const batch = [...queue].slice(0, bucketsPerLease)
      for (const bucket of batch) queue.delete(bucket)
      await lease(batch)
    }
    pumping = null
  }

  async function lease(batch: readonly Bucket[]) {
    const sentAtMs = clock()
    const asks = batch.map((bucket) => askOf(bucket, sentAtMs))
    try {
      const grants = await store(asks)
      for (const [index, bucket] of batch.entries()) {
        settle(bucket, asks[index]?.want ?? 0, grants[index], sentAtMs)
      }
    } catch (error) {
      for (const bucket of batch) fail(bucket, error)
    }
  }

  function settle(bucket: Bucket, want: number, grant: WindowGrant | undefined, sentAtMs: number) {
    if (!grant) return fail(bucket, new Error('the store answers every ask'))
    take(bucket, grant, sentAtMs)
    const now = clock()
    // A window that ended while the grant was on its way still covers the requests counted in it.
    const usable = now < bucket.endsAtMs ? bucket.tokens : Math.min(grant.granted, want)
    for (const waiter of bucket.waiters.splice(0, usable)) {
      bucket.tokens--
      waiter.resolve(admission(bucket, grant, true, now))
    }
    bucket.refillBelow = Math.floor(bucket.tokens / 2)
    if (grant.granted < want) refuse(bucket, grant, now, want - usable)
    bucket.asking = false
    if (bucket.waiters.length > 0) ask(bucket)
  }

  function refuse(bucket: Bucket, grant: WindowGrant, now: number, asked: number) {
    bucket.refusedUntilMs = Math.min(now + refusalMs, bucket.endsAtMs)
    // Requests that came after the ask are refused as well, unless they belong to the next window.
    const refused = now < bucket.endsAtMs ? bucket.waiters.length : asked
    for (const waiter of bucket.waiters.splice(0, refused)) {
      waiter.resolve(admission(bucket, grant, false, now))
    }
  }

  function fail(bucket: Bucket, error: unknown) {
    bucket.asking = false
    for (const waiter of bucket.waiters.splice(0)) waiter.reject(error)
  }

  function sweep() {
    const now = clock()
    for (const bucket of buckets.values()) {
      // If it were forgotten, a used-up minute would look like an unused one.
      if (bucket.asking || !isIdle(bucket, now) || isUsedUp(bucket, now)) continue
      if (bucket.tokens > 0) ask(bucket)
      else buckets.delete(bucket.name)
    }
  }

  async function close() {
    clearInterval(sweeper)
    for (const bucket of buckets.values()) {
      bucket.usedAtMs = Number.NEGATIVE_INFINITY
      if (bucket.tokens > 0) ask(bucket)
    }
    await pumping
  }
}

function newBucket(name: string, limits: BucketLimits): Bucket {
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

function isIdle(bucket: Bucket, now: number): boolean {
  return bucket.waiters.length === 0 && now - bucket.usedAtMs >= idleMs
}

/** Whether nothing was left of the running minute when the store was last asked. */
function isUsedUp({ grant, tokens, endsAtMs, limits }: Bucket, now: number): boolean {
  return grant !== null && tokens === 0 && now < endsAtMs && grant.minuteUsed >= limits.perMinute
}

/**
 * What `bucket` asks of the store now. Tokens to be given back are removed here first: they must
 * not be given back twice.
 */
function askOf(bucket: Bucket, now: number): WindowAsk {
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

function take(bucket: Bucket, grant: WindowGrant, sentAtMs: number) {
  // The few tokens left when the minute or the store changes during a refill stay counted, though
  // unused.
  const same = bucket.grant?.minute === grant.minute && bucket.grant.source === grant.source
  const kept = same ? bucket.tokens : 0
  bucket.tokens = kept + grant.granted
  bucket.grant = grant
  // Measured from before the store read its clock: the end is never taken to be later than it is.
  bucket.endsAtMs = sentAtMs + (grant.minute + 1) * 60_000 - grant.nowMs
}

function admission(bucket: Bucket, grant: WindowGrant, allowed: boolean, now: number): Admission {
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
