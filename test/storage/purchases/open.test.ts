import { beforeEach, describe, expect, test } from 'bun:test'
import type { InvoiceChain } from '../../../src/domain/network.ts'
import { decide } from '../../../src/domain/purchases/decide.ts'
import { evolve } from '../../../src/domain/purchases/evolve.ts'
import type { Purchase } from '../../../src/domain/purchases/purchase.ts'
import type { Sql } from '../../../src/storage/postgres/db.ts'
import { bringForward, nextOpen, settledSince } from '../../../src/storage/purchases/open.ts'
import { load } from '../../../src/storage/purchases/purchases.ts'
import { loadCursor, startCursor } from '../../../src/storage/settlement/cursors.ts'
import { commitStep } from '../../../src/storage/settlement/settlements.ts'
import { passTimeOfPurchases, purchasesAsStored, type Some } from '../../support/purchases.ts'
import { useWorld } from '../../support/world.ts'

const other = Bun.randomUUIDv7()
const minuteMs = 60_000
const { database } = useWorld({ service: 'none' })

beforeEach(async () => {
  await database.sql`truncate purchases`
})

const purchases = (some: Some) => purchasesAsStored(database.sql, some)
const passTime = (ms: number) => passTimeOfPurchases(database.sql, ms)

async function lookedAt(limit: number, chain: InvoiceChain = 'base', looked: string[] = []) {
  const due = await nextOpen(database.sql, chain, limit, looked)
  return due.map(({ invoiceId }) => invoiceId)
}

/** What this connection has read of the table: how often the whole, and how many rows. */
async function readBy(sql: Sql) {
  const [read] = await sql<{ scans: number; rows: number }[]>`
    select seq_scan::int as scans, seq_tup_read::int + idx_tup_fetch::int as rows
    from pg_stat_xact_user_tables where relname = 'purchases'`
  if (!read) throw new Error('there are no statistics')
  return read
}

/** Expects that `read` finds these purchases without reading the table, and few rows of it. */
async function expectFewRead(
  ids: readonly string[],
  most: number,
  read: (sql: Sql) => Promise<readonly Purchase[]>,
): Promise<void> {
  await database.sql`analyze purchases`
  await database.sql.begin(async (tx) => {
    const sql = tx as unknown as Sql
    const before = await readBy(sql)
    const found = await read(sql)
    expect(found.map(({ invoiceId }) => invoiceId)).toEqual([...ids])
    const after = await readBy(sql)
    expect(after.scans - before.scans).toBe(0)
    expect(after.rows - before.rows).toBeLessThan(most)
  })
}

