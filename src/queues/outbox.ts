import type { FannedOut } from '../storage/outbox.ts'

const batchesAtOnce = 20
/** A job carries several deliveries: one job each would cost more than the delivery. */
const deliveriesPerJob = 50

/** Fans out what is in the outbox until nothing is left, handing deliveries on in groups of one webhook; answers how many batches there were. */
export function createOutbox(options: {
  fanOut: (limit: number) => Promise<FannedOut>
  deliver: (deliveryIds: readonly string[]) => void
}): () => Promise<number> {
  return async () => {
    let batches = 0
    for (;;) {
      const fanned = await options.fanOut(batchesAtOnce)
      for (const { deliveryIds } of fanned.deliveries) {
        for (let at = 0; at < deliveryIds.length; at += deliveriesPerJob) {
          options.deliver(deliveryIds.slice(at, at + deliveriesPerJob))
        }
      }
      batches += fanned.batches
      if (fanned.batches < batchesAtOnce) return batches
    }
  }
}
