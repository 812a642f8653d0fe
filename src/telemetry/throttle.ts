/** In multiples of the interval. */
const rememberedTimes = 10

/**
 * Allows one log line per name in `everyMs`. Returns how many were refused since the last one; null
 * to refuse.
 */
export function createThrottle(everyMs: number, steadyMs: () => number = () => performance.now()) {
  const last = new Map<string, { readonly atMs: number; repeated: number }>()

  return (name: string): number | null => {
    const nowMs = steadyMs()
    const before = last.get(name)
    if (before && nowMs - before.atMs < everyMs) {
      before.repeated++
      return null
    }
    for (const [known, { atMs }] of last)
      if (nowMs - atMs >= rememberedTimes * everyMs) last.delete(known)
    last.set(name, { atMs: nowMs, repeated: 0 })
    return before?.repeated ?? 0
  }
}