describe('open purchases are looked at in turn', () => {
  test('so that a purchase is among the next whatever number of another account’s was there before', async () => {
    await purchases({ count: 2_000, ageMs: 2 * minuteMs })
    const [one = ''] = await purchases({ accountId: other })
    const looked = await lookedAt(20)
    expect(looked).toContain(one)
    expect(looked).toHaveLength(20)
  })

  test('one that was looked at comes after those that were not', async () => {
    const ids = await purchases({ count: 50, ageMs: 60 * minuteMs })
    const looked = [...(await lookedAt(20)), ...(await lookedAt(20)), ...(await lookedAt(20))]
    expect(looked.toSorted()).toEqual(ids.toSorted())
  })

  test('the older a payment is the less often it is looked for', async () => {
    const hourMs = 60 * minuteMs
    const [one = ''] = await purchases({ ageMs: 8 * hourMs })
    expect(await lookedAt(20)).toEqual([one])
    await passTime(hourMs - minuteMs)
    expect(await lookedAt(20)).toEqual([])
    await passTime(2 * minuteMs)
    expect(await lookedAt(20)).toEqual([one])
  })

  test('a payment that was forwarded just now is looked for every moment', async () => {
    const [one = ''] = await purchases({ ageMs: 0 })
    expect(await lookedAt(20)).toEqual([one])
    await passTime(125)
    expect(await lookedAt(20)).toEqual([one])
  })

  test('one whose transfer the chain shows is looked at every time, until it settles', async () => {
    const [one = ''] = await purchases({ state: 'paid', knownBy: 'transaction', ageMs: minuteMs })
    await database.sql`update purchases set position = 1`
    for (let look = 1; look <= 3; look++) expect(await lookedAt(20)).toEqual([one])
  })

  test('those named as looked at are left out', async () => {
    const [one = '', two = ''] = await purchases({ count: 2 })
    expect(await lookedAt(20, 'base', [one])).toEqual([two])
  })

  test('one that a wrong clock has put off can be brought forward, and is then due as its age says', async () => {
    const { sql } = database
    const [one = ''] = await purchases({ ageMs: 8 * minuteMs })
    await sql`update purchases set updated_at = now() + interval '1 hour'`
    expect(await bringForward(sql)).toBe(1)
    expect(await bringForward(sql)).toBe(0)
    expect(await lookedAt(20)).toEqual([one])
    expect(await bringForward(sql)).toBe(0)
    expect(await lookedAt(20)).toEqual([])
    await passTime(2 * minuteMs)
    expect(await lookedAt(20)).toEqual([one])
  })

  test('none that is due later, or no more, is brought forward', async () => {
    const { sql } = database
    await purchases({ ageMs: 120 * minuteMs })
    await sql`update purchases set updated_at = now() + interval '15 minutes'`
    await purchases({ ageMs: 120 * minuteMs })
    await purchases({ state: 'quoted' })
    const [settled = ''] = await purchases({ state: 'settled' })
    await sql`update purchases set updated_at = now() + interval '1 hour' where invoice_id = ${settled}`
    const [done = ''] = await purchases({ state: 'paid', knownBy: 'nothing' })
    await sql`update purchases set updated_at = 'infinity' where invoice_id = ${done}`
    expect(await bringForward(sql)).toBe(0)
  })

  test.each([
    ['no more', 'infinity'],
    ['later', '10 minutes'],
  ])('however many are due %s, those are not read', async (_, wait) => {
    await purchases({ count: 5_000, state: 'paid', knownBy: 'nothing', ageMs: 120 * minuteMs })
    await database.sql`
      update purchases set updated_at = case when ${wait} = 'infinity' then 'infinity' else now() + interval '10 minutes' end`
    const [one = ''] = await purchases({})
    await expectFewRead([one], 10, (sql) => nextOpen(sql, 'base', 20, []))
  })

  test.each([
    ['accepted', { state: 'paid' }],
    ['perhaps taken', {}],
    ['forwarded by an attempt that died', { state: 'forwarding' }],
  ] as const)(
    'a payment that is %s, and about which the chain cannot be asked, is looked at once',
    async (_, which) => {
      await purchases({ count: 3, knownBy: 'nothing', ageMs: 2 * minuteMs, ...which })
      expect(await lookedAt(20)).toHaveLength(3)
      await passTime(10 * 365 * 24 * 60 * minuteMs)
      expect(await lookedAt(20)).toEqual([])
    },
  )

  test('what was signed on Solana is looked for though its upstream has accepted it and named no transaction', async () => {
    const [one = ''] = await purchases({ chain: 'solana', state: 'paid', knownBy: 'nothing' })
    await database.sql`update purchases set message = 'hash'`
    expect(await lookedAt(20, 'solana')).toEqual([one])
    await passTime(minuteMs)
    expect(await lookedAt(20, 'solana')).toEqual([one])
  })
})

describe('settled purchases', () => {
  const settledIn = 5_000

  /** Commits what a command makes of a purchase, read as it was stored, as the watcher does. */
  async function settle(before: Purchase, blockNumber: number): Promise<boolean> {
    const { sql } = database
    const [chain, now] = ['base' as const, new Date()]
    await startCursor(sql, chain, 1, now)
    const cursor = await loadCursor(sql, chain)
    if (!cursor) throw new Error('there is no cursor')
    const nothing = { inserted: [], updated: [], changes: [], issued: [], revokedReceiptIds: [] }
    const events = decide(before, { kind: 'settle', txHash: '0x02', blockNumber }, before.readAt)
    const changed = [{ before, after: evolve(before, events, before.readAt) }]
    return commitStep(sql, { chain, cursor, next: cursor, now, ...nothing, purchases: changed })
  }

  async function paid(): Promise<Purchase> {
    const [id = ''] = await purchases({ state: 'paid', knownBy: 'transaction' })
    return (await load(database.sql, id)) as Purchase
  }

  async function settled(blockNumber: number): Promise<string> {
    const purchase = await paid()
    expect(await settle(purchase, blockNumber)).toBe(true)
    return purchase.invoiceId
  }

  test('are found by the block of their payment', async () => {
    await settled(settledIn - 1)
    const ids = [await settled(settledIn), await settled(settledIn + 1)]
    const found = await settledSince(database.sql, 'base', settledIn)
    expect(found.map(({ invoiceId }) => invoiceId).toSorted()).toEqual(ids.toSorted())
    expect(found.map(({ settledIn }) => settledIn).toSorted()).toEqual([5_000, 5_001])
  })

  test('are not settled where they have changed since they were read, and neither is anything with them', async () => {
    const purchase = await paid()
    await passTime(minuteMs)
    expect(await settle(purchase, settledIn)).toBe(false)
    expect(await load(database.sql, purchase.invoiceId)).toMatchObject({ state: 'paid' })
  })

  test('of older blocks are not read, however many there are', async () => {
    const id = await settled(settledIn)
    await purchases({ count: 5_000, state: 'settled', knownBy: 'transaction' })
    // Former versions of a row count as well, as long as nothing has cleared them away.
    await expectFewRead([id], 50, (sql) => settledSince(sql, 'base', settledIn))
  })
})
