import type { Pruned } from '../storage/retention.ts'

/** Removes rows from behind this place: one statement's worth. */
type Task = (after: string | null) => Promise<Pruned>

export type Retention = {
  /** Prunes for a while; whether nothing is left. What is, the next call goes on with. */
  run(): Promise<boolean>
}

/** Well below the time a worker has to finish what is in hand. */
const longestRunMs = 4_000

/**
 * Prunes in small statements, each followed by a rest as long as it took: each takes half of one connection's time at most, and
 * nobody waits for its locks. It remembers how far it came, as walking over what is removed but not vacuumed yet would cost more each time.
 */
export function createRetention(options: {
  readonly tasks: Readonly<Record<string, Task>>
  readonly steadyMs: () => number
  readonly rest: (ms: number) => Promise<void>
  readonly log: { info(line: object, message: string): void }
}): Retention {
  const { tasks, steadyMs, rest, log } = options
  const places = new Map<string, string | null>()

  async function walk(name: string, task: Task, endAtMs: number): Promise<number> {
    let removed = 0
    do {
      const startedMs = steadyMs()
      const pruned = await task(places.get(name) ?? null)
      removed += pruned.removed
      places.set(name, pruned.next)
      await rest(steadyMs() - startedMs)
    } while (places.get(name) !== null && steadyMs() < endAtMs)
    return removed
  }

  return {
    async run() {
      const endAtMs = steadyMs() + longestRunMs
      const removed: Record<string, number> = {}
      await Promise.all(
        Object.entries(tasks).map(async ([name, task]) => {
          removed[name] = await walk(name, task, endAtMs)
        }),
      )
      if (Object.values(removed).some((count) => count > 0)) log.info(removed, 'old rows removed')
      return [...places.values()].every((place) => place === null)
    },
  }
}
