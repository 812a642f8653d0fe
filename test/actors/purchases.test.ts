import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  setSystemTime,
  test,
} from 'bun:test'
import { type Budgets, createBudgets } from '../../src/actors/budgets.ts'
import { createOnce } from '../../src/actors/once.ts'
import { createPurchases, type Purchases } from '../../src/actors/purchases.ts'
import { DomainError, type Reason } from '../../src/domain/error.ts'
import { findBindable } from '../../src/storage/mandates/bindings.ts'
import * as Attempts from '../../src/storage/purchases/attempts.ts'
import * as Followed from '../../src/storage/purchases/followed.ts'
import * as GivenUp from '../../src/storage/purchases/given-up.ts'
import * as PurchaseRows from '../../src/storage/purchases/purchases.ts'
import { passTime } from '../support/budgets.ts'
import { invoiceActors } from '../support/invoice-actors.ts'
import { type TestDatabase, testDatabase } from '../support/postgres.ts'
import { eventually } from '../support/wait.ts'

/** A payment was made while the budget is unreachable. */

const agentId = 'agent-7'
const heldMs = 61_000
const hourMs = 3_600_000

let db: TestDatabase
let budgets: Budgets
let purchases: Purchases
let accountId: string
/** The errors of the next calls, thrown before anything is done; null lets a call through. */
let troubles: { reserve: Trouble[]; commit: Trouble[] }
let concluded: string[]
/** Whether the purchase has changed since its attempt began. */
let hasMovedOn: boolean

type Trouble = Reason | null

beforeAll(async () => {
  db = await testDatabase()
})

afterEach(() => void setSystemTime())
afterAll(() => db.drop())

beforeEach(async () => {
  budgets = realBudgets()
  troubles = { reserve: [], commit: [] }
  concluded = []
  hasMovedOn = false
  accountId = Bun.randomUUIDv7()
  purchases = createPurchases({
    store: {
      addQuote: async () => {},
      start: async () => ({ kind: 'none' }),
      startNew: async () => ({ kind: 'none' }),
      findNamed: async () => null,
      giveWay: async () => ({ kind: 'none' }),
      noteReservation: async () => !hasMovedOn,
      findBindable: async () => undefined,
      giveUp: async () => true,
      lapseUnpaid: async () => [],
      markReleased: async () => {},
      conclude: async (_, { state }) => concluded.push(state) > 0 && !hasMovedOn,
      nameTransaction: async () => false,
      noteTransaction: async () => {},
      isUnchanged: async () => true,
      isNamed: async () => true,
    },
    // No test here touches an invoice.
    invoices: {} as never,
    budgets: {
      ...budgets,
      reserve: (...args) => unless(troubles.reserve, () => budgets.reserve(...args)),
      commit: (...args) => unless(troubles.commit, () => budgets.commit(...args)),
    },
    fx: { rates: {}, source: 'none', asOf: '2026-05-01' },
    log: { warn: () => {} },
  })
  await budgets.set(accountId, agentId, { limitMinor: 3n, currency: 'USD' })
})

function realBudgets(): Budgets {
  const { sql } = db
  return createBudgets({
    sql,
    lanes: [sql],
    metrics: { batches: (_, flush) => flush },
    live: { touched() {} },
    once: createOnce(sql),
    now: () => new Date(),
    newId: () => Bun.randomUUIDv7(),
  })
}

async function unless<Result>(next: Trouble[], run: () => Promise<Result>): Promise<Result> {
  const trouble = next.shift()
  if (trouble) throw new DomainError(trouble, 'not now')
  return run()
}

/** A purchase that is being forwarded, with 1 of the budget reserved for it. */
async function aPurchase(): Promise<PurchaseRows.Purchase> {
  const held = await budgets.reserve(accountId, { agentId, amountMinor: 1n, currency: 'USD' }, null)
  const id = (held.kind === 'reserved' && held.reserved.reservationId) || ''
  const at = new Date()
  return {
    invoiceId: Bun.randomUUIDv7(),
    accountId,
    resource: 'GET https://api.example.com/report',
    requirements: { network: 'base', payTo: `0x${'5'.repeat(40)}`, usdcBase: 10_000n },
    agentId,
    mandateId: null,
    state: 'forwarding',
    payer: null,
    nonce: null,
    message: null,
    validBeforeMs: null,
    txHash: null,
    reservation: { id, amountMinor: 1n, currency: 'USD' },
    firstForwardedAt: at,
    forwardedAt: at,
    createdAt: at,
  }
}

