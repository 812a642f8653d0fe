import { afterEach, beforeEach, expect, test } from 'bun:test'
import { noteWatch } from '../../src/storage/chain-watches.ts'
import { expired, isExpiring } from '../../src/storage/invoices.ts'
import { type TestDatabase, testDatabase } from '../support/postgres.ts'
import { storedInvoice } from '../support/stored-invoice.ts'

/** An invoice on Base that nobody has paid, as far as is known: it was due an hour ago. */

const minuteMs = 60_000
const head = { number: 1, timestampMs: 0 }

let db: TestDatabase
let invoiceId: string
let dueAt: Date

beforeEach(async () => {
  db = await testDatabase()
  dueAt = new Date(Date.now() - 60 * minuteMs)
  const accountId = Bun.randomUUIDv7()
  invoiceId = (await storedInvoice(db.sql, accountId, { dueAt: dueAt.toISOString() })).id
})
afterEach(() => db.drop())

/** Whether it is overdue `afterMs` after its due date, to the sweep and to its own job. */
async function isOverdue(afterMs = 1_000) {
  const at = new Date(dueAt.getTime() + afterMs)
  const found = await expired(db.sql, at, 10)
  expect(await isExpiring(db.sql, invoiceId, at)).toBe(found.includes(invoiceId))
  return found.includes(invoiceId)
}

/** The chain was read to its head so long after the due date. */
async function caughtUp(afterMs: number) {
  await noteWatch(db.sql, 'base', { head, caughtUpAt: new Date(dueAt.getTime() + afterMs) })
}

test('is overdue at once where its chain was never watched, whatever becomes of others', async () => {
  await noteWatch(db.sql, 'polygon', { fault: 'unreachable' })
  expect(await isOverdue()).toBe(true)
  expect(await isOverdue(-1)).toBe(false)
})

test('is overdue once its chain has been read to the head after its due date', async () => {
  await caughtUp(-1)
  expect(await isOverdue()).toBe(false)
  await caughtUp(0)
  expect(await isOverdue()).toBe(true)
})

test('is not overdue while the chain is out of reach, or is being caught up with', async () => {
  await caughtUp(-minuteMs)
  await noteWatch(db.sql, 'base', { fault: 'unreachable' })
  expect(await isOverdue()).toBe(false)
  await noteWatch(db.sql, 'base', { head, caughtUpAt: null })
  expect(await isOverdue()).toBe(false)
})

test('is overdue after ten minutes, though its chain has not been read since', async () => {
  await caughtUp(-minuteMs)
  expect(await isOverdue(10 * minuteMs - 1)).toBe(false)
  expect(await isOverdue(10 * minuteMs)).toBe(true)
})

test('is not overdue before its due date by the database’s clock, though that of the process is hours ahead', async () => {
  await db.sql`update invoices set due_at = now() + interval '1 hour'`
  expect(await isOverdue(5 * 60 * minuteMs)).toBe(false)
})

test('is not overdue by what a watcher has read whose clock is hours ahead', async () => {
  await caughtUp(5 * 60 * minuteMs)
  await db.sql`update invoices set due_at = now()`
  expect(await isOverdue(61 * minuteMs)).toBe(false)
})
