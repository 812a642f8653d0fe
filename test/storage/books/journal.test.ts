import { expect, test } from 'bun:test'
import { createBooks } from '../../../src/actors/books.ts'
import type { Row } from '../../../src/domain/books/journal.ts'
import { type Days, daysOfPeriod } from '../../../src/domain/books/period.ts'
import type { Sql } from '../../../src/storage/postgres/db.ts'
import { startWatchStand, type WatchStand, wallet } from '../../queues/watching/stand.ts'
import { faultsOf } from '../../support/journal.ts'
import { rowsRead } from '../../support/rows-read.ts'
import { storedInvoice } from '../../support/stored-invoice.ts'
import { useWorld } from '../../support/world.ts'

const { database } = useWorld({ service: 'none' })
const ever = { from: null, to: null }

/** The journal, and how many entries were in memory at once. */
async function journalOf(accountId: string, days: Days = ever, sql: Sql = database.sql) {
  const read = <T>(_: string, one: (sql: Sql) => Promise<T>) => one(sql)
  const rows: Row[] = []
  let most = 0
  for await (const entries of createBooks({ list: read, listFurther: read }).journal(
    accountId,
    days,
  )) {
    most = Math.max(most, entries.length)
    rows.push(...entries.flatMap((entry) => entry.rows))
  }
  return { rows, most }
}

const count = 3_000

/** Settled invoices, in groups at the same time, each paid a minute before by one transfer. */
async function aHistory(accountId: string): Promise<void> {
  const { id } = await storedInvoice(database.sql, accountId)
  await database.sql`
    insert into invoices (id, account_id, year, is_purchase, number, place, version, state, owed_base, chain, pay_to, due_base, created_at, updated_at,
      settled_at, terms, progress)
    select gen_random_uuid(), account_id, 2026, false, 1 + n, 1 + n, 4, 'settled', null::bigint, chain, pay_to, due_base, created_at, updated_at,
      timestamptz '2026-06-30 12:00Z' + (n / 700) * interval '12 hours', terms, progress
    from invoices, generate_series(1, ${count}) as n where id = ${id}`
  await database.sql`
    insert into transfers (chain, tx_hash, position, block_number, block_hash, block_time, from_address, to_address, usdc_base, state,
      invoice_id, account_id, matched_by, created_at)
    select chain, uuid_send(id), 0, number, '', settled_at - interval '1 minute', '\\xbb', '\\xaa', due_base, 'confirmed',
      id, account_id, 'reference', now()
    from invoices where account_id = ${accountId} and settled_at is not null`
  await database.sql`
    insert into receipts (id, account_id, kind, subject_id, seed, invoice_version, fee_base, hash, issued_at)
    select 'drs_' || id, account_id, 'settlement', id, '', version, 0, '', settled_at
    from invoices where account_id = ${accountId} and settled_at is not null`
}

test('every entry is there once and in order, however many are of the same time, and few are in memory', async () => {
  const accountId = crypto.randomUUID()
  await aHistory(accountId)
  await aHistory(crypto.randomUUID())
  const { rows, most } = await journalOf(accountId)
  expect(faultsOf(rows)).toEqual([])
  const entries = new Set(rows.map(({ entry }) => entry))
  expect([entries.size, rows.length]).toEqual([2 * count, 4 * count])
  expect(most).toBeLessThanOrEqual(2_000)
  const ofSale = [...entries].filter((entry) => entry.startsWith('sale:'))
  expect(ofSale.length).toBe(count)
})

test('a period has what happened in it, and nothing else is read', async () => {
  const accountId = crypto.randomUUID()
  await aHistory(accountId)
  await database.sql`vacuum analyze invoices, transfers, receipts`
  const { rows } = await journalOf(accountId)
  const parts = await Promise.all(
    ['2026-06', '2026-07'].map(async (month) => journalOf(accountId, daysOfPeriod(month) ?? ever)),
  )
  expect(parts.flatMap((part) => part.rows)).toEqual(rows)
  // Groups of 699 and 700 settled at noon and at midnight; the latter were paid the day before.
  const [june] = parts
  const [sales, payments] = ['sale:', 'payment:'].map(
    (kind) => new Set(june?.rows.flatMap(({ entry }) => (entry.startsWith(kind) ? [entry] : []))),
  )
  expect([sales?.size, payments?.size]).toEqual([699, 1_399])
  const readOf = (table: string) =>
    rowsRead(database, table, async (sql) => {
      // Else small tables are read as a whole.
      await sql`set enable_seqscan = off`
      await journalOf(accountId, { from: '2026-06-30', to: '2026-07-01' }, sql)
    })
  // A look by an id counts twice.
  expect(await readOf('invoices')).toBeLessThan(699 + 2 * 1_399 + 20)
  expect(await readOf('receipts')).toBeLessThan(2 * 1_399 + 20)
})

test('an account without entries has an empty journal', async () => {
  expect((await journalOf(crypto.randomUUID())).rows).toEqual([])
})

async function withStand(run: (stand: WatchStand) => Promise<void>): Promise<void> {
  const stand = await startWatchStand()
  try {
    await run(stand)
  } finally {
    await stand.stop()
  }
}

test('part payments, what is not final yet, and a reorganisation', () =>
  withStand(async (stand) => {
    const { sql } = stand.database
    const watch = stand.watcher({ confirmations: 2 })
    const invoice = await stand.openInvoice()
    await watch.step()
    const entriesNow = async () => {
      const { rows } = await journalOf(invoice.accountId, ever, sql)
      expect(faultsOf(rows)).toEqual([])
      const entries = new Set(rows.map(({ entry }) => entry.split(':')[0]))
      const amounts = rows.map(({ debit }) => debit).filter((debit) => debit !== null)
      return [[...entries].sort(), amounts.sort()]
    }
    const { reference } = invoice.terms
    await stand.mined(await stand.sign({ from: 1, reference, usdcBase: 2_500_000n }))
    await watch.step()
    expect(await entriesNow()).toEqual([[], []])
    await stand.node.mine(1)
    await watch.step()
    expect(await entriesNow()).toEqual([['payment'], ['2.50']])
    await stand.mined(await stand.sign({ from: 2, to: wallet, reference, usdcBase: 10_000_000n }))
    await stand.node.mine(1)
    await watch.step()
    expect(await entriesNow()).toEqual([
      ['payment', 'sale'],
      ['10.00', '12.50', '2.50'],
    ])
    // The blocks of the second payment and after it are replaced by empty ones.
    await stand.node.reorg(2)
    await watch.step()
    expect(await entriesNow()).toEqual([['payment'], ['2.50']])
  }))
