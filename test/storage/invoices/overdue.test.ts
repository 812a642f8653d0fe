import { afterEach, beforeEach, expect, setSystemTime, test } from 'bun:test'
import { findOverdue, overdue } from '../../../src/storage/invoices/invoices.ts'
import { noteWatch } from '../../../src/storage/settlement/chain-watches.ts'
import { type TestDatabase, testDatabase } from '../../support/postgres.ts'
import { storedInvoice } from '../../support/stored-invoice.ts'

/** Invoices on Base that nobody has paid, as far as is known. */

const minuteMs = 60_000
const head = { number: 1, timestampMs: 0 }

let db: TestDatabase

beforeEach(async () => {
  db = await testDatabase()
})
afterEach(async () => {
  setSystemTime()
  await db.drop()
})

/** An invoice that was due so long ago, to PostgreSQL. */
async function dueAgo(agoMs: number): Promise<string> {
  const [at] = await db.sql<[{ due: Date }]>`select now() - ${agoMs} * interval '1 ms' as due`
  const dueAt = at.due.toISOString()
  return (await storedInvoice(db.sql, Bun.randomUUIDv7(), { dueAt })).id
}

/** Whether it is overdue, to the sweep and to its own job. */
async function isOverdue(invoiceId: string): Promise<boolean> {
  const found = (await overdue(db.sql, 10)).map(({ id }) => id)
  const one = await findOverdue(db.sql, invoiceId)
  expect(one !== null).toBe(found.includes(invoiceId))
  return one !== null
}

/** The chain was read to its head so long ago. */
async function caughtUp(agoMs: number) {
  const [at] = await db.sql<[{ read: Date }]>`select now() - ${agoMs} * interval '1 ms' as read`
  await noteWatch(db.sql, 'base', { head, caughtUpAt: at.read })
}

test('is overdue at once where its chain was never watched, whatever becomes of others', async () => {
  await noteWatch(db.sql, 'polygon', { fault: 'unreachable' })
  expect(await isOverdue(await dueAgo(0))).toBe(true)
  expect(await isOverdue(await dueAgo(-minuteMs))).toBe(false)
})

test('is overdue once its chain has been read to the head after its due date', async () => {
  const id = await dueAgo(minuteMs)
  await caughtUp(2 * minuteMs)
  expect(await isOverdue(id)).toBe(false)
  await caughtUp(0)
  expect(await isOverdue(id)).toBe(true)
})

test('is not overdue while the chain is out of reach, or is being caught up with', async () => {
  const id = await dueAgo(minuteMs)
  await caughtUp(2 * minuteMs)
  await noteWatch(db.sql, 'base', { fault: 'unreachable' })
  expect(await isOverdue(id)).toBe(false)
  await noteWatch(db.sql, 'base', { head, caughtUpAt: null })
  expect(await isOverdue(id)).toBe(false)
})

test('is overdue after ten minutes, though its chain has not been read since', async () => {
  await caughtUp(20 * minuteMs)
  expect(await isOverdue(await dueAgo(9 * minuteMs))).toBe(false)
  expect(await isOverdue(await dueAgo(10 * minuteMs))).toBe(true)
})

test.each(['ahead', 'behind'])(
  'is found by PostgreSQL’s clock, and with its time, where this process’s is an hour %s',
  async (where) => {
    const [due, open] = [await dueAgo(0), await dueAgo(-minuteMs)]
    setSystemTime(new Date(Date.now() + (where === 'ahead' ? 60 : -60) * minuteMs))
    expect(await isOverdue(open)).toBe(false)
    const found = await findOverdue(db.sql, due)
    const [row] = await db.sql`
      select ${found?.at ?? null}::timestamptz between due_at and now() as is_then from invoices where id = ${due}`
    expect(row?.is_then).toBe(true)
  },
)
