import { beforeEach, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type Days, daysOfPeriod } from '../../../src/domain/books/period.ts'
import { type Command, decide } from '../../../src/domain/invoices/decide.ts'
import { evolve } from '../../../src/domain/invoices/evolve.ts'
import type * as Invoice from '../../../src/domain/invoices/invoice.ts'
import { breakdownOf, type TaxCategory, type TaxShare } from '../../../src/domain/invoices/lines.ts'
import { summarize } from '../../../src/domain/invoices/tax-summary.ts'
import type { Terms } from '../../../src/domain/invoices/terms.ts'
import { divideHalfUp } from '../../../src/domain/money/money.ts'
import { builtIn } from '../../../src/domain/money/tax-rates.ts'
import { loadMany, updateAll } from '../../../src/storage/invoices/invoices.ts'
import { settledDays, taxTotals, underWay } from '../../../src/storage/invoices/reports.ts'
import { payment } from '../../support/invoice.ts'
import { rowsRead } from '../../support/rows-read.ts'
import { newInvoice, storedInvoice, storeInvoices } from '../../support/stored-invoice.ts'
import { addTotals } from '../../support/totals.ts'
import { useWorld } from '../../support/world.ts'

const { database: db } = useWorld({ service: 'none' })
let accountId: string

beforeEach(() => {
  accountId = Bun.randomUUIDv7()
})

const german = { countryCode: 'DE', rateBasisPoints: 1_900, taxUnits: 2_375_000n }
const line = {
  kind: 'sale',
  currency: 'USDC',
  countryCode: 'DE',
  category: 'standard',
  rateBasisPoints: 1_900,
} as const
const ever = { from: null, to: null }

/** The figures of this many invoices that are taxed alike. */
function figures(count: number, netMinor: bigint, taxMinor: bigint) {
  return { shareCount: count, documentCount: count, netMinor, taxMinor }
}

function totalsOf(days: Days = ever) {
  return taxTotals(db.sql, accountId, days)
}

async function created(over: Partial<Terms> = {}, account = accountId): Promise<string> {
  return (await storedInvoice(db.sql, account, over)).id
}

