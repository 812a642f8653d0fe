import type { FannedOut } from '../../storage/outbox.ts'

const batchesAtOnce = 20

/**
 * Creates a function that fans out the outbox until it is empty and reports the webhooks that now
 * have due deliveries. It returns how many batches there were.
 */
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
