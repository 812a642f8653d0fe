import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { type Budgets, createBudgets } from '../../src/actors/budgets.ts'
import { createGroupCommit } from '../../src/actors/group-commit.ts'
import { createOnce } from '../../src/actors/once.ts'
import { createPurchases, type Purchases } from '../../src/actors/purchases.ts'
import { DomainError, type Reason } from '../../src/domain/error.ts'
import * as BudgetRows from '../../src/storage/budgets.ts'
import { firstAnswer } from '../../src/storage/idempotency.ts'
import type { Purchase } from '../../src/storage/purchases.ts'
import { type TestDatabase, testDatabase } from '../support/postgres.ts'

/** A payment that was taken, and a budget that cannot be reached just then. */

const agentId = 'agent-7'
const heldMs = 61_000

let db: TestDatabase
let nowMs: number
let budgets: Budgets
let purchases: Purchases
let accountId: string
/** How the next calls fail, before anything is done. */
let troubles: { reserve: Trouble[]; commit: Trouble[] }
let concluded: string[]
/** Whether the purchase is no longer what it was when its attempt began. */
let hasMovedOn: boolean

type Trouble = Reason | null

beforeAll(async () => {
  db = await testDatabase()
})

afterAll(() => db.drop())

beforeEach(async () => {
  nowMs = Date.parse('2026-05-01T12:00:00.000Z')
  budgets = realBudgets()
  troubles = { reserve: [], commit: [] }
  concluded = []
  hasMovedOn = false
  accountId = Bun.randomUUIDv7()
  purchases = createPurchases({
    store: {
      addQuote: async () => {},
      claim: async () => ({ kind: 'none' }),
      noteReservation: async () => {},
      findBindable: async () => undefined,
      giveUp: async () => [],
      released: async () => {},
      conclude: async (_, { state }) => concluded.push(state) > 0 && !hasMovedOn,
    },
    // No invoice is to be touched.
    invoices: {} as never,
    budgets: {
      ...budgets,
      reserve: (...args) => unless(troubles.reserve, () => budgets.reserve(...args)),
      commit: (...args) => unless(troubles.commit, () => budgets.commit(...args)),
    },
    fx: { rates: {}, source: 'none', asOf: '2026-05-01' },
    now: () => new Date(nowMs),
    log: { warn: () => {} },
  })
  await budgets.set(accountId, agentId, { limitMinor: 3n, currency: 'USD' })
})

function realBudgets(): Budgets {
  const { sql } = db
  return createBudgets({
    store: {
      load: (account, agent) => BudgetRows.loadAgent(sql, account, agent),
      loadPage: async () => [],
      findReservation: (account, id) => BudgetRows.findReservation(sql, account, id),
    },
    commits: createGroupCommit({
      lanes: 1,
      maxBatch: 16,
      maxWaiting: 64,
      flush: (_, changes) => BudgetRows.commitAll(sql, changes),
    }),
    once: createOnce({ firstAnswer: (...asked) => firstAnswer(sql, ...asked) }),
    now: () => new Date(nowMs),
    newId: () => Bun.randomUUIDv7(),
  })
}

async function unless<Result>(next: Trouble[], run: () => Promise<Result>): Promise<Result> {
  const trouble = next.shift()
  if (trouble) throw new DomainError(trouble, 'not now')
  return run()
}

/** A purchase that is being forwarded, with 1 of the budget held for it. */
async function aPurchase(): Promise<Purchase> {
  const held = await budgets.reserve(accountId, { agentId, amountMinor: 1n, currency: 'USD' }, null)
  const id = (held.kind === 'reserved' && held.reserved.reservationId) || ''
  const at = new Date(nowMs)
  return {
    invoiceId: Bun.randomUUIDv7(),
    accountId,
    resource: 'GET https://api.example.com/report',
    demand: { chain: 'base', payTo: `0x${'5'.repeat(40)}`, usdcBase: 10_000n },
    agentId,
    mandateId: null,
    state: 'forwarding',
    payer: null,
    nonce: null,
    validBeforeMs: null,
    txHash: null,
    reservation: { id, amountMinor: 1n, currency: 'USD' },
    forwardedAt: at,
    createdAt: at,
  }
}

async function accept(purchase: Purchase, txHash: string | null = null): Promise<string> {
  const accepted = purchases.accept(purchase, txHash)
  return accepted.then(
    () => 'accepted',
    (error) => error.reason,
  )
}

async function spent(): Promise<number> {
  return (await budgets.get(accountId, agentId)).spent
}

test('a payment is not noted as paid while its budget is overloaded, and counts once afterwards', async () => {
  const purchase = await aPurchase()
  troubles.commit = ['overloaded']
  expect(await accept(purchase)).toBe('overloaded')
  expect(concluded).toEqual([])
  expect(await accept(purchase)).toBe('accepted')
  expect([concluded, await spent()]).toEqual([['paid'], 1])
})

test('a late payment is not noted as paid while its budget cannot be reached, and counts once afterwards', async () => {
  const purchase = await aPurchase()
  nowMs += heldMs
  troubles.reserve = ['unavailable']
  expect(await accept(purchase)).toBe('unavailable')
  expect(concluded).toEqual([])
  expect(await accept(purchase)).toBe('accepted')
  expect([concluded, await spent()]).toEqual([['paid'], 1])
  expect([await accept(purchase), await spent()]).toEqual(['accepted', 1])
})

test('a late payment counts once though whoever was counting it died, and what was held for that ran out too', async () => {
  const purchase = await aPurchase()
  nowMs += heldMs
  troubles.commit = [null, 'unavailable']
  expect(await accept(purchase)).toBe('unavailable')
  nowMs += heldMs
  expect(await accept(purchase)).toBe('accepted')
  expect(await spent()).toBe(1)
  nowMs += heldMs
  expect([await accept(purchase), await spent()]).toEqual(['accepted', 1])
})

test('a late payment that no longer fits into the budget is noted as paid', async () => {
  const purchase = await aPurchase()
  nowMs += heldMs
  await budgets.set(accountId, agentId, { limitMinor: 0n })
  expect(await accept(purchase)).toBe('accepted')
  expect([concluded, await spent()]).toEqual([['paid'], 0])
})

test('a payment that comes too late to be noted is not credited to an invoice that may have been given up', async () => {
  const purchase = await aPurchase()
  hasMovedOn = true
  expect(await accept(purchase, `0x${'7'.repeat(64)}`)).toBe('accepted')
  expect([concluded, await spent()]).toEqual([['paid'], 1])
})
