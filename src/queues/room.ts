/** How many calls may be under way: over all receivers, to one, and to one that is slow. */
export type Most = { readonly overall: number; readonly each: number; readonly slow: number }

/**
 * Runs `call` when there is room for it. False, and `call` was not run: there was none in good time, or the receiver is slow and has
 * all it may have. So a receiver that does not answer takes a few places, never those of the others.
 */
export type Room = (receiverId: string, call: () => Promise<void>) => Promise<boolean>

type Receiver = { inFlight: number; isSlow: boolean }
type Waiter = { readonly receiver: Receiver; answer(isAdmitted: boolean): void }

/** A receiver is slow once a call takes longer than `slowMs`, until one is faster; nobody waits for longer than `patienceMs`. */
export function createRoom(most: Most, slowMs: number, patienceMs: number): Room {
  const receivers = new Map<string, Receiver>()
  const waiting = new Set<Waiter>()
  let inFlight = 0

  function hasRoom({ inFlight: own, isSlow }: Receiver): boolean {
    return inFlight < most.overall && own < (isSlow ? most.slow : most.each)
  }

  function enter(receiver: Receiver): void {
    inFlight++
    receiver.inFlight++
  }

  function admit(receiver: Receiver): boolean | Promise<boolean> {
    if (hasRoom(receiver)) {
      enter(receiver)
      return true
    }
    return receiver.isSlow ? false : wait(receiver)
  }

  function wait(receiver: Receiver): Promise<boolean> {
    return new Promise((resolve) => {
      const waiter = {
        receiver,
        answer(isAdmitted: boolean) {
          clearTimeout(timer)
          waiting.delete(waiter)
          if (isAdmitted) enter(receiver)
          resolve(isAdmitted)
        },
      }
      const timer = setTimeout(() => waiter.answer(false), patienceMs)
      waiting.add(waiter)
    })
  }

  /** In the order they came: those there is room for now, and away with those whose receiver has become slow. */
  function review(): void {
    for (const waiter of waiting) {
      if (inFlight >= most.overall) return
      if (hasRoom(waiter.receiver)) waiter.answer(true)
      else if (waiter.receiver.isSlow) waiter.answer(false)
    }
  }

  async function run(receiver: Receiver, call: () => Promise<void>): Promise<void> {
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      receiver.isSlow = true
      review()
    }, slowMs)
    try {
      await call()
    } finally {
      clearTimeout(timer)
      receiver.isSlow = isLate
      receiver.inFlight--
      inFlight--
      review()
    }
  }

  return async (receiverId, call) => {
    const receiver = receivers.get(receiverId) ?? { inFlight: 0, isSlow: false }
    receivers.set(receiverId, receiver)
    const isAdmitted = await admit(receiver)
    if (isAdmitted) await run(receiver, call)
    if (receiver.inFlight === 0 && !receiver.isSlow) receivers.delete(receiverId)
    return isAdmitted
  }
}
