/** How often something is asked again without a reason: after `everyMs`, and ever more rarely, down to every `mostMs`, while answers say nothing new. */
export type Pace = { readonly everyMs: number; readonly mostMs: number }

/** What came of asking. */
export type Heard = {
  readonly isNew: boolean
  /** Nothing about it changes any more: it is asked again for a reason only. */
  readonly isLast?: boolean
  /** The service does not want to be asked before this has passed, 0: whenever we like. */
  readonly waitMs?: number
}

export type Asking = {
  /** Asks now, for whoever wants it; while an answer is awaited, once more behind it. */
  again(): void
  /** Something has changed: asks soon, however much else changes. */
  hear(): void
  /** Whether anybody looks has changed, or the pace. */
  adjust(): void
  /** Nothing is asked any more. */
  end(): void
}

export type Clock = {
  /** Steady time in ms. */
  nowMs(): number
  /** Calls `act` once, this much later; what it answers calls that off. */
  after(ms: number, act: () => void): () => void
}

type Circumstances = {
  /** Where nobody looks, nothing is asked but by `again`. */
  readonly isSeen: () => boolean
  /** null: never without a reason. */
  readonly pace: () => Pace | null
  readonly clock?: Clock
}

/** Between two asks because of changes. It doubles for as long as there are more, so that a busy account costs little. */
const leastBetweenMs = 2_000
const mostBetweenMs = 15_000
const slowing = 1.25

/**
 * Keeps asking, one at a time: a service that answers more slowly than it would be asked is asked less often, and each of its answers counts.
 * `ask` does not reject.
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
