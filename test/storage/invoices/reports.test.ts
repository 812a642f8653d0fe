import { beforeEach, describe, expect, test } from 'bun:test'
import { type Command, decide } from '../../../src/domain/invoices/decide.ts'
import { evolve } from '../../../src/domain/invoices/evolve.ts'
import type * as Invoice from '../../../src/domain/invoices/invoice.ts'
import type { Terms } from '../../../src/domain/invoices/terms.ts'
import { loadMany, updateAll } from '../../../src/storage/invoices/invoices.ts'
import { settledDays, taxTotals, underWay } from '../../../src/storage/invoices/reports.ts'
import { payment } from '../../support/invoice.ts'
import { rowsRead } from '../../support/rows-read.ts'
import { storedInvoice } from '../../support/stored-invoice.ts'
import { useWorld } from '../../support/world.ts'

const { database: db } = useWorld({ service: 'none' })
let accountId: string

beforeEach(() => {
  accountId = Bun.randomUUIDv7()
})

const german = { countryCode: 'DE', rateBasisPoints: 1_900, taxUnits: 2_375_000n }
const line = {
  currency: 'USDC',
  scale: 6,
  countryCode: 'DE',
  rateBasisPoints: 1_900,
  isPurchase: false,
}

async function created(over: Partial<Terms> = {}, account = accountId): Promise<string> {
  return (await storedInvoice(db.sql, account, over)).id
}

/** Applies a command to each invoice and commits all changes in one statement. */
async function tell(ids: readonly string[], command: Command): Promise<void> {
  const now = new Date()
  const changes = (await loadMany(db.sql, ids)).map((before) => ({
    before,
    after: evolve(before, decide(before, command, now), now) as Invoice.Invoice,
    entries: [],
  }))
  expect(await updateAll(db.sql, changes)).not.toContain(false)
}

const credit = { kind: 'credit', payment: payment({ usdcBase: 14_875_000n }) } as const
const confirm = {
  kind: 'confirm',
  key: payment().key,
  blockNumber: 7,
  from: payment().from,
  confirmations: 5,
  settlementId: Bun.randomUUIDv7(),
  receiptId: 'drs_1',
} as const

async function settle(...ids: readonly string[]): Promise<void> {
  await tell(ids, credit)
  await tell(ids, confirm)
}

describe('counted', () => {
  test('an invoice from the commit that settles it, once, and no second time when it completes', async () => {
    const id = await created({ tax: german })
    await tell([id], credit)
    expect(await taxTotals(db.sql, accountId)).toEqual([])
    await tell([id], confirm)
    const once = [{ ...line, invoiceCount: 1, subtotalUnits: 12_500_000n, taxUnits: 2_375_000n }]
    expect(await taxTotals(db.sql, accountId)).toEqual(once)
    await tell([id], { kind: 'receipt_anchored', receiptId: 'drs_1' })
    expect(await taxTotals(db.sql, accountId)).toEqual(once)
  })

  test('invoices settled in one statement, each on the line of its currency, country, rate and scale', async () => {
    const lines = [
      { tax: german },
      { tax: german },
      { tax: { ...german, rateBasisPoints: 1_600, taxUnits: 1n } },
      {},
      { currency: 'EUR', scale: 2, subtotalUnits: 1_250n },
      { currency: 'EUR', scale: 6 },
    ]
    await settle(...(await Promise.all(lines.map((over) => created(over)))))
    const found = await taxTotals(db.sql, accountId)
    const written = found.map(
      (total) =>
        `${total.currency}/${total.scale} ${total.countryCode} ${total.rateBasisPoints}: ${total.invoiceCount} ${total.subtotalUnits} ${total.taxUnits}`,
    )
    expect(written.sort()).toEqual([
      'EUR/2 null 0: 1 1250 0',
      'EUR/6 null 0: 1 12500000 0',
      'USDC/6 DE 1600: 1 12500000 1',
      'USDC/6 DE 1900: 2 25000000 4750000',
      'USDC/6 null 0: 1 12500000 0',
    ])
  })

  test('sums larger than 64 bits, exactly', async () => {
    const subtotalUnits = 2n ** 53n - 1n
    const ids = await Promise.all([1, 2, 3].map(() => created({ subtotalUnits })))
    await settle(...ids)
    await db.sql`update tax_totals set subtotal_units = subtotal_units + ${'100000000000000000000'}::numeric where account_id = ${accountId}`
    const [total] = await taxTotals(db.sql, accountId)
    expect(total?.subtotalUnits).toBe(3n * subtotalUnits + 10n ** 20n)
  })

  test('all of them, when statements of several connections settle at once in different orders', async () => {
    const countries = ['DE', 'FR', 'IT', 'ES']
    const taxed = (countryCode: string) => created({ tax: { ...german, countryCode } })
    const groups = await Promise.all(
      Array.from({ length: 6 }, (_, n) => {
        const order = n % 2 === 0 ? countries : countries.toReversed()
        return Promise.all(order.map(taxed))
      }),
    )
    await Promise.all(groups.map((ids) => settle(...ids)))
    const counts = (await taxTotals(db.sql, accountId)).map(({ invoiceCount }) => invoiceCount)
    expect(counts).toEqual([6, 6, 6, 6])
  })
})

