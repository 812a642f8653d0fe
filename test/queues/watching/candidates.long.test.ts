import { afterEach, beforeEach, expect, test } from 'bun:test'
import { isLate } from '../../../src/domain/invoices/balance.ts'
import { type Command, decide } from '../../../src/domain/invoices/decide.ts'
import { evolve } from '../../../src/domain/invoices/evolve.ts'
import type * as Invoice from '../../../src/domain/invoices/invoice.ts'
import { insertAll, loadMany, updateAll } from '../../../src/storage/invoices/invoices.ts'
import { payment, terms } from '../../support/invoice.ts'
import { invoiceReferences } from '../../support/watcher.ts'
import { due, startWatchStand, type WatchStand, wallet } from './stand.ts'

/**
 * A merchant with one price: many invoices are over the same amount, and matching must consider
 * every one that fits.
 */

const accounts = {
  ours: '0190a000-0000-7000-8000-000000000001',
  theirs: '0190a000-0000-7000-8000-000000000002',
}
const hour = 3_600_000
const day = 24 * hour

type Given = {
  readonly of: keyof typeof accounts
  /** How long ago it was made; negative: after all payments of the test. */
  readonly ageMs: number
  /** How long ago it was due. */
  readonly dueMs?: number
  readonly hasExpired: boolean
  /** The wallet that it names as its payer. */
  readonly payer?: number
  /** What it is over, if not the price, and what of it has come. */
  readonly part?: { readonly of: bigint; readonly came: bigint }
  /** Its state after the step, and how its payment was matched. */
  readonly then: string
}

const open = (of: Given['of'], ageMs: number, then: string, over: Partial<Given> = {}): Given => ({
  of,
  ageMs,
  then,
  hasExpired: false,
  ...over,
})

const expired = (
  of: Given['of'],
  ageMs: number,
  then: string,
  over: Partial<Given> = {},
): Given => ({ of, ageMs, then, dueMs: 0, hasExpired: true, ...over })

let stand: WatchStand

beforeEach(async () => {
  stand = await startWatchStand()
})
afterEach(() => stand.stop())

async function make({ of, ageMs, dueMs, hasExpired, payer, part }: Given): Promise<string> {
  const { sql } = stand.database
  const id = Bun.randomUUIDv7()
  const at = new Date(Date.now() - ageMs)
  const dueAt = dueMs === undefined ? null : new Date(Date.now() - dueMs)
  const agreed = terms({
    payTo: wallet,
    dueUsdcBase: part?.of ?? due,
    reference: invoiceReferences.of(id),
    ...(dueAt && { dueAt: dueAt.toISOString() }),
    ...(payer && { payer: stand.node.wallet(payer).address.toLowerCase() }),
  })
  const create = { kind: 'create', id, accountId: accounts[of], terms: agreed } as const
  const invoice = evolve(undefined, decide(undefined, create, at), at) as Invoice.Invoice
  await insertAll(sql, [{ invoice, idempotency: null }])
  const key = `base:${invoiceReferences.of(id)}:0`
  if (part)
    await change(invoice, { kind: 'credit', payment: payment({ key, usdcBase: part.came }) }, at)
  if (hasExpired && dueAt) await change(invoice, { kind: 'expire' }, dueAt)
  return id
}

async function change(before: Invoice.Invoice, command: Command, at: Date): Promise<void> {
  const after = evolve(before, decide(before, command, at), at)
  const entry = { types: 'invoice.sent', data: null }
  if (after) await updateAll(stand.database.sql, [{ before, after, entry }])
}

/** For each invoice, its state and how each of its payments was matched. */
async function standing(ids: readonly string[]): Promise<readonly string[]> {
  const found = await loadMany(stand.database.sql, ids)
  const byId = new Map(found.map((invoice) => [invoice.id, invoice]))
  return ids.map((id) => {
    const { state, progress } = byId.get(id) as Invoice.Invoice
    return [state, ...progress.payments.map(({ matchedBy }) => matchedBy)].join(' ')
  })
}

/** Payments of the price from these wallets, all read in one step. */
async function paid(...payments: readonly { from: number; reference?: string }[]): Promise<void> {
  const watch = stand.watcher()
  await watch.step()
  for (const payment of payments) await stand.mined(await stand.sign(payment))
  await watch.step()
}

const half = { of: 2n * due, came: due }
const touched = { of: due, came: due / 50n }
const inTime = { dueMs: -hour }
const overdue = { dueMs: hour / 2 }
const abandoned = (then = 'failed', over: Partial<Given> = {}) =>
  expired('ours', 50 * day, then, { dueMs: 49 * day, ...over })

