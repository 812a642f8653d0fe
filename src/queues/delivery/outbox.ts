import type { FannedOut } from '../../storage/outbox.ts'

const batchesAtOnce = 20

/** Fans out what is in the outbox until nothing is left, and says to which webhooks something is due now; answers how many batches there were. */
export function createOutbox(options: {
  fanOut: (limit: number) => Promise<FannedOut>
  deliver: (webhookIds: readonly string[]) => void
}): () => Promise<number> {
  return async () => {
    let batches = 0
    for (;;) {
      const fanned = await options.fanOut(batchesAtOnce)
      if (fanned.webhookIds.length > 0) options.deliver(fanned.webhookIds)
      batches += fanned.batches
      if (fanned.batches < batchesAtOnce) return batches
    }
  }
}
