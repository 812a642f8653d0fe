import type { Sql } from '../../storage/postgres/db.ts'
import { type FannedOut, fanOut, type TracedEvent } from '../../storage/webhooks/outbox.ts'

const mostAtOnce = 20

/**
 * Fans out the outbox until it is empty and returns the number of batches. A failed statement may
 * have been too much, so the next call asks for half as many batches, and each success allows one
 * more.
 */
export function createOutbox(
  sql: Sql,
  onDue: (webhookIds: readonly string[], traced: readonly TracedEvent[]) => void,
): () => Promise<number> {
  let atOnce = mostAtOnce

  async function fanOutSome(limit: number): Promise<FannedOut> {
    try {
      const fanned = await fanOut(sql, limit)
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
      if (fanned.webhookIds.length > 0) onDue(fanned.webhookIds, fanned.traced ?? [])
      batches += fanned.batches
      if (fanned.batches < limit) return batches
    }
  }
}
