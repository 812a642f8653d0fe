/**
 * The most calls under way:
 * - `overall`: to all receivers,
 * - `owner`: to one owner's receivers that are not slow,
 * - `each`: to one receiver that is not slow,
 * - `untried`: to one receiver about which nothing is known yet,
 * - `slow`: to all slow receivers together.
 *
 * `remembered` is how many receivers are remembered, unless more are in use.
 */
export type Most = {
  readonly overall: number
  readonly owner: number
  readonly each: number
  readonly untried: number
  readonly slow: number
  readonly remembered: number
}

/** The target of calls. */
export type Receiver = { readonly id: string; readonly ownerId: string }

export type Room = {
  /**
   * Takes this many places, as soon as they are free. A slow receiver gets no more until it has
   * given all its places back.
   */
  enter(receiver: Receiver, places: number): Promise<void>
  /** Gives places back. */
  leave(receiver: Receiver, places: number): void
  /**
   * Records whether a receiver is slow. A slow receiver's places, including those it has now, count
   * against `slow` instead of `owner`.
   */
  judge(receiver: Receiver, isSlow: boolean): void
}

type Known = {
  readonly ownerId: string
  /** Places it waits for. */
  waiting: number
  inFlight: number
  isSlow: boolean
  isTried: boolean
}
type Waiter = { readonly receiver: Known; readonly places: number; admit(): void }

/**
 * Limits how many calls are under way, so that unresponsive receivers, however many, cannot take
 * the places of the others.
 */
export function createRoom(most: Most): Room {
  /** Least recently used first. */
  const receivers = new Map<string, Known>()
  const inFlightOf = new Map<string, number>()
  const waiting = new Set<Waiter>()
  let inFlight = 0
  let slowInFlight = 0

  function known({ id, ownerId }: Receiver): Known {
    const unknown = { ownerId, waiting: 0, inFlight: 0, isSlow: false, isTried: false }
    const receiver = receivers.get(id) ?? unknown
    receivers.delete(id)
    receivers.set(id, receiver)
    return receiver
  }

  /** Forgets the least recently used receivers that are not in use, while there are too many. */
  function forget(): void {
    for (const [id, { waiting, inFlight }] of receivers) {
      if (receivers.size <= most.remembered) return
      if (waiting === 0 && inFlight === 0) receivers.delete(id)
    }
  }

  function hasRoom({ receiver, places }: Waiter): boolean {
    if (inFlight + places > most.overall) return false
    if (receiver.isSlow) return receiver.inFlight === 0 && slowInFlight + places <= most.slow
    const mostOfIt = receiver.isTried ? most.each : most.untried
    const ofOwner = (inFlightOf.get(receiver.ownerId) ?? 0) + places
    return receiver.inFlight + places <= mostOfIt && ofOwner <= most.owner
  }

  function count(receiver: Known, places: number): void {
    receiver.inFlight += places
    inFlight += places
    share(receiver, places)
  }

  /**
   * The places of slow receivers do not count towards their owner's share; otherwise the owner's
   * other receivers could not be called while those wait.
   */
  function share({ ownerId, isSlow }: Known, places: number): void {
    if (isSlow) {
      slowInFlight += places
      return
    }
    const ofOwner = (inFlightOf.get(ownerId) ?? 0) + places
    if (ofOwner === 0) inFlightOf.delete(ownerId)
    else inFlightOf.set(ownerId, ofOwner)
  }

  /** Admits the waiters there is room for, in order of arrival. */
  function review(): void {
    for (const waiter of waiting) {
      if (inFlight >= most.overall) return
      if (!hasRoom(waiter)) continue
      waiting.delete(waiter)
      waiter.receiver.waiting -= waiter.places
      count(waiter.receiver, waiter.places)
      waiter.admit()
    }
  }

  return {
    enter(receiver, places) {
      return new Promise((admit) => {
        const it = known(receiver)
        it.waiting += places
        waiting.add({ receiver: it, places, admit })
        forget()
        review()
      })
    },
    leave(receiver, places) {
      count(known(receiver), -places)
      review()
    },
    judge(receiver, isSlow) {
      const it = known(receiver)
      if (it.isTried && it.isSlow === isSlow) return
      share(it, -it.inFlight)
      it.isSlow = isSlow
      it.isTried = true
      share(it, it.inFlight)
      review()
    },
  }
}
