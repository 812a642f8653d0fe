import { type Command, decide } from '../../domain/purchases/decide.ts'
import { evolve } from '../../domain/purchases/evolve.ts'
import type { Purchase } from '../../domain/purchases/purchase.ts'
import type { Sql } from '../../storage/postgres/db.ts'
import { type Change, commit } from '../../storage/purchases/purchases.ts'

/** The change by a command; null: none. The time is PostgreSQL's when the purchase was read. */
export function changeBy(before: Purchase, command: Command): Change | null {
  const events = decide(before, command, before.readAt)
  return events.length === 0 ? null : { before, after: evolve(before, events, before.readAt) }
}

/**
 * Returns the purchase afterwards; null where the command changes nothing, the purchase has changed
 * since it was read, or another purchase has the payment or transfer. With `ifUnpaid`, null also
 * where the invoice has a credit or can no longer be paid.
 */
export async function execute(
  sql: Sql,
  purchase: Purchase,
  command: Command,
  guard: Pick<Change, 'ifUnpaid'> = {},
): Promise<Purchase | null> {
  const change = changeBy(purchase, command)
  return change && commit(sql, { ...change, ...guard })
}
