import type { FannedOut } from '../../storage/outbox.ts'

const mostAtOnce = 20

/**
 * Fans out what is in the outbox until nothing is left, and says to which webhooks something is due now; answers how many batches there were.
 * Rejects as `fanOut` does, which may have been asked for too much, as an account may have many webhooks: so the next time it is asked for
 * half, and then for one more each time it succeeds.
 */
export function createOutbox(options: {
  fanOut: (limit: number) => Promise<FannedOut>
  deliver: (webhookIds: readonly string[]) => void
}): () => Promise<number> {
  let atOnce = mostAtOnce

  async function fanOutSome(limit: number): Promise<FannedOut> {
    try {
      const fanned = await options.fanOut(limit)
      atOnce = Math.min(mostAtOnce, limit + 1)
      return fanned
    } catch (error) {
      atOnce = Math.ceil(limit / 2)
      throw error
    }
  }

  return async () => {
    let batches = 0
    for (;;) {
      const limit = atOnce
      const fanned = await fanOutSome(limit)
      if (fanned.webhookIds.length > 0) options.deliver(fanned.webhookIds)
      batches += fanned.batches
      if (fanned.batches < limit) return batches
    }
  }
}
