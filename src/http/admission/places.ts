import { DomainError } from '../../domain/error.ts'
import { createCounts } from '../../scheduling/counts.ts'
import type { Answer, Call } from '../operation.ts'

type Most = {
  /** Requests in flight in this process. */
  readonly overall: number
  /** Requests in flight for one account. */
  readonly each: number
  /** How long a request waits for a place. */
  readonly patienceMs: number
  /** A stream that has gone on for longer may be cut off for a request that waits. */
  readonly longestMs: number
  /** What a request is told for which no place becomes free. */
  readonly refusal: string
}

export type Place = {
  /**
   * Aborted once the place is left or must be: what is still under way to an upstream, such as a
   * body that nobody reads, would keep one of the process's connections.
   */
  readonly ended: AbortSignal
  leave(): void
  /** Lets the place be taken by others as soon as `isOver` holds. */
  leaveOnce(isOver: () => boolean): void
}

export type Places = {
  /** Errors: `overloaded` if no place becomes free in time. */
  take(accountId: string): Promise<Place>
}

type Taken = {
  readonly accountId: string
  readonly sinceMs: number
  isOver(): boolean
  cut(): void
}
type Waiter = { readonly accountId: string; admit(): void }

const lookEveryMs = 5
/** What is no longer leaves its place at once: buffers of the system take it, read or not. */
const mostUnheld = 65_536

/**
 * Limits the requests in flight of a kind that costs the process as long as its answer lasts, so
 * that upstreams that never finish, or callers who never read, cannot take all that it has.
 */
export function createPlaces(most: Most): Places {
  /** Oldest first. */
  const taken = new Set<Taken>()
  const takenBy = createCounts()
  /** In the order they came. */
  const waiting = new Set<Waiter>()
  let looking: ReturnType<typeof setInterval> | undefined

  function isFullFor(accountId: string): boolean {
    return takenBy.of(accountId) >= most.each
  }

  function isFree(accountId: string): boolean {
    return taken.size < most.overall && !isFullFor(accountId)
  }

  function occupy(accountId: string): Place {
    const end = new AbortController()
    const place: Taken = {
      accountId,
      sinceMs: performance.now(),
      isOver: () => false,
      cut: () => end.abort(),
    }
    taken.add(place)
    takenBy.add(accountId, 1)
    return {
      ended: end.signal,
      leave() {
        vacate(place)
        admitAll()
      },
      leaveOnce(isOver) {
        place.isOver = isOver
      },
    }
  }

  function vacate(place: Taken): void {
    if (!taken.delete(place)) return
    place.cut()
    takenBy.add(place.accountId, -1)
  }

  function admitAll(): void {
    for (const waiter of waiting) if (isFree(waiter.accountId)) waiter.admit()
  }

  /** Polled while requests wait, because nothing announces that an answer has been sent. */
  function look(): void {
    for (const place of taken) if (place.isOver()) vacate(place)
    admitAll()
    for (const { accountId } of waiting) longestFor(accountId)?.cut()
  }

  /** The answer to cut off for a request of this account, if any has lasted too long. */
  function longestFor(accountId: string): Taken | undefined {
    const ofAnybody = !isFullFor(accountId)
    const longest = taken.values().find((place) => ofAnybody || place.accountId === accountId)
    return longest && performance.now() - longest.sinceMs > most.longestMs ? longest : undefined
  }

  function wait(accountId: string): Promise<Place> {
    looking ??= setInterval(look, lookEveryMs)
    return new Promise((resolve, reject) => {
      const forget = () => {
        clearTimeout(late)
        waiting.delete(waiter)
        if (waiting.size > 0) return
        clearInterval(looking)
        looking = undefined
      }
      const late = setTimeout(() => {
        forget()
        reject(new DomainError('overloaded', most.refusal, { retryAfterSeconds: 5 }))
      }, most.patienceMs)
      const waiter = {
        accountId,
        admit() {
          forget()
          resolve(occupy(accountId))
        },
      }
      waiting.add(waiter)
    })
  }

  return {
    async take(accountId) {
      if (!isFree(accountId)) look()
      return isFree(accountId) ? occupy(accountId) : wait(accountId)
    },
  }
}

/** Answers in a place of the caller's account, and leaves it as `untilOver` does. */
export async function inPlace(
  places: Places,
  call: Call,
  answer: (place: Place) => Promise<Answer>,
): Promise<Answer> {
  const place = await places.take(call.principal.accountId)
  return untilOver(place, call, answer(place))
}

/** Leaves the place once the answer, body included, is over or its caller is gone. */
export async function untilOver(
  place: Place,
  { isOver }: Pick<Call, 'isOver'>,
  answered: Promise<Answer>,
): Promise<Answer> {
  try {
    const answer = await answered
    if (isHeld(answer) && !isOver()) place.leaveOnce(isOver)
    else place.leave()
    return answer
  } catch (error) {
    place.leave()
    throw error
  }
}

/** Whether memory holds an answer until it has been read. */
function isHeld({ body }: Answer): boolean {
  return body instanceof ReadableStream || (body !== null && body.length > mostUnheld)
}
