/** How long a result is kept, as a multiple of the time it took. */
const timesAsLong = 4

type Kept<T> = {
  readonly result: Promise<T>
  /** Infinite while the result is being worked out. */
  untilMs: number
}

/**
 * Caches what `workOut` returns for each name, for a time in proportion to its cost, and so what it
 * rejects with. Concurrent callers share one computation. However often it is called, at most a
 * fifth of one connection's time goes into each name, and quick answers are hardly ever stale.
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
    const rest = () => {
      const endedMs = steadyMs()
      kept.untilMs = endedMs + timesAsLong * (endedMs - startedMs)
    }
    result.then(rest, rest)
    return result
  }

  return (name) => {
    const kept = results.get(name)
    return kept && steadyMs() < kept.untilMs ? kept.result : begin(name)
  }
}