test.each<[string, readonly Given[], (readonly number[])?]>([
  [
    'a late payment settles its expired invoice though a newer one is due the same',
    [expired('ours', hour, 'paid amount'), open('ours', -60_000, 'draft')],
  ],
  [
    'a late payment is held where several of an account have expired',
    [60_000, 120_000].map((dueMs) => expired('ours', hour, 'failed', { dueMs })),
  ],
  [
    'a late payment is held where invoices of two accounts have expired, though one has a newer one',
    [
      expired('ours', hour, 'failed'),
      expired('theirs', hour, 'failed'),
      open('theirs', -60_000, 'draft'),
    ],
  ],
  [
    'a late payment is held where another account has an open invoice',
    [expired('ours', 2 * hour, 'failed'), open('theirs', hour, 'draft')],
  ],
  [
    'a late payment is held though its account has many that are long past their due date',
    [
      ...[44, 43, 42, 41].map((days) =>
        expired('ours', (days + 1) * day, 'failed', { dueMs: days * day }),
      ),
      expired('ours', 2 * hour, 'failed', { dueMs: hour }),
      open('theirs', hour, 'draft'),
    ],
  ],
  [
    'a payment may be so late that it pays an open invoice of another account',
    [abandoned('failed', { dueMs: 40 * day }), open('theirs', hour, 'paid amount')],
  ],
  [
    'a payment pays what is open, though an expired invoice names its sender',
    [
      expired('ours', 2 * hour, 'failed', { dueMs: hour, payer: 1 }),
      open('ours', hour, 'paid amount'),
    ],
  ],
  [
    'of two payments, one pays what is open and the other what has expired',
    [expired('ours', 2 * hour, 'paid amount'), open('ours', hour, 'paid amount')],
    [1, 2],
  ],
  [
    'a payment in time, read when its invoice had expired, pays the one that names its sender',
    [
      abandoned(),
      expired('ours', 40 * day, 'failed', { dueMs: 39 * day, payer: 1 }),
      expired('ours', hour, 'paid payer', { ...inTime, payer: 1 }),
      expired('ours', hour / 2, 'failed', { ...inTime, payer: 2 }),
    ],
  ],
  [
    'a payment in time, read when its invoice had expired, does not pay a newer one due before it',
    [
      abandoned(),
      expired('ours', 5 * hour, 'paid amount', inTime),
      expired('ours', hour, 'failed', overdue),
    ],
  ],
  [
    'a payment in time is held where it may be for another account whose clock is ahead of the chain',
    [
      expired('ours', hour, 'failed', inTime),
      expired('theirs', 50 * day, 'failed', { dueMs: 49 * day }),
      expired('theirs', -20_000, 'failed', inTime),
    ],
  ],
  [
    'a payment read before an overdue invoice has expired pays the older one',
    [open('ours', 2 * hour, 'paid amount', overdue), open('ours', hour, 'draft', inTime)],
  ],
  [
    'a payment read before an overdue invoice has expired is held where another account has an open one',
    [open('ours', 2 * hour, 'draft', overdue), open('theirs', hour, 'draft')],
  ],
  [
    'a payment finds the invoice that names its sender, though another sender was given one that did',
    [
      open('ours', 4 * hour, 'paid amount', { payer: 2 }),
      open('ours', 3 * hour, 'draft'),
      open('ours', 2 * hour, 'draft'),
      open('ours', hour, 'paid payer', { payer: 2 }),
    ],
    [1, 2],
  ],
  [
    'a payment is held where its own invoice was made by a clock ahead of the chain',
    [open('ours', -5_000, 'draft'), open('theirs', hour, 'draft')],
  ],
  [
    'a payment pays what is left of an invoice that is partly paid',
    [open('ours', hour, 'paid reference amount', { part: half })],
  ],
  [
    'a payment is held where it is left of one invoice and due on one of another account',
    [open('ours', hour, 'draft reference', { part: half }), open('theirs', hour, 'draft')],
  ],
  [
    'a payment is held where it was due on one invoice, of which a part has come, and is due on one of another account',
    [open('ours', hour, 'draft reference', { part: touched }), open('theirs', hour, 'draft')],
  ],
  [
    'a payment finds the invoice made before it, not one with an older id made after it',
    [open('ours', -60_000, 'draft'), open('ours', hour, 'paid amount')],
  ],
])('%s', async (_, given, senders = [1]) => {
  const ids: string[] = []
  for (const one of given) ids.push(await make(one))
  await paid(...senders.map((from) => ({ from })))
  expect(await standing(ids)).toEqual(given.map(({ then }) => then))
  const held = await stand.database.sql`select held_as from transfers where held_as is not null`
  const isHeld = !given.some(({ then }) => then.startsWith('paid'))
  expect(held.map((row) => row.held_as)).toEqual(isHeld ? ['ambiguous'] : [])
})

test('a payment that names nothing finds an invoice though the oldest is paid by another one in the same step', async () => {
  const named = await make(open('ours', 2 * hour, ''))
  const next = await make(open('ours', hour, ''))
  await paid({ from: 1, reference: invoiceReferences.of(named) }, { from: 2 })
  expect(await standing([named, next])).toEqual(['paid reference', 'paid amount'])
})

test('a payment in time pays what was open at its own time, where others of its step came earlier', async () => {
  const first = await make(expired('ours', 5 * hour, '', inTime))
  const second = await make(expired('ours', 4 * hour, '', inTime))
  const lasting = await make(expired('ours', 3 * hour, '', { dueMs: -3 * hour }))
  const newer = [
    await make(expired('ours', 2 * hour, '', inTime)),
    await make(expired('ours', hour, '', overdue)),
  ]
  const watch = stand.watcher()
  await watch.step()
  await stand.mined(await stand.sign({ from: 1 }))
  await stand.node.rpc('evm_increaseTime', [(2 * hour) / 1_000])
  await stand.mined(await stand.sign({ from: 2 }))
  await watch.step()
  expect(await standing([first, lasting])).toEqual(['paid amount', 'paid amount'])
  expect(await standing([second, ...newer])).toEqual(['failed', 'failed', 'failed'])
})

test.each([
  [
    'in time',
    'before its due date, though it expired before it was read',
    expired('ours', hour, '', inTime),
  ],
  [
    'late',
    'after it, though nothing had expired the invoice',
    open('ours', 2 * hour, '', { dueMs: hour }),
  ],
])('an invoice is paid %s by a payment in a block %s', async (when, _, given) => {
  const id = await make(given)
  await paid({ from: 1 })
  const [invoice] = await loadMany(stand.database.sql, [id])
  expect(invoice?.state).toBe('paid')
  expect(isLate(invoice as Invoice.Invoice)).toBe(when === 'late')
})
