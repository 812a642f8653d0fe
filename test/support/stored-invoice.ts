import { decide } from '../../src/domain/invoices/decide.ts'
import { evolve } from '../../src/domain/invoices/evolve.ts'
import type * as Invoice from '../../src/domain/invoices/invoice.ts'
import type { Terms } from '../../src/domain/invoices/terms.ts'
import { insertAll } from '../../src/storage/invoices/invoices.ts'
import type { Sql } from '../../src/storage/postgres/db.ts'
import { terms } from './invoice.ts'
import { invoiceReferences } from './watcher.ts'

/** With a reference that `testWatcher` recognises. */
export function newInvoice(
  accountId: string,
  over: Partial<Terms> = {},
  at = new Date(),
): Invoice.Invoice {
  const id = Bun.randomUUIDv7()
  const agreed = terms({ reference: invoiceReferences.of(id), ...over })
  const events = decide(undefined, { kind: 'create', id, accountId, terms: agreed }, at)
  return evolve(undefined, events, at) as Invoice.Invoice
}

export async function storedInvoice(
  sql: Sql,
  ...made: Parameters<typeof newInvoice>
): Promise<Invoice.Invoice> {
  const invoice = newInvoice(...made)
  await storeInvoices(sql, [invoice])
  return invoice
}

/** Inserts invoices by one statement. */
export function storeInvoices(sql: Sql, invoices: readonly Invoice.Invoice[]) {
  return insertAll(
    sql,
    invoices.map((invoice) => ({ invoice, idempotency: null })),
  )
}
