/** The interval grows up to `mostMs` while answers bring nothing new. */
export type Interval = { readonly everyMs: number; readonly mostMs: number }

export type Outcome = {
  readonly isNew: boolean
  /** The data will not change any more: polling stops. */
  readonly isFinal?: boolean
  /** From `Retry-After`. */
  readonly waitMs?: number
}

export type Poller = ReturnType<typeof startPolling>

export type Clock = {
  nowMs(): number
  /** Returns a function that cancels the call. */
  after(ms: number, act: () => void): () => void
}

type Options = {
  /** Whether the page is visible. If not, only `reload` sends requests. */
  readonly isVisible: () => boolean
  readonly interval: () => Interval | null
  readonly clock?: Clock
}

/** The least time between requests; it doubles while changes keep coming. */
const minBetweenMs = 2_000
const maxBetweenMs = 15_000
const growth = 1.25

/** A request without an answer is then aborted. */
export const requestTimeoutMs = 30_000

/**
 * Sends one request at a time, so that a slow service is called less often. `request` must not
 * reject. Its signal is aborted with a `TimeoutError` after 30 s, which `request` must report;
 * aborted with anything else, its result does not count.
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
    /** Aborts the request under way, which may never be answered. */
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
