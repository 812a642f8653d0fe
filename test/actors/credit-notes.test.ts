import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createIssuing } from '../../src/actors/credit-notes/issuing.ts'
import type { DomainError } from '../../src/domain/error.ts'
import { loadMany } from '../../src/storage/invoices/invoices.ts'
import { type TestDatabase, testDatabase } from '../support/postgres.ts'
import { storedInvoice } from '../support/stored-invoice.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(() => db.drop())

/** As in a process of its own: only PostgreSQL stands between them. */
function issuer() {
  return createIssuing({
    sql: db.sql,
    invoices: { forget() {} },
    jobs: { wake() {}, add: async () => true },
    feeBasisPoints: 0,
    now: () => new Date(),
    newId: () => Bun.randomUUIDv7(),
    secondNodes: new Map(),
  })
}

test('processes that credit the invoices of one account at once never credit too much, nor leave a number out', async () => {
  const accountId = Bun.randomUUIDv7()
  const invoices = [await storedInvoice(db.sql, accountId), await storedInvoice(db.sql, accountId)]
  const processes = [issuer(), issuer(), issuer(), issuer()]
  const request = { form: 'v1', reason: 'Returned', sellerNumber: null, lines: null } as const
  const outcomes = await Promise.allSettled(
    Array.from({ length: 20 }, (_, n) =>
      processes[n % 4]?.issue(
        accountId,
        invoices[(n >> 2) % 2]?.id ?? '',
        { ...request, amountSource: `${2 + n / 10}` },
        null,
      ),
    ),
  )
  const notes = outcomes.flatMap((one) => (one.status === 'fulfilled' && one.value) || [])
  const refusals = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
  expect(refusals.map((error: DomainError) => error.reason)).toEqual(
    refusals.map(() => 'credit_exceeded'),
  )
  const numbers = notes.map(({ number }) => number ?? 0).sort((a, b) => a - b)
  expect(numbers).toEqual(numbers.map((_, at) => at + 1))
  for (const { id, progress, terms } of await loadMany(
    db.sql,
    invoices.map(({ id }) => id),
  )) {
    const credited = (progress.credits ?? []).reduce((sum, one) => sum + one.totalUnits, 0n)
    const ofNotes = notes
      .filter(({ invoiceId }) => invoiceId === id)
      .reduce((sum, note) => sum + note.terms.totalUnits, 0n)
    expect(credited).toBe(ofNotes)
    expect(credited <= terms.totalUnits).toBe(true)
    expect(terms.totalUnits - credited < 4_000_000n).toBe(true)
  }
})
