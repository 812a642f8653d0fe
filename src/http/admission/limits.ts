import type { LeaseWindows } from '../../domain/accounts/request-windows.ts'
import { createBatcher } from '../../scheduling/batcher.ts'
import {
  type Admission,
  admissionOf,
  askOf,
  type Bucket,
  type BucketLimits,
  isIdle,
  isUsedUp,
  newBucket,
  settle,
  unusedMinute,
} from './bucket.ts'

const sweepEveryMs = 1_000
const bucketsPerLease = 256

export type Limits = ReturnType<typeof createLimits>

/**
 * Rate limits that are exact across processes although most requests never leave memory: requests
 * are leased from `store` in batches, a small share of what remains. `clock` is steady, in ms;
 * `nowMs` is Unix time.
 */
export function createLimits(parts: {
  readonly store: LeaseWindows
  readonly clock: () => number
  readonly nowMs: () => number
}) {
  const { store, clock, nowMs } = parts
  const buckets = new Map<string, Bucket>()
  const leases = createBatcher({ maxBatch: bucketsPerLease, flush: lease })
  const sweeper = setInterval(sweep, sweepEveryMs)
  sweeper.unref()

  /**
   * Counts one request of a bucket: a key's id, `ip:<address>`, `pay:<address>` or
   * `guess:<address>`. Asks the store only where no lease or recent refusal answers.
   */
  function admit(name: string, limits: BucketLimits): Admission | Promise<Admission> {
    const now = clock()
    const bucket = buckets.get(name) ?? open(name, limits)
    bucket.limits = limits
    bucket.usedAtMs = now
    if (bucket.grant && bucket.tokens > 0 && now < bucket.endsAtMs) {
      bucket.tokens--
      if (bucket.tokens < bucket.refillBelow) ask(bucket)
      return admissionOf(bucket, bucket.grant, true, now)
    }
    if (bucket.grant && now < bucket.refusedUntilMs)
      return admissionOf(bucket, bucket.grant, false, now)
    return new Promise((resolve, reject) => {
      bucket.waiters.push({ resolve, reject })
      ask(bucket)
    })
  }

  /** The refusal of a bucket known to be used up, else null. Counts nothing. */
  function refusalOf(name: string): Admission | null {
    const now = clock()
    const bucket = buckets.get(name)
    if (!bucket?.grant) return null
    const isRefused = now < bucket.refusedUntilMs || isUsedUp(bucket, now)
    return isRefused ? admissionOf(bucket, bucket.grant, false, now) : null
  }

  /** The minute of a bucket as this process knows it. Counts nothing and asks nobody. */
  function peek(name: string, limits: BucketLimits): Admission {
    const bucket = buckets.get(name)
    const now = clock()
    return bucket?.grant && now < bucket.endsAtMs
      ? admissionOf(bucket, bucket.grant, true, now)
      : unusedMinute(limits, nowMs())
  }

  function open(name: string, limits: BucketLimits): Bucket {
    const bucket = newBucket(name, limits)
    buckets.set(name, bucket)
    return bucket
  }

  function ask(bucket: Bucket): void {
    if (bucket.asking) return
    bucket.asking = true
    void leases.submit('', bucket)
  }

  /** Never rejects: whoever waits for a bucket gets the error. */
  async function lease(batch: readonly Bucket[]): Promise<readonly undefined[]> {
    const sentAtMs = clock()
    const asks = batch.map((bucket) => askOf(bucket, sentAtMs))
    try {
      const grants = await store(asks)
      for (const [at, bucket] of batch.entries()) {
        const grant = grants[at]
        if (!grant) throw new Error('the store answers every ask')
        settle(bucket, asks[at]?.want ?? 0, grant, { sentAtMs, now: clock() })
      }
    } catch (error) {
      for (const bucket of batch)
        for (const waiter of bucket.waiters.splice(0)) waiter.reject(error)
    }
    for (const bucket of batch) {
      bucket.asking = false
      if (bucket.waiters.length > 0) ask(bucket)
    }
    return []
  }

  function sweep(): void {
    const now = clock()
    for (const bucket of buckets.values()) {
      // If it were forgotten, a used-up minute would look like an unused one.
      if (bucket.asking || !isIdle(bucket, now) || isUsedUp(bucket, now)) continue
      if (bucket.tokens > 0) ask(bucket)
      else buckets.delete(bucket.name)
    }
  }

  /** Gives back unused leases; nothing may be admitted afterwards. */
  async function close(): Promise<void> {
    clearInterval(sweeper)
    for (const bucket of buckets.values()) {
      bucket.usedAtMs = Number.NEGATIVE_INFINITY
      if (bucket.tokens > 0) ask(bucket)
    }
    await leases.drain()
  }

  return { admit, refusalOf, peek, close }
}
