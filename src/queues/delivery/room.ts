/**
 * How many calls may be under way: over all receivers; to those of one owner that are not slow; to one of them, and to one of which nothing is
 * known yet; and to all that are slow together. `remembered`: of how many receivers something is known, unless more are in use.
 */
export type Most = {
  readonly overall: number
  readonly owner: number
  readonly each: number
  readonly untried: number
  readonly slow: number
  readonly remembered: number
}

/** Who is called. */
export type Receiver = { readonly id: string; readonly ownerId: string }

export type Room = {
  /** Takes so many places, as soon as they are free. A slow receiver gets no more before all it had are given back. */
  enter(receiver: Receiver, places: number): Promise<void>
  /** Gives places back. */
  leave(receiver: Receiver, places: number): void
  /** Says whether a receiver is slow: what it has taken counts among the slow ones' places from now on. */
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

/** Limits how many calls are under way, so that receivers that do not answer, however many, cannot take the places of the others. */
export function createRoom(most: Most): Room {
  /** In the order they were used last. */
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

  /** Forgets those not in use that were used longest ago, as far as there are too many. */
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

  /** What slow receivers take is no part of what their owner may: his others could not be called for as long as they wait. */
  function share({ ownerId, isSlow }: Known, places: number): void {
    if (isSlow) {
      slowInFlight += places
      return
    }
    const ofOwner = (inFlightOf.get(ownerId) ?? 0) + places
    if (ofOwner === 0) inFlightOf.delete(ownerId)
    else inFlightOf.set(ownerId, ofOwner)
  }

  /** Lets in those there is room for, in the order they came. */
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
