/** The polling pace: `everyMs`, growing up to `mostMs` while answers bring nothing new. */
export type Pace = { readonly everyMs: number; readonly mostMs: number }

/** The result of one request. */
export type Heard = {
  readonly isNew: boolean
  /** The data will not change any more: it is requested only on `again` or `hear`, not polled. */
  readonly isLast?: boolean
  /** How long the service asks not to be called again; 0 or absent: no limit. */
  readonly waitMs?: number
}

export type Asking = {
  /** Requests now, and gives up the request under way: it may never be answered. */
  again(): void
  /** Reports a change: requests soon, but rate-limited, however much changes. */
  hear(): void
  /** Reports that the page's visibility or the pace has changed. */
  adjust(): void
  /** Stops all requests, and gives up the one under way. */
  end(): void
}

export type Clock = {
  /** Monotonic time in ms. */
  nowMs(): number
  /** Calls `act` once, after `ms`; the function it returns cancels that. */
  after(ms: number, act: () => void): () => void
}

type Circumstances = {
  /** Whether the page is visible. If not, only `again` causes requests. */
  readonly isSeen: () => boolean
  /** null: no polling. */
  readonly pace: () => Pace | null
  readonly clock?: Clock
}

/**
 * The interval between requests caused by changes. It doubles while changes keep coming, so that a
 * busy account causes little load.
 */
const leastBetweenMs = 2_000
const mostBetweenMs = 15_000
const slowing = 1.25

/** The time after which a request without an answer is given up. */
export const longestAskMs = 30_000

/**
 * Keeps requesting, one request at a time: a service that answers more slowly than the pace is
 * called less often, and each of its answers counts. `ask` must not reject. Its signal is aborted
 * with a `TimeoutError` if the answer takes too long, which `ask` must then report; aborted with
 * anything else, its result no longer counts.
 */
export function keepAsking(
  ask: (signal: AbortSignal) => Promise<Heard>,
  { isSeen, pace, clock = ownClock }: Circumstances,
): Asking {
  let underWay: AbortController | null = null
  let isLast = false
  let hasEnded = false
  let askedAtMs = Number.NEGATIVE_INFINITY
  let answeredAtMs = Number.NEGATIVE_INFINITY
  let notBeforeMs = Number.NEGATIVE_INFINITY
  let betweenMs = leastBetweenMs
  let newsDueAtMs = Number.POSITIVE_INFINITY
  let nothingNew = 0
  let callOff = () => {}
  return { again, hear, adjust, end }

  async function start() {
    callOff()
    underWay?.abort()
    const own = new AbortController()
    underWay = own
    newsDueAtMs = Number.POSITIVE_INFINITY
    askedAtMs = clock.nowMs()
    const callOffLimit = clock.after(longestAskMs, () =>
      own.abort(new DOMException('No answer in time', 'TimeoutError')),
    )
    const heard = await ask(own.signal)
    callOffLimit()
    if (underWay !== own) return
    underWay = null
    isLast = heard.isLast ?? false
    answeredAtMs = clock.nowMs()
    notBeforeMs = answeredAtMs + (heard.waitMs ?? 0)
    nothingNew = heard.isNew ? 0 : nothingNew + 1
    plan()
  }

  function plan() {
    callOff()
    if (underWay || hasEnded || !isSeen()) return
    const dueAtMs = Math.max(notBeforeMs, Math.min(newsDueAtMs, ownDueAtMs()))
    if (dueAtMs < Number.POSITIVE_INFINITY)
      callOff = clock.after(Math.max(0, dueAtMs - clock.nowMs()), start)
  }

  function ownDueAtMs(): number {
    const own = isLast ? null : pace()
    if (!own) return Number.POSITIVE_INFINITY
    return answeredAtMs + Math.min(own.everyMs * slowing ** nothingNew, own.mostMs)
  }

  function again() {
    nothingNew = 0
    if (!hasEnded) void start()
  }

  function hear() {
    nothingNew = 0
    if (newsDueAtMs < Number.POSITIVE_INFINITY) return
    const nowMs = clock.nowMs()
    newsDueAtMs = Math.max(nowMs, askedAtMs + betweenMs)
    betweenMs = newsDueAtMs > nowMs ? Math.min(2 * betweenMs, mostBetweenMs) : leastBetweenMs
    plan()
  }

  function adjust() {
    nothingNew = 0
    plan()
  }

  function end() {
    hasEnded = true
    callOff()
    underWay?.abort()
  }
}

const ownClock: Clock = {
  nowMs: () => performance.now(),
  after(ms, act) {
    const timer = setTimeout(act, ms)
    return () => clearTimeout(timer)
  },
}
