import type { TrustSignals } from '../domain/receipts/trust.ts'
import type { Sql } from '../storage/postgres/db.ts'
import { findTrustSignals, rebuildTrustSignals } from '../storage/settlement/trust.ts'

/**
 * Creates the reader of the trust signals as of last night; on a new database, as of now. Whoever
 * asks while they are being counted for somebody else waits for the same count: it reads whole
 * tables, and asking takes no key.
 */
export function trustReader(sql: Sql): () => Promise<TrustSignals> {
  let counting: Promise<TrustSignals> | null = null
  return async () => {
    const counted = await findTrustSignals(sql)
    if (counted) return counted
    counting ??= rebuildTrustSignals(sql).finally(() => {
      counting = null
    })
    return counting
  }
}
