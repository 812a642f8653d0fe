import type { FannedOut } from '../storage/outbox.ts'

const batchSize = 500
/** A job carries several deliveries: one job each would cost more than the delivery. */
const deliveriesPerJob = 50

/** Fans out pending events until none are left, handing deliveries on in groups of one webhook; answers how many events there were. */
export function createOutbox(options: {
  fanOut: (limit: number) => Promise<FannedOut>
  deliver: (deliveryIds: readonly string[]) => void
}): () => Promise<number> {
  return async () => {
    let events = 0
    for (;;) {
      const fanned = await options.fanOut(batchSize)
      for (const { deliveryIds } of fanned.deliveries) {
        for (let at = 0; at < deliveryIds.length; at += deliveriesPerJob) {
          options.deliver(deliveryIds.slice(at, at + deliveriesPerJob))
        }
      }
      events += fanned.events
      if (fanned.events < batchSize) return events
    }
  }
}
