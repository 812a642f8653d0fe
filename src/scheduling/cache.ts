/** Makes `key` the newest of a map, which forgets its oldest above `most`. */
export function keepNewest<Key, Value>(
  map: Map<Key, Value>,
  key: Key,
  value: Value,
  most: number,
): void {
  map.delete(key)
  map.set(key, value)
  if (map.size > most) for (const oldest of map.keys()) return void map.delete(oldest)
}

/** Adds `key` to a set, which forgets its oldest above `most`. Whether it was not there yet. */
export function addNewest<Key>(set: Set<Key>, key: Key, most: number): boolean {
  if (set.has(key)) return false
  set.add(key)
  if (set.size > most) for (const oldest of set) return set.delete(oldest)
  return true
}

/** Calls `make` once and keeps its result; after a failure the next call tries again. */
export function memoize<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make().catch((error) => {
      made = undefined
      throw error
    })
    return made
  }
}

/** Concurrent callers share one run of `work`; a call after it has ended starts another. */
export function shareRuns<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined
  return () => {
    running ??= work().finally(() => {
      running = undefined
    })
    return running
  }
}

const timesAsLong = 4

/**
 * Caches each result for four times as long as it took, so `compute` takes at most a fifth of one
 * connection's time. Concurrent callers share one computation; a failure is not kept.
 */
export function cacheByCost<T>(
  compute: (name: string) => Promise<T>,
  steadyMs: () => number,
): (name: string) => Promise<T> {
  const results = new Map<string, { readonly result: Promise<T>; untilMs: number }>()

  function start(name: string): Promise<T> {
    const startedMs = steadyMs()
    for (const [name, { untilMs }] of results) if (untilMs <= startedMs) results.delete(name)
    const result = compute(name)
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
    return kept && steadyMs() < kept.untilMs ? kept.result : start(name)
  }
}
