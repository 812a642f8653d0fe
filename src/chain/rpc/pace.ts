export type Pace = ReturnType<typeof createPace>

/** How long a pace is kept before a faster one is tried. */
const trialMs = 10_000
/** A node that refuses fewer calls in a second refuses them for other reasons. */
const slowest = 4
const fastest = 1_000
const secondMs = 1_000

/**
 * Learns from refusals how many calls a second a node accepts: a refusal halves the pace, success
 * doubles it. Times are monotonic.
 */
export function createPace() {
  let perSecond = Number.POSITIVE_INFINITY
  let changedAtMs = Number.NEGATIVE_INFINITY
  let freeAtMs = Number.NEGATIVE_INFINITY
  let isThrottling = false
  let sent = { sinceMs: Number.NEGATIVE_INFINITY, calls: 0, before: 0 }

  function count(calls: number, nowMs: number): void {
    const agoMs = nowMs - sent.sinceMs
    if (agoMs >= secondMs)
      sent = { sinceMs: nowMs, calls: 0, before: agoMs < 2 * secondMs ? sent.calls : 0 }
    sent.calls += calls
  }

  /** The time at which so many calls may be sent; null if later than `endMs`. */
  function reserve(calls: number, nowMs: number, endMs = Number.POSITIVE_INFINITY) {
    const startMs = Math.max(nowMs, freeAtMs)
    isThrottling ||= startMs > nowMs || calls >= perSecond
    if (startMs > endMs) return null
    count(calls, startMs)
    if (perSecond < Number.POSITIVE_INFINITY) freeAtMs = startMs + (calls / perSecond) * secondMs
    return startMs
  }

  function change(to: number, nowMs: number): void {
    perSecond = to > fastest ? Number.POSITIVE_INFINITY : to
    changedAtMs = nowMs
    isThrottling = false
  }

  function passed(sentAtMs: number, nowMs: number): void {
    if (!isThrottling || sentAtMs < changedAtMs || nowMs - changedAtMs < trialMs) return
    change(2 * perSecond, nowMs)
  }

  /** Whether to send again at the slower pace; if not, the node wants to be left alone. */
  function refused(sentAtMs: number, nowMs: number): boolean {
    if (sentAtMs < changedAtMs) return true
    const tried = Math.min(perSecond, Math.max(sent.calls, sent.before))
    if (tried <= slowest) return false
    change(Math.max(slowest, Math.floor(tried / 2)), nowMs)
    freeAtMs = nowMs + secondMs
    return true
  }

  return {
    most: () => perSecond,
    reserve,
    passed,
    refused,
  }
}
