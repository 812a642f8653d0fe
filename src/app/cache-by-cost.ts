/** How long a result is kept, as a multiple of the time it took. */
const timesAsLong = 4

type Kept<T> = {
  readonly result: Promise<T>
  /** Infinite while the result is being worked out. */
  untilMs: number
}

/**
 * Caches what `workOut` returns for each name, for a time in proportion to its cost. Concurrent
 * callers share one computation, also one that fails; who asks after a failure has it worked out
 * again. However often it is called, one computation per name is under way at a time, and what
 * succeeds takes at most a fifth of one connection's time; quick answers are hardly ever stale.
 * `steadyMs` is monotonic.
 */
export function cacheByCost<T>(
  workOut: (name: string) => Promise<T>,
  steadyMs: () => number,
): (name: string) => Promise<T> {
  const results = new Map<string, Kept<T>>()

  function begin(name: string): Promise<T> {
    const startedMs = steadyMs()
    for (const [name, { untilMs }] of results) if (untilMs <= startedMs) results.delete(name)
    const result = workOut(name)
    const kept = { result, untilMs: Number.POSITIVE_INFINITY }
    results.set(name, kept)
    result.then(
      () => {
        const endedMs = steadyMs()
        kept.untilMs = endedMs + timesAsLong * (endedMs - startedMs)
      },
      () => results.delete(name),
    )
    return result
  }

  return (name) => {
    const kept = results.get(name)
    return kept && steadyMs() < kept.untilMs ? kept.result : begin(name)
  }
}
