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
  /** Takes so many places, as soon as they are free and it is its owner's turn. A slow receiver gets no more before all it had are given back. */
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
  /** By owner; whoever was let in goes to the end. */
  const waiting = new Map<string, Set<Waiter>>()
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

  function hasShare({ receiver, places }: Waiter): boolean {
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

  /** Lets in those there is room for. Whoever lacks nothing but room over all is waited for, or who needs less of it would always be first. */
  function review(): void {
    while (inFlight < most.overall) {
      const next = nextInTurn()
      if (!next || inFlight + next.places > most.overall) return
      endTurn(next)
      next.receiver.waiting -= next.places
      count(next.receiver, next.places)
      next.admit()
    }
  }

  /** Owners in turn, and of each the first that its share has room for: whose receivers are many gets no more turns. */
  function nextInTurn(): Waiter | undefined {
    for (const ofOwner of waiting.values())
      for (const waiter of ofOwner) if (hasShare(waiter)) return waiter
    return undefined
  }

  function endTurn(waiter: Waiter): void {
    const { ownerId } = waiter.receiver
    const others = waiting.get(ownerId)
    others?.delete(waiter)
    waiting.delete(ownerId)
    if (others && others.size > 0) waiting.set(ownerId, others)
  }

  return {
    enter(receiver, places) {
      return new Promise((admit) => {
        const it = known(receiver)
        it.waiting += places
        const ofOwner = waiting.get(it.ownerId) ?? new Set()
        waiting.set(it.ownerId, ofOwner.add({ receiver: it, places, admit }))
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
