import { createCounts, createFairQueue } from './fair-queue.ts'
import { createTimeouts } from './timeouts.ts'

type Options = {
  readonly total?: number
  readonly perKey: number | ((key: string) => number)
  readonly maxWaitingPerKey?: number
  readonly maxWaitMs: number
  /** The error for work that finds no room, or has waited for `maxWaitMs`. */
  refusal(why: 'full' | 'late', key: string): Error
}

type Waiter = {
  readonly key: string
  readonly dueMs: number
  admit(release: Release): void
  refuse(error: Error): void
}

/** Calling it again does nothing. */
export type Release = () => void

/**
 * Limits how much work runs at once, in total and for each key. Keys that wait are served
 * round-robin; the work of one key starts in order. Late work never starts.
 */
export function createConcurrencyLimit(options: Options) {
  const { total = Infinity, perKey, maxWaitingPerKey = Infinity, refusal } = options
  const running = createCounts()
  const waiting = createFairQueue<Waiter>({ maxPerOwner: maxWaitingPerKey })
  const timeouts = createTimeouts<Waiter>((waiter) => {
    waiting.remove(waiter.key, waiter)
    waiter.refuse(refusal('late', waiter.key))
  })
  const idle: (() => void)[] = []
  let runningInTotal = 0

  function hasRoom(key: string): boolean {
    const most = typeof perKey === 'number' ? perKey : perKey(key)
    return runningInTotal < total && running.of(key) < most
  }

  function start(key: string): Release {
    let isReleased = false
    running.add(key, 1)
    runningInTotal++
    return () => {
      if (!isReleased) end(key)
      isReleased = true
    }
  }

  function end(key: string): void {
    const wasFull = runningInTotal >= total
    running.add(key, -1)
    runningInTotal--
    waiting.endTurn(key)
    // Unless the total was reached, only this key's work can have waited.
    const next = wasFull
      ? () => waiting.next((waiter) => hasRoom(waiter.key))
      : () => (hasRoom(key) ? waiting.firstOf(key) : undefined)
    for (let waiter = next(); waiter; waiter = next()) admit(waiter)
    if (runningInTotal === 0) for (const wake of idle.splice(0)) wake()
  }

  function admit(waiter: Waiter): void {
    waiting.serve(waiter.key, waiter)
    timeouts.remove(waiter)
    if (performance.now() < waiter.dueMs) waiter.admit(start(waiter.key))
    else waiter.refuse(refusal('late', waiter.key))
  }

  function acquire(key: string, maxWaitMs = options.maxWaitMs): Promise<Release> {
    if (hasRoom(key)) return Promise.resolve(start(key))
    return new Promise((resolve, reject) => {
      const dueMs = performance.now() + maxWaitMs
      const waiter = { key, dueMs, admit: resolve, refuse: reject }
      if (waiting.add(key, waiter)) timeouts.add(waiter)
      else reject(refusal('full', key))
    })
  }

  /** What `work` returns, as soon as it may run. Rejects as `work` does, and with `refusal`. */
  async function run<Result>(
    key: string,
    work: () => Promise<Result>,
    maxWaitMs?: number,
  ): Promise<Result> {
    const release = hasRoom(key) ? start(key) : await acquire(key, maxWaitMs)
    try {
      return await work()
    } finally {
      release()
    }
  }

  return {
    acquire,
    run,
    hasRoom,
    waitingKeys: waiting.owners,
    /** Resolves once nothing runs or waits; work that arrives meanwhile still runs. */
    drain: (): Promise<void> =>
      runningInTotal === 0 ? Promise.resolve() : new Promise((resolve) => idle.push(resolve)),
  }
}
