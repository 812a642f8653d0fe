import type { Entry } from '../../domain/invoices/timeline.ts'
import { type Sql, statement } from '../postgres/db.ts'

/**
 * Enough for the life of any invoice; thousands of tiny transfers to it make the list no longer.
 */
const mostEntries = 200

/** The last entries of an invoice's trail, oldest first, without its creation. */
export async function trailOf(sql: Sql, invoiceId: string): Promise<readonly Entry[]> {
  const rows = await statement<(Omit<Entry, 'createdAt'> & { createdAt: Date })[]>(sql)`
    select * from (
      select sequence, type, data, created_at as "createdAt" from events where subject_id = ${invoiceId}
      order by sequence desc limit ${mostEntries}
    ) as newest order by sequence`
  return rows.map((row) => ({ ...row, createdAt: row.createdAt.toISOString() }))
}
