import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { decide } from '../../../src/domain/invoices/decide.ts'
import { evolve } from '../../../src/domain/invoices/evolve.ts'
import type * as Invoice from '../../../src/domain/invoices/invoice.ts'
import type { Terms } from '../../../src/domain/invoices/terms.ts'
import { candidateOf, type Incoming } from '../../../src/domain/settlement/candidate.ts'
import { match } from '../../../src/domain/settlement/matching.ts'
import { insertAll, loadMany, updateAll } from '../../../src/storage/invoices/invoices.ts'
import { connect, type Sql } from '../../../src/storage/postgres/db.ts'
import { candidateQueryOf, candidates } from '../../../src/storage/settlement/candidates.ts'
import { type TestDatabase, testDatabase } from '../../support/postgres.ts'
import { newInvoice } from '../../support/stored-invoice.ts'

const [ours, theirs] = [
  '0190a000-0000-7000-8000-000000000001',
  '0190a000-0000-7000-8000-000000000002',
]
const [wallet, elsewhere, payer] = ['0xaa', '0xbb', '0xcc'].map((end) => end.padEnd(42, '0'))
const dueUsdcBase = 10_000_000n
const hourMs = 3_600_000
const dayMs = 24 * hourMs
const nowMs = Math.floor(Date.now() / 1_000) * 1_000
/** More of each kind than anybody who reads them all could hide. */
const many = 300

let database: TestDatabase
let sql: Sql

beforeAll(async () => {
  database = await testDatabase()
  // One connection: it knows what its own statements have read.
  sql = connect(database.url, { max: 1, name: 'candidates test' })
})

afterAll(async () => {
  await sql.end({ timeout: 1 })
  await database.drop()
})

/** Invoices over the amount, a second apart, the newest of them made `ageMs` ago. */
async function made(accountId: string, over: Partial<Terms>, ageMs: number, count = many) {
  const invoices = Array.from({ length: count }, (_, n) =>
    newInvoice(accountId, { payTo: wallet ?? '', dueUsdcBase, ...over }, at(ageMs + n * 1_000)),
  )
  await insertAll(
    sql,
    invoices.map((invoice) => ({ invoice, idempotency: null })),
  )
  return invoices
}

function at(ageMs: number): Date {
  return new Date(nowMs - ageMs)
}

async function expire(invoices: readonly Invoice.Invoice[]): Promise<void> {
  const changes = invoices.map((before) => {
    const now = new Date(before.terms.dueAt ?? 0)
    const after = evolve(before, decide(before, { kind: 'expire' }, now), now)
    return { before, after: after as Invoice.Invoice, entries: [] }
  })
  await updateAll(sql, changes)
}

const hours = (from: number, to: number) => fc.integer({ min: from, max: to })
const account = fc.constantFrom(ours as string, theirs as string)
const wallets = fc.constantFrom(payer as string, '0xdd'.padEnd(42, '0'))
/** Invoices and payments of one amount; times in hours before now. */
const story = fc.record({
  owed: fc.array(
    fc.record({
      accountId: fc.oneof({ weight: 4, arbitrary: fc.constant(ours as string) }, account),
      payer: fc.option(wallets),
      dueAgo: fc.oneof(hours(-4, 6), hours(716, 728)),
      lastedFor: hours(1, 20),
      hasExpired: fc.integer({ min: 0, max: 3 }).map((n) => n > 0),
    }),
    { minLength: 1, maxLength: 15 },
  ),
  paid: fc.array(fc.record({ from: wallets, ago: hours(0, 4) }), { minLength: 1, maxLength: 4 }),
})

/** How many rows of `invoices` this connection has read so far. */
async function rowsRead(): Promise<number> {
  await sql`select pg_stat_force_next_flush()`
  const [row] = await sql<{ read: bigint }[]>`
    select seq_tup_read + idx_tup_fetch as read from pg_stat_user_tables where relname = 'invoices'`
  return Number(row?.read)
}

describe('what a transfer could pay is found', () => {
  let own: Invoice.Invoice

  beforeAll(async () => {
    for (const terms of [{ payTo: elsewhere ?? '' }, { chain: 'polygon' } as const])
      for (const named of [null, payer ?? null])
        await made(theirs, { ...terms, payer: named }, dayMs)
    for (const named of [null, payer ?? null]) {
      const dueAt = at(50 * dayMs).toISOString()
      await expire(await made(ours, { payer: named, dueAt }, 60 * dayMs))
    }
    own = (await made(ours, {}, hourMs, 1))[0] as Invoice.Invoice
    for (const named of [null, payer ?? null]) await made(ours, { payer: named }, 1_000)
    await sql`analyze invoices`
  })

  test('without a look at what is paid elsewhere, has long expired or is newer, however much that is', async () => {
    const before = await rowsRead()
    const found = await candidates(sql, 'base', {
      named: [],
      addresses: [wallet ?? ''],
      txHashes: ['0x01'],
      amounts: [
        {
          to: wallet ?? '',
          usdcBase: dueUsdcBase,
          transfers: [{ from: payer ?? '', blockTimeMs: nowMs }],
        },
      ],
    })
    const read = (await rowsRead()) - before
    expect(found.map(({ invoice }) => invoice.id)).toContain(own.id)
    expect(new Set(found.map(({ invoice }) => invoice.accountId))).toEqual(new Set([ours]))
    expect(found.length).toBeLessThan(5)
    expect(read).toBeLessThan(50)
  })
})

