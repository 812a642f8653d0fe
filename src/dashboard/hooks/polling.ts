/** The polling interval: `everyMs`, growing up to `mostMs` while answers bring nothing new. */
export type Interval = { readonly everyMs: number; readonly mostMs: number }

/** The outcome of one request. */
export type Outcome = {
  readonly isNew: boolean
  /** The data will not change any more: polling stops. */
  readonly isFinal?: boolean
  /** How long the service asks not to be called again; 0 or absent: no limit. */
  readonly waitMs?: number
}

export type Poller = ReturnType<typeof startPolling>

export type Clock = {
  /** Monotonic time in ms. */
  nowMs(): number
  /** Calls `act` once, after `ms`; the function it returns cancels that. */
  after(ms: number, act: () => void): () => void
}

type Options = {
  /** Whether the page is visible. If not, only `reload` sends requests. */
  readonly isVisible: () => boolean
  /** Null: no polling. */
  readonly interval: () => Interval | null
  readonly clock?: Clock
}

/** The least time between requests; it doubles while changes keep coming. */
const minBetweenMs = 2_000
const maxBetweenMs = 15_000
const growth = 1.25

/** The time after which a request without an answer is aborted. */
export const requestTimeoutMs = 30_000

/**
 * Sends requests, one at a time, so that a slow service is called less often. `request` must not
 * reject. Its signal is aborted with a `TimeoutError` if the answer takes too long, which `request`
 * must then report; aborted with anything else, its result no longer counts.
 */
export function startPolling(
  request: (signal: AbortSignal) => Promise<Outcome>,
  { isVisible, interval, clock = browserClock }: Options,
) {
  let underWay: AbortController | null = null
  let isFinal = false
  let hasStopped = false
  let requestedAtMs = Number.NEGATIVE_INFINITY
  let answeredAtMs = Number.NEGATIVE_INFINITY
  let notBeforeMs = Number.NEGATIVE_INFINITY
  let betweenMs = minBetweenMs
  let changeDueAtMs = Number.POSITIVE_INFINITY
  let answersWithoutNews = 0
  let cancel = () => {}

  async function send() {
    cancel()
    underWay?.abort()
    const own = new AbortController()
    underWay = own
    changeDueAtMs = Number.POSITIVE_INFINITY
    requestedAtMs = clock.nowMs()
    const cancelTimeout = clock.after(requestTimeoutMs, () =>
      own.abort(new DOMException('No answer in time', 'TimeoutError')),
    )
    const outcome = await request(own.signal)
    cancelTimeout()
    if (underWay !== own) return
    underWay = null
    isFinal = outcome.isFinal ?? false
    answeredAtMs = clock.nowMs()
    notBeforeMs = answeredAtMs + (outcome.waitMs ?? 0)
    answersWithoutNews = outcome.isNew ? 0 : answersWithoutNews + 1
    schedule()
  }

  function schedule() {
    cancel()
    if (underWay || hasStopped || !isVisible()) return
    const dueAtMs = Math.max(notBeforeMs, Math.min(changeDueAtMs, pollDueAtMs()))
    if (dueAtMs < Number.POSITIVE_INFINITY)
      cancel = clock.after(Math.max(0, dueAtMs - clock.nowMs()), send)
  }

  function pollDueAtMs(): number {
    const own = isFinal ? null : interval()
    if (!own) return Number.POSITIVE_INFINITY
    return answeredAtMs + Math.min(own.everyMs * growth ** answersWithoutNews, own.mostMs)
  }

  return {
    /** Sends a request now, and aborts the one under way, which may never be answered. */
    reload() {
      answersWithoutNews = 0
      if (!hasStopped) void send()
    },
    /** Sends a request soon after a change, however many changes there are. */
    onChange() {
      answersWithoutNews = 0
      if (changeDueAtMs < Number.POSITIVE_INFINITY) return
      const nowMs = clock.nowMs()
      changeDueAtMs = Math.max(nowMs, requestedAtMs + betweenMs)
      betweenMs = changeDueAtMs > nowMs ? Math.min(2 * betweenMs, maxBetweenMs) : minBetweenMs
      schedule()
    },
    /** To be called when the page's visibility or the interval has changed. */
    reschedule() {
      answersWithoutNews = 0
      schedule()
    },
    /** Ends all requests, the one under way too. */
    stop() {
      hasStopped = true
      cancel()
      underWay?.abort()
    },
  }
}

const browserClock: Clock = {
  nowMs: () => performance.now(),
  after(ms, act) {
    const timer = setTimeout(act, ms)
    return () => clearTimeout(timer)
  },
}
