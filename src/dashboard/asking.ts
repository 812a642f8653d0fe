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
  /** Requests now; while a request is running, once more after it. */
  again(): void
  /** Reports a change: requests soon, but rate-limited, however much changes. */
  hear(): void
  /** Reports that the page's visibility or the pace has changed. */
  adjust(): void
  /** Stops all requests. */
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

/**
 * Keeps requesting, one request at a time: a service that answers more slowly than the pace is
 * called less often, and each of its answers counts. `ask` must not reject.
 */
export function keepAsking(
  ask: () => Promise<Heard>,
  { isSeen, pace, clock = ownClock }: Circumstances,
): Asking {
  let isAsking = false
  let isWanted = false
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
    isAsking = true
    isWanted = false
    newsDueAtMs = Number.POSITIVE_INFINITY
    askedAtMs = clock.nowMs()
    const heard = await ask()
    isAsking = false
    isLast = heard.isLast ?? false
    answeredAtMs = clock.nowMs()
    notBeforeMs = answeredAtMs + (heard.waitMs ?? 0)
    nothingNew = heard.isNew ? 0 : nothingNew + 1
    if (isWanted) void start()
    else plan()
  }

  function plan() {
    callOff()
    if (isAsking || hasEnded || !isSeen()) return
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
    if (isAsking) isWanted = true
    else if (!hasEnded) void start()
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
    isWanted = false
    callOff()
  }
}

const ownClock: Clock = {
  nowMs: () => performance.now(),
  after(ms, act) {
    const timer = setTimeout(act, ms)
    return () => clearTimeout(timer)
  },
}
