import { pruneWindows } from '../storage/limits/postgres-windows.ts'
import {
  type Pruned,
  pruneDeliveries,
  pruneIdempotencyKeys,
} from '../storage/postgres/retention.ts'
import type { Work, WorkParts } from './work.ts'

/** Removes one statement's worth of rows after this place. */
type Task = (after: string | null) => Promise<Pruned>

/** Well below the time a worker has to drain. */
const longestRunMs = 4_000
/** As a multiple of the duration of the statement before it. */
const restRatio = 3
const anewEveryMs = 86_400_000
const failedRestMs = 60_000
const runEveryMs = 600_000
const againAfterMs = 1_000
/** The rows examined by one statement: a few milliseconds of work. */
const atOnce = 1_000

export function retentionWork(parts: WorkParts): Work<'retention'> {
  const { config, sql, queues, steadyMs, log } = parts
  const retention = createRetention({
    tasks: {
      deliveries: (after) =>
        pruneDeliveries(sql, { keptDays: config.deliveriesKeptDays, after, limit: atOnce }),
      idempotencyKeys: (after) => pruneIdempotencyKeys(sql, { after, limit: atOnce }),
      requestWindows: (after) => pruneWindows(sql, { after, limit: atOnce }),
    },
    steadyMs,
    rest: Bun.sleep,
    log,
  })
  return {
    async process() {
      if (await retention.run()) return
      const jobId = `again-${Math.floor(Date.now() / againAfterMs)}`
      await queues.add('retention', {}, { jobId, delayMs: againAfterMs })
    },
    schedule: () => queues.every('retention', {}, runEveryMs),
  }
}

/**
 * Prunes in small statements with rests, so each task takes at most a quarter of one connection's
 * time. Each run continues where the last one ended, because walking over millions of dead rows
 * takes seconds. Once a day it starts from the beginning, for rows that were still needed before.
 */
export function createRetention(options: {
  readonly tasks: Readonly<Record<string, Task>>
  readonly steadyMs: () => number
  readonly rest: (ms: number) => Promise<void>
  readonly log: Record<'info' | 'error', (line: object, message: string) => void>
}) {
  const { tasks, steadyMs, rest, log } = options
  const places = new Map<string, string | null>()
  const restsUntilMs = new Map<string, number>()
  let begunMs = steadyMs()

  async function walk(name: string, task: Task, endAtMs: number) {
    let removed = 0
    for (;;) {
      const startedMs = steadyMs()
      const pruned = await task(places.get(name) ?? null)
      removed += pruned.removed
      places.set(name, pruned.place)
      await rest(restRatio * (steadyMs() - startedMs))
      const { isDone } = pruned
      if (isDone || steadyMs() >= endAtMs) return { name, removed, isDone }
    }
  }

  async function attempt(name: string, task: Task, endAtMs: number) {
    try {
      return await walk(name, task, endAtMs)
    } catch (err) {
      log.error({ err, task: name }, 'old rows could not be removed')
      restsUntilMs.set(name, steadyMs() + failedRestMs)
      return { name, removed: 0, isDone: true }
    }
  }

  /**
   * Prunes for a few seconds. False: something is left for the next call. A task that fails is left
   * out for a minute.
   */
  async function run(): Promise<boolean> {
    const nowMs = steadyMs()
    if (nowMs - begunMs >= anewEveryMs) {
      places.clear()
      begunMs = nowMs
    }
    const walks = await Promise.all(
      Object.entries(tasks)
        .filter(([name]) => nowMs >= (restsUntilMs.get(name) ?? nowMs))
        .map(([name, task]) => attempt(name, task, nowMs + longestRunMs)),
    )
    const counts = Object.fromEntries(walks.map(({ name, removed }) => [name, removed]))
    if (walks.some(({ removed }) => removed > 0)) log.info(counts, 'old rows removed')
    return walks.every(({ isDone }) => isDone)
  }

  return { run }
}
