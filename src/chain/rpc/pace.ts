export type Pace = ReturnType<typeof createPace>

/** After this time at a pace that delays calls, half as many more are tried. */
const firstTrialMs = 2_000
/** The time until the next trial doubles with each that is refused, up to this. */
const longestTrialMs = 60_000
/** A node that refuses fewer calls in a second refuses them for other reasons. */
const slowest = 4
/** A faster pace is no limit. */
const fastest = 1_000
const secondMs = 1_000

/**
 * How fast a node may be asked, as its refusals tell: many providers count the calls of a second,
 * also those in a list. Moments are in milliseconds on one monotonic clock.
 */
export function createPace() {
  let perSecond = Number.POSITIVE_INFINITY
  let changedAtMs = Number.NEGATIVE_INFINITY
  let freeAtMs = Number.NEGATIVE_INFINITY
  let trialMs = firstTrialMs
  /** The pace before the one that is tried; null while none is. */
  let former: number | null = null
  let holdsUp = false
  /** The calls sent in a second, and in the one before it. */
  let sent = { sinceMs: Number.NEGATIVE_INFINITY, calls: 0, before: 0 }

  function count(calls: number, nowMs: number): void {
    const agoMs = nowMs - sent.sinceMs
    if (agoMs >= secondMs)
      sent = { sinceMs: nowMs, calls: 0, before: agoMs < 2 * secondMs ? sent.calls : 0 }
    sent.calls += calls
  }

  /** When a request of so many calls may be sent; null where that is after `endMs`. */
  function reserve(calls: number, nowMs: number, endMs = Number.POSITIVE_INFINITY) {
    const startMs = Math.max(nowMs, freeAtMs)
    holdsUp ||= startMs > nowMs || calls >= perSecond
    if (startMs > endMs) return null
    count(calls, startMs)
    if (perSecond < Number.POSITIVE_INFINITY) freeAtMs = startMs + (calls / perSecond) * secondMs
    return startMs
  }

  function change(to: number, nowMs: number): void {
    perSecond = to > fastest ? Number.POSITIVE_INFINITY : to
    changedAtMs = nowMs
    holdsUp = false
  }

  /** The node answered what was sent at this moment. */
  function passed(sentAtMs: number, nowMs: number): void {
    if (!holdsUp || sentAtMs < changedAtMs || nowMs - changedAtMs < trialMs) return
    former = perSecond
    change(Math.ceil(1.5 * perSecond), nowMs)
  }

  /**
   * The node refused what was sent at this moment, for its rate. Answers whether the same may be
   * sent again at the slower pace; if not, the node wants to be left alone.
   */
  function refused(sentAtMs: number, nowMs: number): boolean {
    // Of many requests refused at once, only the first counts.
    if (sentAtMs < changedAtMs) return true
    const tried = Math.min(perSecond, Math.max(sent.calls, sent.before))
    if (tried <= slowest) return false
    if (former !== null) trialMs = Math.min(longestTrialMs, 2 * trialMs)
    change(former ?? Math.max(slowest, Math.floor(tried / 2)), nowMs)
    former = null
    // What was refused may have counted as well.
    freeAtMs = nowMs + secondMs
    return true
  }

  return {
    /** The most calls to send in one request; infinite while nothing tells. */
    most: () => perSecond,
    reserve,
    passed,
    refused,
  }
}
