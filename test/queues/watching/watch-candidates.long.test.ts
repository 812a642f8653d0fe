import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { decide } from '../../../src/domain/invoices/decide.ts'
import { evolve } from '../../../src/domain/invoices/evolve.ts'
import * as Invoice from '../../../src/domain/invoices/invoice.ts'
import type { Terms } from '../../../src/domain/invoices/terms.ts'
import { insertAll, loadMany, updateAll } from '../../../src/storage/invoices/invoices.ts'
import { terms } from '../../support/invoice.ts'
import { invoiceReferences } from '../../support/watcher.ts'
import { due, startWatchStand, type WatchStand, wallet } from './stand.ts'

/**
 * A merchant with one price: many invoices are over the same amount, and matching must consider
 * every one that fits.
 */

const [ours, theirs] = [
  '0190a000-0000-7000-8000-000000000001',
  '0190a000-0000-7000-8000-000000000002',
]
const hourMs = 3_600_000
const dayMs = 24 * hourMs
const ago = (ms: number) => new Date(Date.now() - ms)
/** A negative age: dated after all payments of the test. */
const later = -60_000

let stand: WatchStand

beforeEach(async () => {
  stand = await startWatchStand()
})
afterEach(() => stand.stop())

/** Opens an invoice dated `ageMs` ago. */
async function open(accountId: string, ageMs: number, over: Partial<Terms> = {}) {
  const id = Bun.randomUUIDv7()
  const at = new Date(Date.now() - ageMs)
  const reference = invoiceReferences.of(id)
  const agreed = terms({ payTo: wallet, dueUsdcBase: due, reference, ...over })
  const events = decide(undefined, { kind: 'create', id, accountId, terms: agreed }, at)
  const invoice = evolve(undefined, events, at) as Invoice.Invoice
  await insertAll(stand.database.sql, [{ invoice, idempotency: null }])
  return id
}

/** An invoice dated `ageMs` ago that has expired. */
async function expired(
  accountId: string,
  ageMs: number,
  dueAt = new Date(),
  over: Partial<Terms> = {},
): Promise<string> {
  const id = await open(accountId, ageMs, { ...over, dueAt: dueAt.toISOString() })
  const [before] = await loadMany(stand.database.sql, [id])
  const events = decide(before, { kind: 'expire' }, dueAt)
  const after = evolve(before, events, dueAt)
  if (before && after) await updateAll(stand.database.sql, [{ before, after, entries: [] }])
  return id
}

/** For each invoice, its state and how each of its payments was matched. */
async function standing(...ids: readonly string[]): Promise<readonly string[]> {
  const found = await loadMany(stand.database.sql, ids)
  const byId = new Map(found.map((invoice) => [invoice.id, invoice]))
  return ids.map((id) => {
    const { state, progress } = byId.get(id) as Invoice.Invoice
    return [state, ...progress.payments.map(({ matchedBy }) => matchedBy)].join(' ')
  })
}

async function heldAs(): Promise<readonly string[]> {
  const rows = await stand.database.sql<{ held_as: string }[]>`
    select held_as from transfers where held_as is not null`
  return rows.map((row) => row.held_as)
}

/** Payments of the price from these wallets, all read in one step. */
async function paid(...payments: readonly { from: number; reference?: string }[]): Promise<void> {
  const watch = stand.watcher()
  await watch.step()
  for (const payment of payments) await stand.mined(await stand.sign(payment))
  await watch.step()
}

