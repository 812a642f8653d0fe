import type { Invoice } from '../../domain/invoices/invoice.ts'
import { type Entry, type Happened, replay } from '../../domain/invoices/trail.ts'
import { array, type Sql, statement } from '../postgres/db.ts'
import { loadMany } from './invoices.ts'

export type Row = Entry & { readonly sequence: number }

/**
 * Reads all that has happened to invoices, by their ids, and the trails of all subjects. `lifeOf`
 * is undefined for what is no invoice, and throws as `replay` does.
 */
export async function livesOf(sql: Sql, subjectIds: readonly string[]) {
  const [found, trails] = await Promise.all([loadMany(sql, subjectIds), trailsOf(sql, subjectIds)])
  const invoices = new Map<string, Invoice>(found.map((invoice) => [invoice.id, invoice]))
  const lives = new Map<string, readonly Happened[]>()

  function lifeOf(id: string): readonly Happened[] | undefined {
    const invoice = invoices.get(id)
    if (!invoice) return undefined
    const life = lives.get(id) ?? replay(invoice, trails.get(id) ?? [])
    lives.set(id, life)
    return life
  }

  return { lifeOf, trails }
}

/** The trails of subjects, oldest first; an invoice's is without its creation. */
export async function trailsOf(
  sql: Sql,
  subjectIds: readonly string[],
): Promise<ReadonlyMap<string, readonly Row[]>> {
  if (subjectIds.length === 0) return new Map()
  const rows = await statement<(Row & { id: string })[]>(sql)`
    select subject_id as id, sequence, types, data, schema, created_at as "createdAt" from events
    where subject_id = any(${array(subjectIds)}::uuid[]) order by subject_id, sequence`
  return Map.groupBy(rows, ({ id }) => id)
}