async function accept(
  purchase: PurchaseRows.Purchase,
  txHash: string | null = null,
): Promise<string> {
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
  await passTime(db.sql, heldMs)
  troubles.reserve = ['unavailable']
  expect(await accept(purchase)).toBe('unavailable')
  expect(concluded).toEqual([])
  expect(await accept(purchase)).toBe('accepted')
  expect([concluded, await spent()]).toEqual([['paid'], 1])
  expect([await accept(purchase), await spent()]).toEqual(['accepted', 1])
})

test('a late payment counts once though whoever was counting it died, and what was held for that ran out too', async () => {
  const purchase = await aPurchase()
  await passTime(db.sql, heldMs)
  troubles.commit = [null, 'unavailable']
  expect(await accept(purchase)).toBe('unavailable')
  await passTime(db.sql, heldMs)
  expect(await accept(purchase)).toBe('accepted')
  expect(await spent()).toBe(1)
  await passTime(db.sql, heldMs)
  expect([await accept(purchase), await spent()]).toEqual(['accepted', 1])
})

test('a late payment that no longer fits into the budget is noted as paid', async () => {
  const purchase = await aPurchase()
  await passTime(db.sql, heldMs)
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

describe('a payment of what nobody has asked the price of', () => {
  const resource = 'a report'
  const requirements = { network: 'base', payTo: `0x${'5'.repeat(40)}`, usdcBase: 10_000n } as const
  const wanted = {
    requirements,
    method: 'GET',
    url: new URL('https://api.example.com/report'),
    description: null,
    buyer: { name: 'Buyer', email: null, address: null, vat: null },
    country: null,
    agentId: null,
    mandateId: null,
    poNumber: null,
  }
  const txHash = `0x${'7'.repeat(64)}`

  type Parts = Parameters<typeof createPurchases>[0]

  /** One process on the shared database. */
  function process(over: Partial<Parts['store']> = {}, money: Partial<Budgets> = {}) {
    const { sql } = db
    const invoices = invoiceActors(sql)
    /** `onSent` runs right after an invoice was sent. */
    const hooks = { onSent: async () => {} }
    const purchases = createPurchases({
      store: {
        addQuote: (...asked) => Attempts.addQuote(sql, ...asked),
        start: (...asked) => Attempts.start(sql, ...asked),
        startNew: (...asked) => Attempts.startNew(sql, ...asked),
        findNamed: (...asked) => Attempts.findNamed(sql, ...asked),
        giveWay: (...asked) => GivenUp.giveWay(sql, ...asked),
        noteReservation: (...asked) => PurchaseRows.noteReservation(sql, ...asked),
        conclude: (...asked) => PurchaseRows.conclude(sql, ...asked),
        nameTransaction: (...asked) => PurchaseRows.nameTransaction(sql, ...asked),
        noteTransaction: (...asked) => PurchaseRows.noteTransaction(sql, ...asked),
        isUnchanged: (...asked) => PurchaseRows.isUnchanged(sql, ...asked),
        isNamed: (...asked) => PurchaseRows.isNamed(sql, ...asked),
        findBindable: (...asked) => findBindable(sql, ...asked),
        giveUp: (...asked) => GivenUp.giveUp(sql, ...asked),
        lapseUnpaid: () => GivenUp.lapseUnpaid(sql, 10),
        markReleased: (...asked) => GivenUp.markReleased(sql, ...asked),
        ...over,
      },
      invoices: {
        ...invoices,
        async execute(id, command) {
          const invoice = await invoices.execute(id, command)
          if (command.kind === 'send') await hooks.onSent()
          return invoice
        },
      },
      budgets: { ...budgets, ...money },
      fx: { rates: { EUR: '1.08' }, source: 'none', asOf: '2026-05-01' },
      log: { warn: () => {} },
    })
    return { ...purchases, invoices, hooks }
  }

  function aPayment(): Attempts.Attempt {
    const nonce = `0x${Bun.randomUUIDv7().replaceAll('-', '').repeat(2)}`
    const from = `0x${'a'.repeat(40)}`
    const payment = {
      key: `eip3009:base:${from}:${nonce}`,
      requirements,
      authorization: { payer: from, nonce },
      transfer: null,
      payer: from,
      validBeforeMs: Date.now() + 3_600_000,
      txHash: null,
    }
    return {
      accountId,
      resource,
      payment,
      agentId: null,
      mandateId: null,
      invoiceId: null,
    }
  }

  async function aMandate(): Promise<string> {
    const id = `mnd_${Bun.randomUUIDv7()}`
    await db.sql`
      insert into mandates (id, account_id, version, state, proposer, counterparty, scope, terms, expires_at, canonical, hash,
        created_at, updated_at)
      values (${id}, ${accountId}, 3, 'signed_by_both', 'a', 'b', 'c', '{}', now() + interval '1 hour', '', '0x', now(), now())`
    return id
  }

  async function invoiceIds(): Promise<string[]> {
    const rows = await db.sql`select id from invoices where account_id = ${accountId} order by id`
    return rows.map(({ id }) => id)
  }

  test('has the invoice that is made for it, whatever other payments of the same resource come meanwhile', async () => {
    const { prepare, prepareNew, hooks } = process()
    const [one, other] = [aPayment(), aPayment()]
    let others: unknown
    hooks.onSent = async () => {
      others = await prepare(other)
    }
    const { purchase, isRepeat } = await prepareNew(one, wanted)
    expect([others, purchase.state, isRepeat]).toEqual([null, 'forwarding', false])
    expect([purchase.invoiceId]).toEqual(await invoiceIds())
  })

  test('goes on with its invoice where the first attempt died before it was tied to it', async () => {
    const one = aPayment()
    const dying = process({ startNew: () => Promise.reject(new Error('killed')) })
    await expect(dying.prepareNew(one, wanted)).rejects.toThrow('killed')
    const { prepare, prepareNew } = process()
    expect(await prepare(aPayment())).toBeNull()
    const { purchase } = await prepareNew(one, wanted)
    expect([purchase.invoiceId]).toEqual(await invoiceIds())
  })

  test.each(['a mandate', 'no mandate'])(
    'counts against nothing but %s if its first attempt named that, and died before it was tied to its invoice',
    async (named) => {
      const mandateId = await aMandate()
      const [first, other] = named === 'a mandate' ? [mandateId, null] : [null, mandateId]
      const one = aPayment()
      const attempt = (under: string | null, { prepareNew }: Pick<Purchases, 'prepareNew'>) =>
        prepareNew({ ...one, mandateId: under }, { ...wanted, mandateId: under })
      const dying = process({ startNew: () => Promise.reject(new Error('killed')) })
      await expect(attempt(first, dying)).rejects.toThrow('killed')
      await expect(attempt(other, process())).rejects.toMatchObject({ reason: 'invalid_state' })
      const { purchase } = await attempt(first, process())
      expect(purchase.mandateId).toBe(first)
      expect(await invoiceIds()).toEqual([purchase.invoiceId])
    },
  )

  test('gets another invoice where its own was voided before it was tied to it', async () => {
    const one = aPayment()
    const dying = process({ startNew: () => Promise.reject(new Error('killed')) })
    await expect(dying.prepareNew(one, wanted)).rejects.toThrow('killed')
    const { invoices, prepareNew, prepare } = process()
    const [voided = ''] = await invoiceIds()
    await invoices.execute(voided, { kind: 'void' })
    expect(await prepare(one)).toBeNull()
    const { purchase } = await prepareNew(one, wanted)
    expect(await invoiceIds()).toEqual([voided, purchase.invoiceId])
    expect(await prepare(one).catch((error) => error.reason)).toBe('idempotency_in_progress')
  })

  test.each([
    ['under a mandate', true],
    ['without a mandate', false],
  ])(
    'gets another invoice where its own is being voided at the very moment, %s',
    async (_, isUnder) => {
      const mandateId = isUnder ? await aMandate() : null
      const { prepareNew, invoices, hooks } = process()
      const [asked, started] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const owner = process({
        async giveUp(...which) {
          const isFree = await GivenUp.giveUp(db.sql, ...which)
          asked.resolve()
          await started.promise
          return isFree
        },
      })
      let voiding: Promise<unknown> | undefined
      hooks.onSent = async () => {
        const [invoiceId = ''] = await invoiceIds()
        voiding ??= owner.voidInvoice(accountId, invoiceId)
        await asked.promise
      }
      const { purchase } = await prepareNew({ ...aPayment(), mandateId }, { ...wanted, mandateId })
      started.resolve()
      await voiding
      const states = (await invoiceIds()).map(
        async (id) => (await invoices.get(accountId, id)).state,
      )
      expect(await Promise.all(states)).toEqual(['failed', 'sent'])
      expect([purchase.invoiceId]).toEqual((await invoiceIds()).slice(1))
    },
  )

  test('and whose price is told while its invoice is being voided leaves no invoice that can be paid', async () => {
    const { quote, invoices, prepare } = process({
      async addQuote(asked) {
        await process().voidInvoice(accountId, asked.invoiceId)
        await Attempts.addQuote(db.sql, asked)
      },
    })
    await expect(quote(accountId, resource, wanted)).rejects.toMatchObject({
      reason: 'invalid_state',
    })
    const [invoiceId = ''] = await invoiceIds()
    expect((await invoices.get(accountId, invoiceId)).state).toBe('failed')
    expect(await prepare(aPayment())).toBeNull()
  })

  test.each([
    ['under a mandate', true],
    ['without a mandate', false],
  ])(
    'and whose attempt died when another invoice had given way to it leaves that to the sweep, %s',
    async (_, isUnder) => {
      const mandateId = isUnder ? await aMandate() : null
      const { quote, invoices, voidUnpaid } = process()
      const { id: invoiceId } = await quote(accountId, resource, { ...wanted, mandateId })
      const one = { ...aPayment(), mandateId, invoiceId }
      expect(await GivenUp.giveWay(db.sql, one, 0n)).toMatchObject({ kind: 'quote' })
      await db.sql`
        update purchases set updated_at = updated_at - interval '61 seconds' where invoice_id = ${invoiceId}`
      const stateOf = async () => (await invoices.get(accountId, invoiceId)).state
      expect([await stateOf(), await voidUnpaid(), await stateOf()]).toEqual(['sent', 1, 'failed'])
      expect(await voidUnpaid()).toBe(0)
    },
  )

  test.each([
    ['under a mandate', true],
    ['without a mandate', false],
  ])(
    'replaces the invoice that it names, which is void then, though an attempt died when that had given way, %s',
    async (_, isUnder) => {
      const mandateId = isUnder ? await aMandate() : null
      const { quote, invoices, prepareNew } = process()
      const { id: invoiceId } = await quote(accountId, resource, { ...wanted, mandateId })
      const other = {
        ...wanted,
        mandateId,
        requirements: { ...requirements, network: 'polygon' as const },
      }
      const one = { ...aPayment(), mandateId, invoiceId }
      const dying = process({
        async giveWay(...asked) {
          await GivenUp.giveWay(db.sql, ...asked)
          throw new Error('killed')
        },
      })
      await expect(dying.prepareNew(one, other)).rejects.toThrow('killed')
      expect((await invoices.get(accountId, invoiceId)).state).toBe('sent')
      const { purchase } = await prepareNew(one, other)
      expect((await invoices.get(accountId, invoiceId)).state).toBe('failed')
      expect(purchase).toMatchObject({ state: 'forwarding', mandateId })
    },
  )

  test('has that one invoice, also for a copy of it that found none before and goes on only when it is paid', async () => {
    const { prepare, prepareNew, accept } = process()
    const one = aPayment()
    expect(await prepare(one)).toBeNull()
    const first = await prepareNew(one, wanted)
    await accept(first.purchase, txHash)
    const { purchase, isRepeat } = await prepareNew(one, wanted)
    expect([purchase.invoiceId, isRepeat]).toEqual([first.purchase.invoiceId, true])
    expect(await invoiceIds()).toEqual([first.purchase.invoiceId])
  })

  test('gets another invoice where its own was paid by another payment while it was refused', async () => {
    const { prepare, prepareNew, refuse, accept } = process()
    const [one, other] = [aPayment(), aPayment()]
    const first = await prepareNew(one, wanted)
    await refuse(first.purchase)
    const second = await prepare(other)
    if (!second || second === 'spent') throw new Error('no invoice waits')
    expect(second.purchase.invoiceId).toBe(first.purchase.invoiceId)
    await accept(second.purchase, txHash)
    expect(await prepare(one)).toBeNull()
    const { purchase } = await prepareNew(one, wanted)
    expect(await invoiceIds()).toEqual([second.purchase.invoiceId, purchase.invoiceId])
  })

  test.each([
    ['that tells the price is two hours ahead', 2 * hourMs, 0],
    ['that tells the price is two hours behind', -2 * hourMs, 0],
    ['that sweeps is two hours ahead', 0, 2 * hourMs],
    ['that sweeps is two hours behind', 0, -2 * hourMs],
  ])(
    'is waited for under a mandate until an hour after its price was told or its payment refused, also where the clock of the process %s',
    async (_, tellerAheadMs, sweeperAheadMs) => {
      const mandateId = await aMandate()
      const { quote, prepareNew, refuse, voidUnpaid } = process()
      setSystemTime(new Date(Date.now() + tellerAheadMs))
      await quote(accountId, 'another report', { ...wanted, mandateId })
      const { purchase } = await prepareNew({ ...aPayment(), mandateId }, { ...wanted, mandateId })
      await refuse(purchase)
      setSystemTime()
      setSystemTime(new Date(Date.now() + sweeperAheadMs))
      expect(await voidUnpaid()).toBe(0)
      await db.sql`
        update purchases set updated_at = updated_at - interval '61 minutes' where account_id = ${accountId}`
      expect(await voidUnpaid()).toBe(2)
    },
  )

  test('and whose transaction was named is followed on, though its owner wants to void its invoice after days without a word of the chain', async () => {
    const mandateId = await aMandate()
    const { prepareNew, accept, voidInvoice, voidUnpaid } = process()
    const { purchase } = await prepareNew({ ...aPayment(), mandateId }, { ...wanted, mandateId })
    await accept(purchase, txHash)
    await db.sql`
      update purchases set forwarded_at = now() - interval '2 days', valid_before = now() - interval '2 days'
      where invoice_id = ${purchase.invoiceId}`
    const refused = voidInvoice(accountId, purchase.invoiceId)
    await expect(refused).rejects.toMatchObject({ reason: 'invalid_state' })
    expect(await voidUnpaid()).toBe(0)
    const followed = await Followed.nextOpen(db.sql, 'base', 1_000, [])
    const ids = followed.map(({ invoiceId }) => invoiceId)
    expect(ids).toContain(purchase.invoiceId)
  })

  test.each([
    ['under a mandate', true],
    ['without a mandate', false],
  ])(
    'and that the chain has just shown, %s, cannot be voided before it is credited',
    async (_, isUnder) => {
      const mandateId = isUnder ? await aMandate() : null
      const { prepareNew, accept, voidInvoice, invoices } = process()
      const { purchase } = await prepareNew({ ...aPayment(), mandateId }, { ...wanted, mandateId })
      const { invoiceId } = purchase
      await accept(purchase, null)
      const forwardedAt = new Date(Date.now() - 2 * 86_400_000)
      await db.sql`
        update purchases set forwarded_at = ${forwardedAt}, valid_before = ${forwardedAt} where invoice_id = ${invoiceId}`
      const paid = { ...purchase, state: 'paid', forwardedAt } as const
      const transfer = {
        txHash: `0x${Bun.randomUUIDv7().replaceAll('-', '').repeat(2)}`,
        position: 3,
        ...{ from: `0x${'5e'.repeat(20)}`, nonce: null },
      }
      expect(await PurchaseRows.takeTransfer(db.sql, paid, transfer)).toBe(true)
      const refused = voidInvoice(accountId, invoiceId)
      await expect(refused).rejects.toMatchObject({ reason: 'invalid_state' })
      await accept(paid, transfer.txHash)
      expect((await invoices.get(accountId, invoiceId)).state).toBe('paid')
    },
  )

  test('and that a process forwards whose clock is an hour ahead is looked for as soon as any other', async () => {
    const { prepareNew, suspend } = process()
    setSystemTime(new Date(Date.now() + 3_600_000))
    const { purchase } = await prepareNew(aPayment(), wanted)
    await suspend(purchase, null)
    setSystemTime()
    const followed = await Followed.nextOpen(db.sql, 'base', 1_000, [])
    expect(followed.map(({ invoiceId }) => invoiceId)).toContain(purchase.invoiceId)
    const again = await PurchaseRows.takeOver(db.sql, { ...purchase, state: 'unknown' })
    const [row] = await db.sql`
      select forwarded_at <= now() as is_past from purchases where invoice_id = ${purchase.invoiceId}`
    expect([again?.state, row?.is_past]).toEqual(['forwarding', true])
  })

  test('and whose named transaction has failed is not credited by that any more', async () => {
    const { prepareNew, accept, forgetTransaction, invoices } = process()
    const { purchase } = await prepareNew(aPayment(), wanted)
    await accept(purchase, txHash)
    const { invoiceId } = purchase
    expect((await invoices.get(accountId, invoiceId)).state).toBe('paid')
    const followed = await Followed.nextOpen(db.sql, 'base', 1_000, [])
    const paid = followed.find((one) => one.invoiceId === invoiceId) as PurchaseRows.Purchase
    await forgetTransaction(paid)
    const { state, progress } = await invoices.get(accountId, invoiceId)
    expect([state, progress.payments]).toEqual(['sent', []])
    const [row] = await db.sql`
      select state, tx_hash from purchases where invoice_id = ${invoiceId}`
    expect({ ...row }).toEqual({ state: 'paid', tx_hash: null })
  })

  describe('and is given up by another process while it is credited, is credited no more', () => {
    async function followed(invoiceId: string): Promise<PurchaseRows.Purchase | undefined> {
      const open = await Followed.nextOpen(db.sql, 'base', 1_000, [])
      return open.find((one) => one.invoiceId === invoiceId)
    }

    async function expectUnpaid(invoiceId: string): Promise<void> {
      const { state, progress } = await process().invoices.get(accountId, invoiceId)
      expect([state, progress.payments]).toEqual(['sent', []])
      const [row] = await db.sql`select state from purchases where invoice_id = ${invoiceId}`
      expect(row?.state).toBe('lapsed')
    }

    test('before that', async () => {
      const { prepareNew, accept } = process({
        async conclude(purchase, next) {
          const isNoted = await PurchaseRows.conclude(db.sql, purchase, next)
          const paid = await followed(purchase.invoiceId)
          if (paid) await process().lapse(paid)
          return isNoted
        },
      })
      const { purchase } = await prepareNew(aPayment(), wanted)
      await accept(purchase, txHash)
      await expectUnpaid(purchase.invoiceId)
    })

    test('in the middle of that', async () => {
      const isLapsing = Promise.withResolvers<void>()
      const { prepareNew, accept } = process({
        async conclude(purchase, next) {
          const isNoted = await PurchaseRows.conclude(db.sql, purchase, next)
          await isLapsing.promise
          return isNoted
        },
      })
      const { purchase } = await prepareNew(aPayment(), wanted)
      const accepting = accept(purchase, txHash)
      let paid: PurchaseRows.Purchase | undefined
      await eventually(async () => {
        paid = await followed(purchase.invoiceId)
        return paid?.state === 'paid'
      })
      const { lapse } = process({
        async conclude(...asked) {
          isLapsing.resolve()
          await accepting
          return PurchaseRows.conclude(db.sql, ...asked)
        },
      })
      await lapse(paid as PurchaseRows.Purchase)
      await expectUnpaid(purchase.invoiceId)
    })
  })

  test('and that is known by nothing but its transaction is looked up by that, though its process died while it was counted', async () => {
    const one = aPayment()
    const payment = { ...one.payment, key: `permit2:base:${one.payment.key}`, authorization: null }
    const attempt = { ...one, agentId, payment }
    const commit = () => Promise.reject(new Error('killed'))
    const { prepareNew, accept } = process({}, { commit })
    const { purchase } = await prepareNew(attempt, { ...wanted, agentId })
    const { invoiceId } = purchase
    await expect(accept(purchase, txHash)).rejects.toThrow('killed')
    await db.sql`
      update purchases set forwarded_at = forwarded_at - interval '61 seconds' where invoice_id = ${invoiceId}`
    const followed = await Followed.nextOpen(db.sql, 'base', 1_000, [])
    const open = followed.find((followedOne) => followedOne.invoiceId === invoiceId)
    expect(open).toMatchObject({ state: 'forwarding', txHash })
  })

  describe('that is taken when the hold on its budget has run out', () => {
    const ofAgent = { ...wanted, agentId }

    /** A payment that is being forwarded; its hold has run out, and so has its attempt's time. */
    async function overdue(of: Pick<Purchases, 'prepareNew'>) {
      const attempt = { ...aPayment(), agentId }
      const { purchase } = await of.prepareNew(attempt, ofAgent)
      await passTime(db.sql, heldMs)
      const forwardedAt = new Date(Number(purchase.forwardedAt) - heldMs)
      await db.sql`
        update purchases set forwarded_at = ${forwardedAt} where invoice_id = ${purchase.invoiceId}`
      return { attempt, purchase: { ...purchase, forwardedAt } }
    }

    test('counts once, though its process died before that was noted and the payment is sent again', async () => {
      const dying = process({ conclude: () => Promise.reject(new Error('killed')) })
      const { attempt, purchase } = await overdue(dying)
      await expect(dying.accept(purchase, null)).rejects.toThrow('killed')
      expect(await spent()).toBe(1)
      const { prepare, accept } = process()
      const again = await prepare(attempt)
      if (!again || again === 'spent') throw new Error('no invoice waits')
      await accept(again.purchase, null)
      expect([again.isInDoubt, await spent()]).toEqual([true, 1])
    })

    test('counts once, though another attempt has taken over before its end is known', async () => {
      const { prepare, accept } = process()
      const { attempt, purchase } = await overdue(process())
      const again = await prepare(attempt)
      if (!again || again === 'spent') throw new Error('no invoice waits')
      await accept(purchase, null)
      await accept(again.purchase, null)
      expect(await spent()).toBe(1)
    })
  })

  test('and was refused can be sent again at once though its budget could not be reached meanwhile', async () => {
    const attempt = { ...aPayment(), agentId }
    const { prepare, prepareNew, refuse } = process()
    await refuse((await prepareNew(attempt, { ...wanted, agentId })).purchase)
    const release = () => Promise.reject(new DomainError('overloaded', 'not now'))
    const again = process({}, { release }).prepare(attempt)
    await expect(again).rejects.toMatchObject({ reason: 'overloaded' })
    expect(await prepare(attempt)).toMatchObject({ isInDoubt: false })
  })

  test('counts in the currency that its budget has just been given', async () => {
    const { prepareNew } = process(
      {},
      {
        async get(...asked) {
          const budget = await budgets.get(...asked)
          if (budget.currency === 'USD')
            await budgets.set(accountId, agentId, { currency: 'EUR', limitMinor: 5n })
          return budget
        },
      },
    )
    const attempt = { ...aPayment(), agentId }
    const { purchase } = await prepareNew(attempt, { ...wanted, agentId })
    expect(purchase.reservation).toMatchObject({ amountMinor: 1n, currency: 'EUR' })
    expect((await budgets.get(accountId, agentId)).reserved).toBe(1)
  })

  test('of any number of attempts at once is one’s to forward, on one invoice', async () => {
    const one = aPayment()
    const attempts = Array.from({ length: 8 }, () => process().prepareNew(one, wanted))
    const outcomes = await Promise.allSettled(attempts)
    const reasons = outcomes.flatMap((made) => (made.status === 'rejected' ? [made.reason] : []))
    expect(reasons.map(({ reason }) => reason)).toEqual(
      Array.from({ length: 7 }, () => 'idempotency_in_progress'),
    )
    expect(await invoiceIds()).toHaveLength(1)
  })
})