test('what has expired since is read once for all transfers where it is less than they are', async () => {
  const usdcBase = 22_000_000n
  const dueAt = at(0).toISOString()
  const expiredSince = await made(ours, { dueUsdcBase: usdcBase, dueAt }, hourMs, 50)
  await expire(expiredSince)
  const paid = Array.from({ length: 200 }, (_, n): Incoming => {
    const sent = { from: payer ?? '', to: wallet ?? '', usdcBase, blockTimeMs: nowMs - n * 1_000 }
    return { key: `${n}`, txHash: `0x${n}`, ...sent, namedInvoiceIds: [] }
  })
  const before = await rowsRead()
  const found = await candidates(sql, 'base', candidateQueryOf(paid))
  expect((await rowsRead()) - before).toBeLessThan(1_000)
  const ids = (invoices: readonly Invoice.Invoice[]) => invoices.map(({ id }) => id).toSorted()
  expect(ids(found.map(({ invoice }) => invoice))).toEqual(ids(expiredSince))
})

test('what is overdue and has yet to expire hides nothing that is open, however much that is', async () => {
  const usdcBase = 20_000_000n
  const overdue = { dueUsdcBase: usdcBase, dueAt: at(hourMs).toISOString() }
  for (const named of [null, payer ?? null]) await made(ours, { ...overdue, payer: named }, dayMs)
  const [open] = await made(ours, { dueUsdcBase: usdcBase }, hourMs, 1)
  const paid = { from: payer ?? '', to: wallet ?? '', usdcBase, blockTimeMs: nowMs }
  const transfer = { ...paid, key: 'first', txHash: '0x02', namedInvoiceIds: [] }
  const found = await candidates(sql, 'base', candidateQueryOf([transfer]))
  expect(found.map(({ invoice }) => invoice.id)).toContain(open?.id as string)
})

test('as many that have yet to expire are found as there are transfers, whatever else was paid', async () => {
  const usdcBase = 21_000_000n
  const owed = Array.from({ length: 30 }, (_, n) =>
    newInvoice(
      ours,
      { payTo: wallet ?? '', dueUsdcBase: usdcBase, dueAt: at((31 - n) * 1_000).toISOString() },
      at(hourMs - n * 1_000),
    ),
  )
  await insertAll(
    sql,
    owed.map((invoice) => ({ invoice, idempotency: null })),
  )
  const paid = (base: bigint, ageMs: number, key: string): Incoming => {
    const sent = { from: payer ?? '', to: wallet ?? '', usdcBase: base, blockTimeMs: nowMs - ageMs }
    return { key, txHash: key, ...sent, namedInvoiceIds: [] }
  }
  const found = await candidates(
    sql,
    'base',
    candidateQueryOf([
      ...owed.map((_, n) => paid(usdcBase, (32 - n) * 1_000, `paid ${n}`)),
      // The last of the batch is after all of them were due.
      paid(usdcBase, 0, 'last'),
      ...Array.from({ length: 2_500 }, (_, n) => paid(BigInt(30_000_000 + n), n * 1_000, `${n}`)),
    ]),
  )
  const ids = found.map(({ invoice }) => invoice.id)
  expect(ids.toSorted()).toEqual(owed.map(({ id }) => id).toSorted())
})

test('the rules decide by what is found as they would by all invoices', async () => {
  const stories = fc.sample(story, { seed: 1, numRuns: 200 }).map(({ owed, paid }, n) => {
    const usdcBase = BigInt(n + 1)
    const invoices = owed.map(({ accountId, dueAgo, lastedFor, ...over }) => {
      const dueAt = at(dueAgo * hourMs).toISOString()
      const terms = { payTo: wallet ?? '', dueUsdcBase: usdcBase, payer: over.payer, dueAt }
      return newInvoice(accountId, terms, at((dueAgo + lastedFor) * hourMs))
    })
    const transfers = paid
      .toSorted((a, b) => b.ago - a.ago)
      .map(({ from, ago }, index): Incoming => {
        const sent = { from, to: wallet ?? '', usdcBase, blockTimeMs: nowMs - ago * hourMs }
        return { key: `${index}`, txHash: `0x${n}`, ...sent, namedInvoiceIds: [] }
      })
    return { invoices, transfers, expired: invoices.filter((_, index) => owed[index]?.hasExpired) }
  })
  const all = stories.flatMap(({ invoices }) => invoices)
  await insertAll(
    sql,
    all.map((invoice) => ({ invoice, idempotency: null })),
  )
  await expire(stories.flatMap(({ expired }) => expired))
  for (const { invoices, transfers } of stories) {
    const found = await candidates(sql, 'base', candidateQueryOf(transfers))
    const known = await loadMany(
      sql,
      invoices.map(({ id }) => id),
    )
    const byAll = match(
      'base',
      transfers,
      known.map((invoice) => candidateOf(invoice)),
    )
    const byFound = found.map(({ invoice }) => candidateOf(invoice))
    expect(match('base', transfers, byFound)).toEqual([...byAll])
  }
})
