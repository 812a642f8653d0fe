import type { Days } from '../../domain/books/period.ts'
import type { Sql } from '../postgres/db.ts'

/** Whether a time of a row lies in these days. */
export function inDays(
  sql: Sql,
  column: 'settled_at' | 'block_time' | 'counted_at',
  { from, to }: Days,
) {
  return sql`${from === null ? sql`` : sql`and ${sql(column)} >= ${new Date(from)}`}
    ${to === null ? sql`` : sql`and ${sql(column)} < ${new Date(to)}`}`
}
