/** How long an answer is kept, as a multiple of the time it took. */
const timesAsLong = 4

/**
 * Caches what `workOut` returns for each name, for a time in proportion to its cost. Concurrent
 * callers share one computation. However often it is called, at most a fifth of one connection's
 * time goes into each name, and quick answers are hardly ever stale. `steadyMs` is monotonic. A
 * rejection reaches its callers and is not cached.
 */
export function keptByCost<T>(
  workOut: (name: string) => Promise<T>,
  steadyMs: () => number,
): (name: string) => Promise<T> {
  const answers = new Map<string, Promise<T>>()
  return (name) => {
    const kept = answers.get(name)
    if (kept) return kept
    const startedMs = steadyMs()
    const forget = () => void answers.delete(name)
    const answer = workOut(name)
    answers.set(name, answer)
    answer.then(() => setTimeout(forget, timesAsLong * (steadyMs() - startedMs)).unref(), forget)
    return answer
  }
}