describe('a late payment', () => {
  test('settles its expired invoice though a newer one is due the same', async () => {
    const late = await expired(ours, hourMs)
    const newer = await open(ours, later)
    await paid({ from: 1 })
    expect(await standing(late, newer)).toEqual(['paid amount', 'draft'])
  })

  test('settles its expired invoice though a newer one, expired too, was made before it', async () => {
    const newer = await open(ours, later)
    const second = await expired(ours, hourMs)
    const first = await expired(ours, 2 * hourMs)
    await paid({ from: 1 })
    expect(await standing(first, second, newer)).toEqual(['paid amount', 'failed', 'draft'])
  })

  test('is nobody’s where invoices of two accounts have expired, though one has a newer one', async () => {
    const mine = await expired(ours, hourMs)
    const other = await expired(theirs, hourMs)
    const newer = await open(theirs, later)
    await paid({ from: 1 })
    expect(await standing(mine, other, newer)).toEqual(['failed', 'failed', 'draft'])
    expect(await heldAs()).toEqual(['ambiguous'])
  })

  test('is nobody’s where another account has an open invoice', async () => {
    const late = await expired(ours, 2 * hourMs)
    const strangers = await open(theirs, hourMs)
    await paid({ from: 1 })
    expect(await standing(late, strangers)).toEqual(['failed', 'draft'])
    expect(await heldAs()).toEqual(['ambiguous'])
  })

  test('is found to be late though its account has many that are long past their due date', async () => {
    for (const days of [44, 43, 42, 41]) await expired(ours, (days + 1) * dayMs, ago(days * dayMs))
    const late = await expired(ours, 2 * hourMs, ago(hourMs))
    const strangers = await open(theirs, hourMs)
    await paid({ from: 1 })
    expect(await standing(late, strangers)).toEqual(['failed', 'draft'])
    expect(await heldAs()).toEqual(['ambiguous'])
  })

  test('may come so late that an open invoice of another account is what is paid', async () => {
    const abandoned = await expired(ours, 50 * dayMs, ago(40 * dayMs))
    const due = await open(theirs, hourMs)
    await paid({ from: 1 })
    expect(await standing(abandoned, due)).toEqual(['failed', 'paid amount'])
  })

  test('pays the expired invoice that names its sender, though one that is open is due the same', async () => {
    const payer = stand.node.wallet(1).address.toLowerCase()
    const others = await expired(ours, 3 * hourMs)
    const late = await expired(ours, 2 * hourMs, ago(hourMs), { payer })
    const due = await open(ours, hourMs)
    await paid({ from: 1 })
    expect(await standing(others, late, due)).toEqual(['failed', 'paid payer', 'draft'])
  })

  test('pays it though older ones of other accounts name that sender too', async () => {
    const payer = stand.node.wallet(1).address.toLowerCase()
    for (const account of [ours, theirs]) await expired(account, 60 * dayMs, ago(59 * dayMs))
    const elsewhere = await expired(theirs, 50 * dayMs, ago(40 * dayMs), { payer })
    const late = await expired(ours, 45 * dayMs, ago(40 * dayMs), { payer })
    const due = await open(ours, hourMs)
    await paid({ from: 1 })
    expect(await standing(elsewhere, late, due)).toEqual(['failed', 'paid payer', 'draft'])
  })

  test('is left for what is open where there is one: each of several finds its own', async () => {
    const late = await expired(ours, 2 * hourMs)
    const due = await open(ours, hourMs)
    await paid({ from: 1 }, { from: 2 })
    expect(await standing(due, late)).toEqual(['paid amount', 'paid amount'])
  })
})

describe('a payment made in time, and read when its invoice had expired', () => {
  const inTime = ago(-hourMs)

  test('pays the one that names its sender, not one that had expired long before', async () => {
    const [payer, other] = [1, 2].map((n) => stand.node.wallet(n).address.toLowerCase())
    const abandoned = await expired(ours, 50 * dayMs, ago(49 * dayMs))
    const longAgo = await expired(ours, 40 * dayMs, ago(39 * dayMs), { payer: payer ?? null })
    const own = await expired(ours, hourMs, inTime, { payer: payer ?? null })
    const newest = await expired(ours, hourMs / 2, inTime, { payer: other ?? null })
    await paid({ from: 1 })
    expect(await standing(own)).toEqual(['paid payer'])
    expect(await standing(abandoned, longAgo, newest)).toEqual(['failed', 'failed', 'failed'])
  })

  test('pays it, not a newer one that was due before the payment', async () => {
    const abandoned = await expired(ours, 50 * dayMs, ago(49 * dayMs))
    const own = await expired(ours, 5 * hourMs, inTime)
    const newer = await expired(ours, hourMs, ago(hourMs / 2))
    await paid({ from: 1 })
    expect(await standing(abandoned, own, newer)).toEqual(['failed', 'paid amount', 'failed'])
  })

  test('pays what was open at its own time, where other payments of its step came earlier', async () => {
    const first = await expired(ours, 5 * hourMs, inTime)
    const second = await expired(ours, 4 * hourMs, inTime)
    const lasting = await expired(ours, 3 * hourMs, ago(-3 * hourMs))
    const newer = [
      await expired(ours, 2 * hourMs, inTime),
      await expired(ours, hourMs, ago(hourMs / 2)),
    ]
    const watch = stand.watcher()
    await watch.step()
    await stand.mined(await stand.sign({ from: 1 }))
    await stand.node.rpc('evm_increaseTime', [(2 * hourMs) / 1_000])
    await stand.mined(await stand.sign({ from: 2 }))
    await watch.step()
    expect(await standing(first, lasting)).toEqual(['paid amount', 'paid amount'])
    expect(await standing(second, ...newer)).toEqual(['failed', 'failed', 'failed'])
  })

  test('is nobody’s where it may be for one of another account, made by a clock ahead of the chain', async () => {
    const own = await expired(ours, hourMs, inTime)
    await expired(theirs, 50 * dayMs, ago(49 * dayMs))
    const strangers = await expired(theirs, -20_000, inTime)
    await paid({ from: 1 })
    expect(await standing(own, strangers)).toEqual(['failed', 'failed'])
    expect(await heldAs()).toEqual(['ambiguous'])
  })
})

