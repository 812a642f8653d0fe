import { DomainError } from '../../domain/error.ts'
import { createConcurrencyLimit } from '../../scheduling/limiter.ts'
import type { Answer, Call } from '../operation.ts'

type Options = {
  /** The most requests in flight, in this process and for one account. */
  readonly total: number
  readonly perAccount: number
  readonly maxWaitMs: number
  /** A longer stream may be cut off for a request that waits. */
  readonly maxStreamMs: number
  readonly refusal: string
}

export type AnswerSlots = ReturnType<typeof createAnswerSlots>

export type Slot = Awaited<ReturnType<AnswerSlots['take']>>

type Taken = {
  readonly accountId: string
  readonly sinceMs: number
  isOver(): boolean
  cut(): void
  leave(): void
}

const checkEveryMs = 5
/** The system's buffers take bodies up to this size, read or not. */
const maxBuffered = 65_536

/** Limits long answers: upstreams that never finish and callers who never read must not pile up. */
export function createAnswerSlots({ total, perAccount, maxWaitMs, maxStreamMs, refusal }: Options) {
  /** Oldest first. */
  const taken = new Set<Taken>()
  const limit = createConcurrencyLimit({
    total,
    perKey: perAccount,
    maxWaitMs,
    refusal: () => new DomainError('overloaded', refusal, { retryAfterSeconds: 5 }),
  })
  let checking: Timer | undefined

  /** Errors: `overloaded` if no slot becomes free in time. */
  async function take(accountId: string) {
    if (!limit.hasRoom(accountId)) check()
    if (!limit.hasRoom(accountId)) checking ??= setInterval(check, checkEveryMs)
    return occupy(accountId, await limit.acquire(accountId))
  }

  function occupy(accountId: string, release: () => void) {
    const end = new AbortController()
    const slot: Taken = {
      accountId,
      sinceMs: performance.now(),
      isOver: () => false,
      cut: () => end.abort(),
      leave() {
        taken.delete(slot)
        end.abort()
        release()
      },
    }
    taken.add(slot)
    return {
      /** Aborted once the slot is left or must be. */
      ended: end.signal,
      leave: slot.leave,
      /** Frees the slot as soon as `isOver` holds. */
      leaveOnce(isOver: () => boolean): void {
        slot.isOver = isOver
      },
    }
  }

  /** Polled while requests wait, because nothing announces that an answer has been sent. */
  function check(): void {
    for (const slot of taken) if (slot.isOver()) slot.leave()
    const waiting = limit.waitingKeys()
    for (const accountId of waiting) longestFor(accountId)?.cut()
    if (waiting.length > 0) return
    clearInterval(checking)
    checking = undefined
  }

  /** The oldest answer whose slot this account could have, if it has lasted too long. */
  function longestFor(accountId: string): Taken | undefined {
    const own = taken.values().filter((slot) => slot.accountId === accountId)
    const ofAnybody = own.toArray().length < perAccount
    const longest = taken.values().find((slot) => ofAnybody || slot.accountId === accountId)
    return longest && performance.now() - longest.sinceMs > maxStreamMs ? longest : undefined
  }

  return { take }
}

/** Answers in a slot of the caller's account. */
export async function withSlot(
  slots: AnswerSlots,
  call: Call,
  answer: (slot: Slot) => Promise<Answer>,
): Promise<Answer> {
  const slot = await slots.take(call.principal.accountId)
  return untilOver(slot, call, answer(slot))
}

/** Leaves the slot once the answer, body included, is over or its caller is gone. */
export async function untilOver(
  slot: Slot,
  { isOver }: Pick<Call, 'isOver'>,
  answered: Promise<Answer>,
): Promise<Answer> {
  try {
    const answer = await answered
    if (isHeld(answer) && !isOver()) slot.leaveOnce(isOver)
    else slot.leave()
    return answer
  } catch (error) {
    slot.leave()
    throw error
  }
}

/** Whether our memory holds an answer until it has been read. */
function isHeld({ body }: Answer): boolean {
  return body instanceof ReadableStream || (body !== null && body.length > maxBuffered)
}
