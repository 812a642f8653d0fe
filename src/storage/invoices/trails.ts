import { type Entry, type Happened, replay } from '../../domain/invoices/trail.ts'
import { array, type Sql, statement } from '../postgres/db.ts'
import { loadMany } from './invoices.ts'

/**
 * All that has happened to invoices, by their ids; unknown ones are left out. Of those that are not
 * `changed` only the creation is wanted, which has no row in the trail.
 */
export async function livesOf(
  sql: Sql,
  invoiceIds: readonly string[],
  changed = invoiceIds,
): Promise<ReadonlyMap<string, readonly Happened[]>> {
  const [invoices, trails] = await Promise.all([loadMany(sql, invoiceIds), trailsOf(sql, changed)])
  return new Map(
    invoices.map((invoice) => [invoice.id, replay(invoice, trails.get(invoice.id) ?? [])]),
  )
}

/** The trails of invoices, oldest first, without their creation. */
export async function trailsOf(
  sql: Sql,
  invoiceIds: readonly string[],
): Promise<ReadonlyMap<string, readonly Entry[]>> {
  if (invoiceIds.length === 0) return new Map()
  const rows = await statement<(Entry & { id: string })[]>(sql)`
    select subject_id as id, types, data, created_at as "createdAt" from events
    where subject_id = any(${array(invoiceIds)}::uuid[]) order by subject_id, sequence`
  return Map.groupBy(rows, ({ id }) => id)
}