test('what is bought is apart from what is earned, in the totals, by day and while it is confirmed', async () => {
  const purchase = { isPurchase: true, tax: german } as const
  const [sold, bought] = [await created({ tax: german }), await created(purchase)]
  await tell([sold, bought], credit)
  expect((await underWay(db.sql, accountId)).confirming.invoiceCount).toBe(1)
  await tell([sold, bought], confirm)
  const figures = { invoiceCount: 1, subtotalUnits: 12_500_000n, taxUnits: 2_375_000n }
  const totals = await taxTotals(db.sql, accountId)
  expect(totals.toSorted((a, b) => Number(a.isPurchase) - Number(b.isPurchase))).toEqual([
    { ...line, ...figures },
    { ...line, ...figures, isPurchase: true },
  ])
  const days = async () =>
    (await settledDays(db.sql, accountId, '2020-01-01')).map(({ invoiceCount }) => invoiceCount)
  expect(await days()).toEqual([1])
  await tell([bought], { kind: 'revert', key: payment().key })
  expect([await taxTotals(db.sql, accountId), await days()]).toEqual([
    [{ ...line, ...figures }],
    [1],
  ])
})

describe('not counted', () => {
  test('an invoice whose settlement a reorganisation took back, until it settles again', async () => {
    const id = await created({ tax: german })
    await settle(id)
    await tell([id], { kind: 'revert', key: payment().key })
    expect(await taxTotals(db.sql, accountId)).toEqual([])
    await settle(id)
    expect(await taxTotals(db.sql, accountId)).toMatchObject([{ ...line, invoiceCount: 1 }])
  })

  test('open and failed invoices, and those of another account', async () => {
    await created()
    await tell([await created()], { kind: 'void' })
    await settle(await created({}, Bun.randomUUIDv7()))
    expect(await taxTotals(db.sql, accountId)).toEqual([])
  })
})

describe('the days on which invoices settled', () => {
  const today = () => new Date().toISOString().slice(0, 10)
  const days = async () =>
    (await settledDays(db.sql, accountId, '2020-01-01')).map(({ invoiceCount, usdcBase }) => [
      invoiceCount,
      usdcBase,
    ])

  test('what is due on them counts from the commit that settles, and no second time when they complete', async () => {
    const ids = [await created(), await created()]
    await tell(ids, credit)
    expect(await days()).toEqual([])
    const before = today()
    await tell(ids, confirm)
    const [found] = await settledDays(db.sql, accountId, '2020-01-01')
    expect([before, today()]).toContain(found?.day ?? '')
    await tell(ids, { kind: 'receipt_anchored', receiptId: 'drs_1' })
    expect(await days()).toEqual([[2, 25_000_000n]])
  })

  test('what a reorganisation took back is gone from the day it had settled on', async () => {
    const ids = [await created(), await created()]
    await settle(...ids)
    await db.sql`update invoices set progress = regexp_replace(progress, '"settledAt":"[^"]*"', '"settledAt":"2026-01-31T23:59:59.999Z"')
      where account_id = ${accountId}`
    await tell(ids.slice(1), { kind: 'revert', key: payment().key })
    expect(await settledDays(db.sql, accountId, '2020-01-01')).toEqual([
      { day: '2026-01-31', invoiceCount: 1, usdcBase: 12_500_000n },
    ])
    expect(await settledDays(db.sql, accountId, '2026-02-01')).toEqual([])
  })

  test('all of them, when several connections settle at once', async () => {
    const groups = await Promise.all(
      Array.from({ length: 6 }, () => Promise.all([created(), created()])),
    )
    await Promise.all(groups.map((ids) => settle(...ids)))
    expect(await days()).toEqual([[12, 12n * 12_500_000n]])
  })
})

