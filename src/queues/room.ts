/** How many calls may be under way: over all receivers, to those of one owner, to one of them, and to all that are slow together. */
export type Most = {
  readonly overall: number
  readonly owner: number
  readonly each: number
  readonly slow: number
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

type Known = { readonly ownerId: string; inFlight: number; isSlow: boolean }
type Waiter = { readonly receiver: Known; readonly places: number; admit(): void }

/** Limits how many calls are under way, so that receivers that do not answer, however many, cannot take the places of the others. */
export function createRoom(most: Most): Room {
  const receivers = new Map<string, Known>()
  const inFlightOf = new Map<string, number>()
  const waiting = new Set<Waiter>()
  let inFlight = 0
  let slowInFlight = 0

  function known({ id, ownerId }: Receiver): Known {
    const receiver = receivers.get(id) ?? { ownerId, inFlight: 0, isSlow: false }
    receivers.set(id, receiver)
    return receiver
  }

  function hasRoom({ receiver, places }: Waiter): boolean {
    if (inFlight + places > most.overall) return false
    if ((inFlightOf.get(receiver.ownerId) ?? 0) + places > most.owner) return false
    return receiver.isSlow
      ? receiver.inFlight === 0 && slowInFlight + places <= most.slow
      : receiver.inFlight + places <= most.each
  }

  function count(receiver: Known, places: number): void {
    const ofOwner = (inFlightOf.get(receiver.ownerId) ?? 0) + places
    if (ofOwner === 0) inFlightOf.delete(receiver.ownerId)
    else inFlightOf.set(receiver.ownerId, ofOwner)
    receiver.inFlight += places
    inFlight += places
    if (receiver.isSlow) slowInFlight += places
  }

  /** Lets in those there is room for, in the order they came. */
  function review(): void {
    for (const waiter of waiting) {
      if (inFlight >= most.overall) return
      if (!hasRoom(waiter)) continue
      waiting.delete(waiter)
      count(waiter.receiver, waiter.places)
      waiter.admit()
    }
  }

  return {
    enter(receiver, places) {
      return new Promise((admit) => {
        waiting.add({ receiver: known(receiver), places, admit })
        review()
      })
    },
    leave(receiver, places) {
      const it = known(receiver)
      count(it, -places)
      if (waiting.size > 0) review()
      else if (it.inFlight === 0 && !it.isSlow) receivers.delete(receiver.id)
    },
    judge(receiver, isSlow) {
      const it = known(receiver)
      if (it.isSlow === isSlow) return
      it.isSlow = isSlow
      slowInFlight += isSlow ? it.inFlight : -it.inFlight
      review()
    },
  }
}
