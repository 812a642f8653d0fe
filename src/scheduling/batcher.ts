import { createFairQueue } from './fair-queue.ts'
import { createTimeouts } from './timeouts.ts'

type Options<Work, Outcome> = {
  flush(works: readonly Work[]): Promise<readonly Outcome[]>
  readonly maxBatch?: number
  readonly maxFlushes?: number
  /** How much may wait, in total and for one owner; `sizeOf` says how much a work counts. */
  readonly maxWaiting?: number
  readonly maxWaitingPerOwner?: number
  readonly sizeOf?: (work: Work) => number
  /** How long a work may take, from its submission to its outcome. */
  readonly maxWaitMs?: number
  /** The error for work that finds no room, or takes longer than `maxWaitMs`. */
  refusal?(why: 'full' | 'late'): Error
  /** Whether one work may have failed its batch, so that each is tried alone. */
  mayBeOneWork?(error: unknown): boolean
}

type Pending<Work, Outcome> = {
  readonly ownerId: string
  readonly work: Work
  readonly dueMs: number
  isRefused: boolean
  resolve(outcome: Outcome): void
  reject(error: unknown): void
}

/**
 * Combines works into batches: those that arrived in one turn of the event loop, or while the
 * previous batch ran. Batches grow with load, and a lone work does not wait. Owners share a batch
 * round-robin.
 */
export function createBatcher<Work, Outcome>(options: Options<Work, Outcome>) {
  const { maxBatch = Infinity, maxFlushes = 1, maxWaitMs = Infinity } = options
  const { sizeOf, refusal = () => new Error('too much waits') } = options
  const waiting = createFairQueue<Pending<Work, Outcome>>({
    maxLength: options.maxWaiting,
    maxPerOwner: options.maxWaitingPerOwner,
    sizeOf: sizeOf && (({ work }) => sizeOf(work)),
  })
  const timeouts = createTimeouts<Pending<Work, Outcome>>((pending) => {
    waiting.remove(pending.ownerId, pending)
    pending.isRefused = true
    pending.reject(refusal('late'))
  })
  const idle: (() => void)[] = []
  let flushes = 0
  let isScheduled = false

  /** Rejects as `flush` does, and with `refusal`; late work that was not sent is never sent. */
  function submit(ownerId: string, work: Work): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      const dueMs = performance.now() + maxWaitMs
      const pending = { ownerId, work, dueMs, isRefused: false, resolve, reject }
      if (!waiting.add(ownerId, pending)) return reject(refusal('full'))
      if (maxWaitMs < Infinity) timeouts.add(pending)
      schedule()
    })
  }

  function schedule(): void {
    if (isScheduled || flushes >= maxFlushes || waiting.length() === 0) return
    isScheduled = true
    setImmediate(flushNext)
  }

  async function flushNext(): Promise<void> {
    isScheduled = false
    flushes++
    const batch = nextBatch()
    schedule()
    await settle(batch)
    flushes--
    schedule()
    if (isIdle()) for (const wake of idle.splice(0)) wake()
  }

  function isIdle(): boolean {
    return flushes === 0 && !isScheduled
  }

  function nextBatch(): readonly Pending<Work, Outcome>[] {
    const batch: Pending<Work, Outcome>[] = []
    const nowMs = performance.now()
    while (batch.length < maxBatch) {
      const next = waiting.next()
      if (!next) break
      waiting.serve(next.ownerId, next)
      if (next.dueMs > nowMs) batch.push(next)
    }
    return batch
  }

  async function settle(batch: readonly Pending<Work, Outcome>[]): Promise<void> {
    if (batch.length === 0) return
    try {
      const outcomes = await options.flush(batch.map(({ work }) => work))
      for (const [at, pending] of batch.entries()) {
        timeouts.remove(pending)
        pending.resolve(outcomes[at] as Outcome)
      }
    } catch (error) {
      if (batch.length === 1 || !options.mayBeOneWork?.(error)) {
        for (const pending of batch) {
          timeouts.remove(pending)
          pending.reject(error)
        }
        return
      }
      for (const pending of batch) if (!pending.isRefused) await settle([pending])
    }
  }

  return {
    submit,
    drain: (): Promise<void> =>
      isIdle() ? Promise.resolve() : new Promise((resolve) => idle.push(resolve)),
  }
}
