import { createInvoices } from '../../src/actors/invoices.ts'
import { createOnce } from '../../src/actors/once.ts'
import { noProfile } from '../../src/domain/accounts/profile.ts'
import { builtIn } from '../../src/domain/money/tax-rates.ts'
import type { Sql } from '../../src/storage/postgres/db.ts'
import { terms } from './invoice.ts'
import { invoiceReferences } from './watcher.ts'

/** With a clock that is `aheadMs` ahead. */
export function invoiceActors(sql: Sql, { aheadMs = 0 } = {}) {
  const inTurn = <T>(_: string, read: (sql: Sql) => Promise<T>) => read(sql)
  return createInvoices({
    tracing: null,
    sql,
    changesSql: sql,
    lanes: [sql],
    list: inTurn,
    listFurther: inTurn,
    once: createOnce(sql),
    payees: () => terms(),
    profiles: { of: () => noProfile },
    references: invoiceReferences,
    jobs: { wake() {}, add: async () => true },
    live: { changed() {}, missed() {} },
    metrics: { batches: (_, flush) => flush },
    log: { warn() {} },
    fxOf: async () => ({ rates: {}, source: 'none', asOf: '2026-05-01' }),
    taxTable: builtIn,
    processId: Bun.randomUUIDv7(),
    now: () => new Date(Date.now() + aheadMs),
    steadyMs: () => performance.now(),
    newId: () => Bun.randomUUIDv7(),
  })
}