describe('a payment that is read before an invoice that was due by then has expired', () => {
  const overdue = ago(hourMs / 2).toISOString()

  test('pays the one that is open, not the older one that was due before the payment', async () => {
    const unpaid = await open(ours, 2 * hourMs, { dueAt: overdue })
    const own = await open(ours, hourMs, { dueAt: ago(-hourMs).toISOString() })
    await paid({ from: 1 })
    expect(await standing(unpaid, own)).toEqual(['draft', 'paid amount'])
  })

  test('pays that one where none is open, and is late', async () => {
    const unpaid = await open(ours, 2 * hourMs, { dueAt: overdue })
    await paid({ from: 1 })
    expect(await standing(unpaid)).toEqual(['paid amount'])
  })

  test('is nobody’s where another account has an open one', async () => {
    const unpaid = await open(ours, 2 * hourMs, { dueAt: overdue })
    const strangers = await open(theirs, hourMs)
    await paid({ from: 1 })
    expect(await standing(unpaid, strangers)).toEqual(['draft', 'draft'])
    expect(await heldAs()).toEqual(['ambiguous'])
  })
})

describe('whether an invoice is paid late is told by the block of its payment', () => {
  async function isLate(id: string): Promise<boolean> {
    await paid({ from: 1 })
    const [invoice] = await loadMany(stand.database.sql, [id])
    expect(invoice?.state).toBe('paid')
    return Invoice.isLate(invoice as Invoice.Invoice)
  }

  test('not late where that has the time of its due date, though it expired before it was read', async () => {
    expect(await isLate(await expired(ours, hourMs, ago(-hourMs)))).toBe(false)
  })

  test('late where that has a later one, though nothing had expired the invoice', async () => {
    const dueAt = ago(hourMs).toISOString()
    expect(await isLate(await open(ours, 2 * hourMs, { dueAt }))).toBe(true)
  })
})

describe('a payment that names nothing finds an invoice', () => {
  test('though the oldest is paid by another one that names it in the same step', async () => {
    const named = await open(ours, 2 * hourMs)
    const next = await open(ours, hourMs)
    await paid({ from: 1, reference: invoiceReferences.of(named) }, { from: 2 })
    expect(await standing(named, next)).toEqual(['paid reference', 'paid amount'])
  })

  test('that names its sender, though another sender was given one that did', async () => {
    const payer = stand.node.wallet(2).address.toLowerCase()
    const first = await open(ours, 4 * hourMs, { payer })
    const between = [await open(ours, 3 * hourMs), await open(ours, 2 * hourMs)]
    const second = await open(ours, hourMs, { payer })
    await paid({ from: 1 }, { from: 2 })
    expect(await standing(first, second)).toEqual(['paid amount', 'paid payer'])
    expect(await standing(...between)).toEqual(['draft', 'draft'])
  })

  test('of nobody else where its own was made by a clock ahead of the chain: it is held', async () => {
    const own = await open(ours, -5_000)
    const older = await open(theirs, hourMs)
    await paid({ from: 1 })
    expect(await standing(own, older)).toEqual(['draft', 'draft'])
    expect(await heldAs()).toEqual(['ambiguous'])
  })

  test('made before it, not one with an older id that was made after it', async () => {
    const newer = await open(ours, later)
    const older = await open(ours, hourMs)
    await paid({ from: 1 })
    expect(await standing(older, newer)).toEqual(['paid amount', 'draft'])
  })
})
