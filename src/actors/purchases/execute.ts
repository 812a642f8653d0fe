import { type Command, decide } from '../../domain/purchases/decide.ts'
import { evolve } from '../../domain/purchases/evolve.ts'
import type { Purchase } from '../../domain/purchases/purchase.ts'
import type { Sql } from '../../storage/postgres/db.ts'
import { type Change, commit } from '../../storage/purchases/purchases.ts'

/** What a command makes of a purchase; null: nothing. Time is PostgreSQL's when it was read. */
export function changeBy(before: Purchase, command: Command): Change | null {
  const events = decide(before, command, before.readAt)
  return events.length === 0 ? null : { before, after: evolve(before, events, before.readAt) }
}

/**
 * Executes a command. Returns the purchase afterwards; null where the command changes nothing, or
 * the purchase has changed since it was read, or another one has the payment or transfer.
 */
export async function execute(
  sql: Sql,
  purchase: Purchase,
  command: Command,
): Promise<Purchase | null> {
  const change = changeBy(purchase, command)
  return change && commit(sql, change)
}

/** Executes a command unless something is credited to the invoice, or it can no longer be paid. */
export async function executeIfUnpaid(
  sql: Sql,
  purchase: Purchase,
  command: Command,
): Promise<Purchase | null> {
  const change = changeBy(purchase, command)
  return change && commit(sql, { ...change, ifUnpaid: true })
}
