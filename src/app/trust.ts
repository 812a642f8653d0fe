import type { TrustSignals } from '../domain/trust.ts'
import type { Sql } from '../storage/db.ts'
import { findTrustSignals, rebuildTrustSignals } from '../storage/trust.ts'

/** The trust signals as of last night; on a new database, as of now. */
export async function currentTrustSignals(sql: Sql): Promise<TrustSignals> {
  return (await findTrustSignals(sql)) ?? rebuildTrustSignals(sql)
}