/** Applies a command to each invoice and commits all changes in one statement. */
async function tell(
  ids: readonly string[],
  command: Command,
  now: Date = new Date(),
): Promise<void> {
  const changes = (await loadMany(db.sql, ids)).map((before) => ({
    before,
    after: evolve(before, decide(before, command, now), now) as Invoice.Invoice,
    entry: { types: 'invoice.sent', data: null },
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
  await settleAt(new Date(), ids)
}

async function settleAt(at: Date, ids: readonly string[]): Promise<void> {
  await tell(ids, credit, at)
  await tell(ids, confirm, at)
}

describe('counted', () => {
  test('an invoice from the commit that settles it, once, and no second time when it completes', async () => {
    const id = await created({ tax: german })
    await tell([id], credit)
    expect(await totalsOf()).toEqual([])
    await tell([id], confirm)
    const once = [{ ...line, ...figures(1, 12_500_000n, 2_375_000n) }]
    expect(await totalsOf()).toEqual(once)
    await tell([id], { kind: 'receipt_anchored', receiptId: 'drs_1' })
    expect(await totalsOf()).toEqual(once)
  })

  test('invoices settled in one statement, each on the line of its currency, country, rate and category', async () => {
    const lines = [
      { tax: german },
      { tax: german },
      { tax: { ...german, rateBasisPoints: 1_600, taxUnits: 1n } },
      {},
      { currency: 'EUR', scale: 2, subtotalUnits: 1_250n },
    ]
    await settle(...(await Promise.all(lines.map((over) => created(over)))))
    const written = (await totalsOf()).map(
      (total) =>
        `${total.currency} ${total.countryCode} ${total.category} ${total.rateBasisPoints}: ${total.documentCount} ${total.netMinor} ${total.taxMinor}`,
    )
    expect(written.sort()).toEqual([
      'EUR null outside_scope 0: 1 1250 0',
      'USDC DE standard 1600: 1 12500000 1',
      'USDC DE standard 1900: 2 25000000 4750000',
      'USDC null outside_scope 0: 1 12500000 0',
    ])
  })

  test('each invoice rounded by itself to the currency’s own decimals, half up', async () => {
    const finer = (subtotalUnits: bigint, taxUnits: bigint) => {
      const units = { currency: 'EUR', scale: 3, minorScale: 2, subtotalUnits }
      return created({ ...units, tax: { ...german, taxUnits } })
    }
    const invoices = [finer(12_345n, 2_345n), finer(12_344n, 2_344n), finer(4n, 1n)]
    await settle(...(await Promise.all(invoices)))
    expect(await totalsOf()).toEqual([
      { ...line, currency: 'EUR', ...figures(3, 1_235n + 1_234n, 235n + 234n) },
    ])
  })

  test('an invoice with several rates on a line for each, and once as an invoice', async () => {
    const share = (category: TaxCategory, rateBasisPoints: number, baseUnits: bigint) => ({
      category,
      rateBasisPoints,
      baseUnits,
      taxUnits: (baseUnits * BigInt(rateBasisPoints)) / 10_000n,
      reason: null,
    })
    const breakdown = [
      share('reduced', 700, 10_000_000n),
      share('standard', 1_900, 2_000_000n),
      share('exempt', 0, 500_000n),
    ]
    const tax = { countryCode: 'DE', rateBasisPoints: null, taxUnits: 1_080_000n, breakdown }
    const id = await created({ tax })
    await settle(id, await created({ tax: german }))
    const shares = (await totalsOf()).toSorted((a, b) => a.rateBasisPoints - b.rateBasisPoints)
    const one = { shareCount: 1, documentCount: 0 }
    expect(shares).toEqual([
      { ...line, category: 'exempt', rateBasisPoints: 0, ...figures(1, 500_000n, 0n), ...one },
      { ...line, category: 'reduced', rateBasisPoints: 700, ...figures(1, 10_000_000n, 700_000n) },
      {
        ...line,
        ...figures(1, 14_500_000n, 2_755_000n),
        shareCount: 2,
      },
    ])
    expect(await settledDays(db.sql, accountId, ever)).toMatchObject([
      { invoiceCount: 2, usdcBase: 25_000_000n },
    ])
    await tell([id], { kind: 'revert', key: payment().key })
    expect(await totalsOf()).toEqual([{ ...line, ...figures(1, 12_500_000n, 2_375_000n) }])
  })

  test('sums larger than 64 bits, exactly', async () => {
    const subtotalUnits = 2n ** 53n - 1n
    const ids = await Promise.all([1, 2, 3].map(() => created({ subtotalUnits })))
    await settle(...ids)
    const country = { country: null, category: 'outside_scope', rateBasisPoints: 0 }
    await addTotals(db.sql, { accountId, currency: 'USDC', ...country, netMinor: 10n ** 20n })
    const [total] = await totalsOf()
    expect(total?.netMinor).toBe(3n * subtotalUnits + 10n ** 20n)
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
    const counts = (await totalsOf()).map(({ documentCount }) => documentCount)
    expect(counts).toEqual([6, 6, 6, 6])
  })
})

test('what is bought is apart from what is earned, in the totals, by day and while it is confirmed', async () => {
  const purchase = { isPurchase: true, tax: german } as const
  const [sold, bought] = [await created({ tax: german }), await created(purchase)]
  await tell([sold, bought], credit)
  expect((await underWay(db.sql, accountId)).confirming.invoiceCount).toBe(1)
  await tell([sold, bought], confirm)
  const once = figures(1, 12_500_000n, 2_375_000n)
  const totals = await totalsOf()
  expect(totals.toSorted((a, b) => (a.kind < b.kind ? 1 : -1))).toEqual([
    { ...line, ...once },
    { ...line, ...once, kind: 'purchase' },
  ])
  const days = async () =>
    (await settledDays(db.sql, accountId, ever)).map(({ invoiceCount }) => invoiceCount)
  expect(await days()).toEqual([1])
  await tell([bought], { kind: 'revert', key: payment().key })
  expect([await totalsOf(), await days()]).toEqual([[{ ...line, ...once }], [1]])
})

describe('not counted', () => {
  test('an invoice whose settlement a reorganisation took back, until it settles again', async () => {
    const id = await created({ tax: german })
    await settle(id)
    await tell([id], { kind: 'revert', key: payment().key })
    expect(await totalsOf()).toEqual([])
    await settle(id)
    expect(await totalsOf()).toMatchObject([{ ...line, documentCount: 1 }])
  })

  test('open and failed invoices, and those of another account', async () => {
    await created()
    await tell([await created()], { kind: 'void' })
    await settle(await created({}, Bun.randomUUIDv7()))
    expect(await totalsOf()).toEqual([])
  })
})

const noCredits = { creditNoteCount: 0, creditedBase: 0n }

describe('the days on which invoices settled', () => {
  const today = () => new Date().toISOString().slice(0, 10)
  const days = async () =>
    (await settledDays(db.sql, accountId, ever)).map(({ invoiceCount, usdcBase }) => [
      invoiceCount,
      usdcBase,
    ])

  test('what is due on them counts from the commit that settles, and no second time when they complete', async () => {
    const ids = [await created(), await created()]
    await tell(ids, credit)
    expect(await days()).toEqual([])
    const before = today()
    await tell(ids, confirm)
    const [found] = await settledDays(db.sql, accountId, ever)
    expect([before, today()]).toContain(found?.day ?? '')
    await tell(ids, { kind: 'receipt_anchored', receiptId: 'drs_1' })
    expect(await days()).toEqual([[2, 25_000_000n]])
  })

  test('what a reorganisation took back is gone from the day it had settled on, to the unit', async () => {
    const ids = [await created({ tax: german }), await created({ tax: german })]
    await settleAt(new Date('2026-01-31T23:59:59.999Z'), ids)
    await settleAt(new Date('2026-02-01T00:00:00.000Z'), [await created({ tax: german })])
    await tell(ids.slice(1), { kind: 'revert', key: payment().key })
    const day = (day: string) => ({ ...noCredits, day, invoiceCount: 1, usdcBase: 12_500_000n })
    expect(await settledDays(db.sql, accountId, ever)).toEqual([
      day('2026-01-31'),
      day('2026-02-01'),
    ])
    const february = { from: '2026-02-01', to: '2026-03-01' }
    expect(await settledDays(db.sql, accountId, february)).toEqual([day('2026-02-01')])
    const once = [{ ...line, ...figures(1, 12_500_000n, 2_375_000n) }]
    expect(await totalsOf({ from: null, to: '2026-02-01' })).toEqual(once)
    expect(await totalsOf(february)).toEqual(once)
    await tell(ids.slice(0, 1), { kind: 'revert', key: payment().key })
    expect(await totalsOf({ from: null, to: '2026-02-01' })).toEqual([])
  })

  test('all of them, when several connections settle at once', async () => {
    const groups = await Promise.all(
      Array.from({ length: 6 }, () => Promise.all([created(), created()])),
    )
    await Promise.all(groups.map((ids) => settle(...ids)))
    expect(await days()).toEqual([[12, 12n * 12_500_000n]])
  })
})

/** What a summary adds up, by currency, category and rate. */
async function sumsOf(period: string) {
  const days = daysOfPeriod(period) ?? ever
  const { invoiceCount, currencies } = summarize(await totalsOf(days), builtIn)
  const lines = currencies.flatMap(({ currency, byCountry }) =>
    byCountry.map(({ countryCode, category, rateBasisPoints, subtotalMinor, taxMinor }) => ({
      line: `${currency} ${countryCode} ${category} ${rateBasisPoints}`,
      subtotalMinor,
      taxMinor,
    })),
  )
  return { invoiceCount, lines }
}

/** The same, added up over several periods. */
async function sumsOver(periods: readonly string[]) {
  const all = await Promise.all(periods.map(sumsOf))
  const lines = [
    ...Map.groupBy(
      all.flatMap((one) => one.lines),
      ({ line }) => line,
    ),
  ].map(([line, parts]) => ({
    line,
    subtotalMinor: parts.reduce((sum, one) => sum + one.subtotalMinor, 0n),
    taxMinor: parts.reduce((sum, one) => sum + one.taxMinor, 0n),
  }))
  return { invoiceCount: all.reduce((sum, one) => sum + one.invoiceCount, 0), lines }
}

const inOrder = ({ invoiceCount, lines }: Awaited<ReturnType<typeof sumsOf>>) => ({
  invoiceCount,
  lines: lines.toSorted((a, b) => (a.line < b.line ? -1 : 1)),
})

test('months add up to the quarter and days to the month, to the unit, and all to what the documents say', async () => {
  const wishes = fc.sample(wishesOfInvoices, { numRuns: 120, seed: 20_261_124 })
  const made = wishes.map(({ at, ...over }) => ({ at, invoice: newInvoice(accountId, over) }))
  await storeInvoices(
    db.sql,
    made.map(({ invoice }) => invoice),
  )
  for (const [time, together] of Map.groupBy(made, ({ at }) => at.getTime())) {
    const ids = together.map(({ invoice }) => invoice.id)
    await settleAt(new Date(time), ids)
  }
  // A reorganisation takes some back, and some of these settle again.
  const lost = made.filter((_, at) => at % 5 === 0).map(({ invoice }) => invoice.id)
  await tell(lost, { kind: 'revert', key: payment().key })
  const again = lost.filter((_, at) => at % 2 === 0)
  await settleAt(new Date('2026-09-30T23:59:59.999Z'), again)
  const days = Array.from({ length: 31 }, (_, at) => `2026-08-${`${at + 1}`.padStart(2, '0')}`)
  const ofDays = days.map(async (day) => {
    const next = new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10)
    return totalsOf({ from: day, to: next })
  })
  const august = inOrder(await sumsOf('2026-08'))
  const byDay = summarize((await Promise.all(ofDays)).flat(), builtIn)
  expect(byDay.invoiceCount).toBe(august.invoiceCount)
  for (const { currency, subtotalMinor, taxMinor } of byDay.currencies) {
    const lines = august.lines.filter(({ line }) => line.startsWith(currency))
    expect(lines.reduce((sum, one) => sum + one.subtotalMinor, 0n)).toBe(subtotalMinor)
    expect(lines.reduce((sum, one) => sum + one.taxMinor, 0n)).toBe(taxMinor)
  }
  const quarter = inOrder(await sumsOf('2026-Q3'))
  expect(inOrder(await sumsOver(['2026-07', '2026-08', '2026-09']))).toEqual(quarter)
  const quarters = ['2026-Q1', '2026-Q2', '2026-Q3', '2026-Q4']
  const year = inOrder(await sumsOf('2026'))
  expect(inOrder(await sumsOver(quarters))).toEqual(year)
  expect(inOrder(await sumsOf(''))).toEqual(year)
  // Each document rounded by itself.
  const counted = made.filter(
    ({ invoice }) => !lost.includes(invoice.id) || again.includes(invoice.id),
  )
  expect(year.invoiceCount).toBe(counted.length)
  const sum = (read: (share: TaxShare) => bigint) =>
    counted.reduce((total, { invoice: { terms } }) => {
      const unit = 10n ** BigInt(terms.scale - (terms.minorScale ?? terms.scale))
      const shares = breakdownOf(terms).map((share) => divideHalfUp(read(share), unit))
      return shares.reduce((a, b) => a + b, total)
    }, 0n)
  const of = (name: 'subtotalMinor' | 'taxMinor') =>
    year.lines.reduce((total, one) => total + one[name], 0n)
  expect(of('subtotalMinor')).toBe(sum(({ baseUnits }) => baseUnits))
  expect(of('taxMinor')).toBe(sum(({ taxUnits }) => taxUnits))
})

const share = fc.record({
  category: fc.constantFrom<TaxCategory>('standard', 'reduced', 'zero', 'exempt'),
  rateBasisPoints: fc.constantFrom(0, 700, 1_900),
  baseUnits: fc.bigInt({ min: 0n, max: 10n ** 12n }),
  taxUnits: fc.bigInt({ min: 0n, max: 10n ** 11n }),
  reason: fc.constant(null),
})

/** Terms, and when they settle. */
const wishesOfInvoices = fc
  .record({
    unit: fc.constantFrom(
      { currency: 'EUR', scale: 2 },
      { currency: 'EUR', scale: 5, minorScale: 2 },
      { currency: 'JPY', scale: 0 },
      { currency: 'JPY', scale: 3, minorScale: 0 },
      { currency: 'KWD', scale: 3 },
      { currency: 'USDC', scale: 6 },
    ),
    country: fc.constantFrom(null, 'DE', 'FR'),
    shares: fc.option(
      fc.uniqueArray(share, {
        minLength: 1,
        maxLength: 4,
        selector: (one) => `${one.category} ${one.rateBasisPoints}`,
      }),
    ),
    flat: share,
    at: fc.oneof(
      fc.integer({ min: 0, max: 364 }).map((day) => new Date(Date.UTC(2026, 0, 1 + day, 12))),
      fc
        .constantFrom(
          '2026-06-30T23:59:59.999Z',
          '2026-07-01T00:00:00.000Z',
          '2026-08-31T23:59:59.999Z',
          '2026-09-01T00:00:00.000Z',
        )
        .map((text) => new Date(text)),
    ),
  })
  .map(({ unit, country, shares, flat, at }) => {
    const tax = shares
      ? {
          countryCode: country,
          rateBasisPoints: null,
          taxUnits: shares.reduce((a, b) => a + b.taxUnits, 0n),
          breakdown: shares,
        }
      : { countryCode: country, rateBasisPoints: flat.rateBasisPoints, taxUnits: flat.taxUnits }
    const subtotalUnits = shares ? shares.reduce((a, b) => a + b.baseUnits, 0n) : flat.baseUnits
    return { at, ...unit, subtotalUnits, tax }
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
    insert into invoices (id, account_id, year, is_purchase, number, place, version, state, owed_base, chain, pay_to, due_base, created_at, updated_at,
      terms, progress)
    select gen_random_uuid(), ${accountId}, 2025, false, n, n, 4, case n % 5 when 0 then 'failed' else 'completed' end, case when n % 10 = 0 then 1 end, 'base',
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
    insert into invoices (id, account_id, year, is_purchase, number, place, version, state, owed_base, chain, pay_to, due_base, created_at, updated_at,
      terms, progress)
    select gen_random_uuid(), ${accountId}, 2024, false, n, n, 4, 'completed', null::bigint, 'base', '0xaa', 1, now(), now(), '', ''
    from generate_series(1, 20000) as n
    union all
    select gen_random_uuid(), ('0190b000-0000-7000-8000-' || lpad((n / 5)::text, 12, '0'))::uuid, 2024, false, n % 5, n % 5, 4, 'failed', n, 'base',
      '0xaa', n, now(), now(), '', '' from generate_series(1, 5000) as n`
  await db.sql`vacuum analyze invoices`
  const read = await rowsRead(db, 'invoices', async (sql) => {
    for (let time = 0; time < 10; time++) await underWay(sql, accountId)
  })
  expect(read).toBeLessThan(2_000)
})