test('open is what is left to pay: of a draft or sent invoice all but what has arrived, nothing of a void, paid or bought one or of another account; confirming is what is paid', async () => {
  const ids = await Promise.all(Array.from({ length: 5 }, () => created()))
  await created({}, Bun.randomUUIDv7())
  await created({ isPurchase: true })
  const [sent, void_, draftInPart, sentInPart] = ids as [string, string, string, string]
  await tell([sent, sentInPart], { kind: 'send' })
  await tell([void_], { kind: 'void' })
  const part = (key: string, usdcBase: bigint) =>
    ({ kind: 'credit', payment: payment({ key, usdcBase }) }) as const
  await tell([draftInPart, sentInPart], part('base:0x01:0', 1n))
  await tell([sentInPart], part('base:0x02:0', 12_000_000n))
  const expired = await created({ dueAt: '2026-05-01T00:00:00.000Z' })
  await tell([expired], part('base:0x01:0', 1n))
  await tell([expired], { kind: 'expire' })
  const confirming = await Promise.all([created(), created()])
  await tell(confirming, credit)
  await settle(await created())
  expect(await underWay(db.sql, accountId)).toEqual({
    open: { invoiceCount: 4, usdcBase: 4n * 12_500_000n - 12_000_002n },
    confirming: { invoiceCount: 2, usdcBase: 2n * 12_500_000n },
  })
  await tell([draftInPart, sentInPart], { kind: 'revert', key: 'base:0x01:0' })
  expect((await underWay(db.sql, accountId)).open.usdcBase).toBe(4n * 12_500_000n - 12_000_000n)
  expect(await underWay(db.sql, Bun.randomUUIDv7())).toEqual({
    open: { invoiceCount: 0, usdcBase: 0n },
    confirming: { invoiceCount: 0, usdcBase: 0n },
  })
})

test('what is under way is found without a look at what is settled, failed or expired, however much that is', async () => {
  await created()
  await tell([await created()], credit)
  await db.sql`
    insert into invoices (id, account_id, year, number, version, state, payable, chain, pay_to, due_base, created_at, updated_at,
      terms, progress)
    select gen_random_uuid(), ${accountId}, 2025, n, 4, case n % 5 when 0 then 'failed' else 'completed' end, n % 10 = 0, 'base',
      '0xaa', 1, now(), now(), '', '' from generate_series(1, 5000) as n`
  await db.sql`vacuum analyze invoices`
  const read = await rowsRead(db, 'invoices', async (sql) => {
    expect(await underWay(sql, accountId)).toEqual({
      open: { invoiceCount: 1, usdcBase: 12_500_000n },
      confirming: { invoiceCount: 1, usdcBase: 12_500_000n },
    })
  })
  expect(read).toBeLessThan(50)
})

test('what a large account has under way is found without a look at the rest, also when asked for again and again beside many small accounts', async () => {
  await db.sql`
    insert into invoices (id, account_id, year, number, version, state, payable, chain, pay_to, due_base, created_at, updated_at,
      terms, progress)
    select gen_random_uuid(), ${accountId}, 2024, n, 4, 'completed', false, 'base', '0xaa', 1, now(), now(), '', ''
    from generate_series(1, 20000) as n
    union all
    select gen_random_uuid(), ('0190b000-0000-7000-8000-' || lpad((n / 5)::text, 12, '0'))::uuid, 2024, n % 5, 4, 'failed', true, 'base',
      '0xaa', n, now(), now(), '', '' from generate_series(1, 5000) as n`
  await db.sql`vacuum analyze invoices`
  const read = await rowsRead(db, 'invoices', async (sql) => {
    for (let time = 0; time < 10; time++) await underWay(sql, accountId)
  })
  expect(read).toBeLessThan(2_000)
})
