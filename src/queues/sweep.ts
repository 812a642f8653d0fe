import { createFailureLog } from './failure-log.ts'

export const sweepEveryMs = 15_000

/** Each task returns how many pieces of overdue work it dealt with. */
export type Tasks = Readonly<Record<string, () => Promise<number>>>

/**
 * Hands overdue work to `deal`, `atOnce` pieces at a time, until all have been tried or `limitMs`
 * is over. `find` must keep their order. `onFault` gets one of the failures.
 */
export function untilDone<Piece>(options: {
  readonly find: (most: number) => Promise<readonly Piece[]>
  readonly deal: (piece: Piece) => Promise<unknown>
  readonly onFault: (error: unknown, failed: number) => void
  readonly limitMs: number
  readonly atOnce?: number
}): () => Promise<number> {
  const { atOnce = 1_000 } = options
  return async () => {
    const lastMs = performance.now() + options.limitMs
    for (let done = 0, failed = 0; ; ) {
      const most = failed + atOnce
      const pieces = await options.find(most)
      // Those that failed before are still the first.
      const results = await Promise.allSettled(pieces.slice(failed).map(options.deal))
      const failures = results.filter((result) => result.status === 'rejected')
      if (failures[0]) options.onFault(failures[0].reason, failures.length)
      done += results.length - failures.length
      failed += failures.length
      if (pieces.length < most || performance.now() > lastMs) return done
    }
  }
}

/** Looks for due work at intervals, by a timer, which cannot be lost with the queues. */
export function createSweep(options: {
  everyMs: number
  tasks: Tasks
  log: { info(line: object, message: string): void; error(line: object, message: string): void }
}) {
  const running = new Map<string, Promise<unknown>>()
  const logFailure = createFailureLog(options.log)
  let timer: Timer | undefined

  /** Runs one sweep and returns the tasks' counts, without those that fail or still run. */
  async function run(): Promise<Readonly<Record<string, number>>> {
    const idle = Object.entries(options.tasks).filter(([name]) => !running.has(name))
    const found = await Promise.all(idle.map(([name, task]) => attempt(name, task)))
    const counts = Object.fromEntries(found.filter((entry) => entry !== null))
    const news = Object.entries(counts).filter(([, count]) => count > 0)
    if (news.length > 0) options.log.info(Object.fromEntries(news), 'the sweep found work')
    return counts
  }

  async function attempt(
    name: string,
    task: () => Promise<number>,
  ): Promise<[string, number] | null> {
    try {
      const work = task()
      running.set(name, work)
      return [name, await work]
    } catch (error) {
      const message = 'a task of the sweep failed'
      logFailure({ err: error, of: name, about: { task: name }, message })
      return null
    } finally {
      running.delete(name)
    }
  }

  function start(): void {
    timer ??= setInterval(run, options.everyMs)
    void run()
  }

  /** Resolves once the running sweep is over. */
  async function stop(): Promise<void> {
    clearInterval(timer)
    await Promise.allSettled(running.values())
  }

  return { start, run, stop }
}
