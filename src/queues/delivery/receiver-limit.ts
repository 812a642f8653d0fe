import { createCounts, createFairQueue } from '../../scheduling/fair-queue.ts'

/**
 * The most calls under way:
 * - `overall`: to all receivers,
 * - `owner`: to one owner's receivers that are not slow,
 * - `ownerInAll`: to all of one owner's receivers, before another that is not slow is called,
 * - `each`: to one receiver that is not slow,
 * - `untried`: to one receiver about which nothing is known yet,
 * - `slow`: to all slow receivers together.
 *
 * `remembered` is how many receivers are remembered, unless more are in use.
 */
export type Limits = {
  readonly overall: number
  readonly owner: number
  readonly ownerInAll: number
  readonly each: number
  readonly untried: number
  readonly slow: number
  readonly remembered: number
}

export type Receiver = { readonly id: string; readonly ownerId: string }

type Known = {
  readonly ownerId: string
  waiting: number
  inFlight: number
  isSlow: boolean
  isTried: boolean
}
type Waiter = { readonly receiver: Known; readonly places: number; admit(): void }

export type ReceiverLimit = ReturnType<typeof createReceiverLimit>

/**
 * Limits the calls under way, so that unresponsive receivers, however many, cannot take the places
 * of others.
 */
export function createReceiverLimit(limits: Limits) {
  /** Least recently used first. */
  const receivers = new Map<string, Known>()
  const inFlightOf = createCounts()
  const allInFlightOf = createCounts()
  const waiting = createFairQueue<Waiter>()
  let inFlight = 0
  let slowInFlight = 0

  function known({ id, ownerId }: Receiver): Known {
    const unknown = { ownerId, waiting: 0, inFlight: 0, isSlow: false, isTried: false }
    const receiver = receivers.get(id) ?? unknown
    receivers.delete(id)
    receivers.set(id, receiver)
    return receiver
  }

  function forget(): void {
    for (const [id, { waiting, inFlight }] of receivers) {
      if (receivers.size <= limits.remembered) return
      if (waiting === 0 && inFlight === 0) receivers.delete(id)
    }
  }

  function hasOwnRoom({ receiver, places }: Waiter): boolean {
    if (receiver.isSlow) return receiver.inFlight === 0
    return receiver.inFlight + places <= (receiver.isTried ? limits.each : limits.untried)
  }

  function hasSharedRoom({ receiver, places }: Waiter): boolean {
    if (receiver.isSlow) return slowInFlight + places <= limits.slow
    const { ownerId } = receiver
    // One owner's slow receivers may be more than `slow`: without the second limit they would take
    // all places.
    return (
      inFlightOf.of(ownerId) + places <= limits.owner &&
      allInFlightOf.of(ownerId) + places <= limits.ownerInAll
    )
  }

  /**
   * If a waiter lacks only shared room, those behind it that share the room wait too; otherwise
   * smaller ones would always overtake it.
   */
  function fitting(): (waiter: Waiter) => boolean {
    const kept = new Set<string | null>()
    return (waiter) => {
      const { isSlow, ownerId } = waiter.receiver
      const sharers = isSlow ? null : ownerId
      if (kept.has(sharers) || !hasOwnRoom(waiter)) return false
      if (hasSharedRoom(waiter)) return true
      kept.add(sharers)
      return false
    }
  }

  function count(receiver: Known, places: number): void {
    receiver.inFlight += places
    inFlight += places
    allInFlightOf.add(receiver.ownerId, places)
    share(receiver, places)
  }

  /**
   * Slow receivers do not count towards their owner's share, so that the owner's others are called.
   */
  function share({ ownerId, isSlow }: Known, places: number): void {
    if (isSlow) slowInFlight += places
    else inFlightOf.add(ownerId, places)
  }

  /**
   * If the next one lacks only overall room, the others wait with it, or smaller ones would always
   * overtake it.
   */
  function review(): void {
    while (inFlight < limits.overall) {
      // Turns are per owner, so many receivers bring no more of them.
      const next = waiting.next(fitting())
      if (!next || inFlight + next.places > limits.overall) return
      waiting.serve(next.receiver.ownerId, next)
      next.receiver.waiting -= next.places
      count(next.receiver, next.places)
      next.admit()
    }
  }

  /**
   * Takes places when they are free and it is the owner's turn. A slow receiver gets some only when
   * it holds none.
   */
  function acquire(receiver: Receiver, places: number): Promise<void> {
    return new Promise((admit) => {
      const it = known(receiver)
      it.waiting += places
      waiting.add(it.ownerId, { receiver: it, places, admit })
      forget()
      review()
    })
  }

  function release(receiver: Receiver, places: number): void {
    count(known(receiver), -places)
    review()
  }

  /** From now on all of a slow receiver's places count against `slow` instead of `owner`. */
  function setSlow(receiver: Receiver, isSlow: boolean): void {
    const it = known(receiver)
    if (it.isTried && it.isSlow === isSlow) return
    share(it, -it.inFlight)
    it.isSlow = isSlow
    it.isTried = true
    share(it, it.inFlight)
    review()
  }

  return { acquire, release, setSlow }
}
