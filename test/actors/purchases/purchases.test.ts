import { afterEach, beforeEach, describe, expect, setSystemTime, test } from 'bun:test'
import type { Budgets } from '../../../src/actors/budgets.ts'
import type { Invoices } from '../../../src/actors/invoices.ts'
import { execute } from '../../../src/actors/purchases/execute.ts'
import { createPurchases, type Purchases } from '../../../src/actors/purchases/purchases.ts'
import { supersede } from '../../../src/actors/purchases/start.ts'
import { DomainError, type Reason } from '../../../src/domain/error.ts'
import { hashOf } from '../../../src/domain/hash.ts'
import type { Attempt } from '../../../src/domain/purchases/attempt.ts'
import type { Purchase } from '../../../src/domain/purchases/purchase.ts'
import { loadMany } from '../../../src/storage/invoices/invoices.ts'
import { nextOpen } from '../../../src/storage/purchases/open.ts'
import { load } from '../../../src/storage/purchases/purchases.ts'
import { budgetActors, passTime } from '../../support/budgets.ts'
import { invoiceActors } from '../../support/invoice-actors.ts'
import { storedMandate } from '../../support/stored-mandate.ts'
import { eventually } from '../../support/wait.ts'
import { useWorld } from '../../support/world.ts'

const agentId = 'agent-7'
const heldMs = 61_000
const hourMs = 3_600_000
const { database } = useWorld({ service: 'none' })

let budgets: Budgets
let accountId: string

afterEach(() => void setSystemTime())

beforeEach(async () => {
  budgets = budgetActors(database.sql)
  accountId = Bun.randomUUIDv7()
  await budgets.set(accountId, agentId, { limitMinor: 3n, currency: 'USD' })
})

const resource = hashOf('a report')
const requirements = {
  network: 'base',
  payTo: `0x${'5'.repeat(40)}`,
  usdcBase: 10_000n,
} as const
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
  demandSha256: null,
}
const txHash = `0x${'7'.repeat(64)}`
const killed = () => Promise.reject(new Error('killed'))
const mandates = [
  ['under a mandate', true],
  ['without a mandate', false],
] as const

/** What happens around the steps of a purchase. */
type Hooks = {
  /** Before a command of an invoice. */
  before?: Partial<Record<'send' | 'void' | 'credit', () => Promise<unknown>>>
  created?: (invoiceId: string) => Promise<unknown>
  sent?: () => Promise<unknown>
  read?: () => Promise<unknown>
}

/** One process on the shared database. */
function process(hooks: Hooks = {}, money: Partial<Budgets> = {}) {
  const { sql } = database
  const invoices = invoiceActors(sql)
  const purchases = createPurchases({
    sql,
    invoices: hooked(invoices, hooks),
    budgets: { ...budgets, ...money },
    readers: new Map(),
    fxOf: async () => ({ rates: { EUR: '1.08' }, source: 'none', asOf: '2026-05-01' }),
    now: () => new Date(),
    log: { warn: () => {} },
  })
  return { ...purchases, invoices, hooks }
}

function hooked(invoices: Invoices, hooks: Hooks): Invoices {
  return {
    ...invoices,
    async create(...asked) {
      const created = await invoices.create(...asked)
      await hooks.created?.(created.invoice.id)
      return created
    },
    async get(...asked) {
      const invoice = await invoices.get(...asked)
      await hooks.read?.()
      return invoice
    },
    async execute(id, command) {
      await hooks.before?.[command.kind as 'send']?.()
      const invoice = await invoices.execute(id, command)
      if (command.kind === 'send') await hooks.sent?.()
      return invoice
    },
  }
}

function aPayment(): Attempt {
  const nonce = `0x${Bun.randomUUIDv7().replaceAll('-', '').repeat(2)}`
  const payer = `0x${'a'.repeat(40)}`
  const payment = {
    key: `eip3009:base:${payer}:${nonce}`,
    requirements,
    authorization: { payer, nonce },
    transfer: null,
    payer,
    validBeforeMs: Date.now() + hourMs,
    txHash: null,
    identified: null,
  }
  return { accountId, resource, payment, agentId: null, mandateId: null, invoiceId: null }
}

const aMandate = () => storedMandate(database.sql, accountId)

async function invoiceIds(): Promise<string[]> {
  const { sql } = database
  const rows = await sql`select id from invoices where account_id = ${accountId} order by id`
  return rows.map(({ id }) => id)
}

async function stored(invoiceId: string): Promise<Purchase> {
  return (await load(database.sql, invoiceId)) as Purchase
}

async function stateOf(invoiceId: string): Promise<string> {
  const [invoice] = await loadMany(database.sql, [invoiceId])
  return invoice?.state ?? 'none'
}

/** Makes a purchase so much older, and what was signed for it over by then if `isOver`. */
async function aged(invoiceId: string, ms: number, isOver = false): Promise<Purchase> {
  const passed = database.sql`${ms} * interval '1 millisecond'`
  await database.sql`
    update purchases set version = version + 1, forwarded_at = forwarded_at - ${passed}, updated_at = updated_at - ${passed},
      abandoned_at = abandoned_at - ${passed},
      valid_before = case when ${isOver} then valid_before - ${passed} else valid_before end
    where invoice_id = ${invoiceId}`
  return stored(invoiceId)
}

async function dueNow(): Promise<readonly Purchase[]> {
  return nextOpen(database.sql, 'base', 1_000, [])
}

async function spent(): Promise<number> {
  return (await budgets.get(accountId, agentId)).spent
}

describe('a payment that was taken while its budget', () => {
  type Trouble = Reason | null

  async function unless<Result>(next: Trouble[], run: () => Promise<Result>): Promise<Result> {
    const trouble = next.shift()
    if (trouble) throw new DomainError(trouble, 'not now')
    return run()
  }

  /**
   * A process whose next calls to budgets fail so, before anything is done; null lets one through.
   */
  function troubled(troubles: { readonly reserve?: Trouble[]; readonly commit?: Trouble[] }) {
    const { reserve, commit } = budgets
    return process(
      {},
      {
        reserve: (...asked) => unless(troubles.reserve ?? [], () => reserve(...asked)),
        commit: (...asked) => unless(troubles.commit ?? [], () => commit(...asked)),
      },
    )
  }

  /** A purchase that is being forwarded, with 1 of the budget reserved for it. */
  async function aPurchase(): Promise<Purchase> {
    const attempt = { ...aPayment(), agentId }
    return (await process().prepareNew(attempt, { ...wanted, agentId })).purchase
  }

  /** Accepts the payment as it is stored. Answers the error, or the purchase's state. */
  async function accepted({ accept }: Purchases, { invoiceId }: Purchase): Promise<string> {
    const error = await accept(await stored(invoiceId), null).then(
      () => null,
      ({ reason }) => reason as string,
    )
    return error ?? (await stored(invoiceId)).state
  }

  test('is overloaded is not noted as paid, and counts once afterwards', async () => {
    const purchase = await aPurchase()
    const process = troubled({ commit: ['overloaded'] })
    expect(await accepted(process, purchase)).toBe('overloaded')
    expect((await stored(purchase.invoiceId)).state).toBe('forwarding')
    expect([await accepted(process, purchase), await spent()]).toEqual(['paid', 1])
  })

  test('cannot be reached, late, is not noted as paid, and counts once afterwards', async () => {
    const purchase = await aPurchase()
    await passTime(database.sql, heldMs)
    const process = troubled({ reserve: ['unavailable'] })
    expect(await accepted(process, purchase)).toBe('unavailable')
    expect((await stored(purchase.invoiceId)).state).toBe('forwarding')
    expect([await accepted(process, purchase), await spent()]).toEqual(['paid', 1])
    expect([await accepted(process, purchase), await spent()]).toEqual(['paid', 1])
  })

  test('was being counted late by a process that died counts once, though what was held for that ran out too', async () => {
    const purchase = await aPurchase()
    await passTime(database.sql, heldMs)
    const process = troubled({ commit: [null, 'unavailable'] })
    expect(await accepted(process, purchase)).toBe('unavailable')
    await passTime(database.sql, heldMs)
    expect([await accepted(process, purchase), await spent()]).toEqual(['paid', 1])
    await passTime(database.sql, heldMs)
    expect([await accepted(process, purchase), await spent()]).toEqual(['paid', 1])
  })

  test('has no more room, late, is noted as paid', async () => {
    const purchase = await aPurchase()
    await passTime(database.sql, heldMs)
    await budgets.set(accountId, agentId, { limitMinor: 0n })
    expect([await accepted(process(), purchase), await spent()]).toEqual(['paid', 0])
  })

  test('is fine, but that is too late to be noted, is not credited to an invoice that may have been given up', async () => {
    const purchase = await aPurchase()
    await aged(purchase.invoiceId, 1)
    expect(await process().accept(purchase, txHash)).toBeNull()
    expect([await stateOf(purchase.invoiceId), await spent()]).toEqual(['sent', 1])
  })
})

describe('a payment without a quote', () => {
  test('gets the invoice made for it, whatever other payments of the resource arrive meanwhile', async () => {
    const [one, other] = [aPayment(), aPayment()]
    let others: unknown
    const { prepareNew } = process({
      async sent() {
        others = await process().prepare(other)
      },
    })
    const { purchase, isRepeat } = await prepareNew(one, wanted)
    expect([others, purchase.state, isRepeat]).toEqual([null, 'forwarding', false])
    expect([purchase.invoiceId]).toEqual(await invoiceIds())
  })

  test('goes on with its invoice where the first attempt died before it was tied to it', async () => {
    const one = aPayment()
    await expect(process({ sent: killed }).prepareNew(one, wanted)).rejects.toThrow('killed')
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
      await expect(attempt(first, process({ sent: killed }))).rejects.toThrow('killed')
      await expect(attempt(other, process())).rejects.toMatchObject({ reason: 'invalid_state' })
      const { purchase } = await attempt(first, process())
      expect(purchase.mandateId).toBe(first)
      expect(await invoiceIds()).toEqual([purchase.invoiceId])
    },
  )

  test('gets another invoice where its own was voided before it was tied to it', async () => {
    const one = aPayment()
    await expect(process({ sent: killed }).prepareNew(one, wanted)).rejects.toThrow('killed')
    const { invoices, prepareNew, prepare } = process()
    const [voided = ''] = await invoiceIds()
    await invoices.execute(voided, { kind: 'void' })
    expect(await prepare(one)).toBeNull()
    const { purchase } = await prepareNew(one, wanted)
    expect(await invoiceIds()).toEqual([voided, purchase.invoiceId])
    await expect(prepare(one)).rejects.toMatchObject({ reason: 'idempotency_in_progress' })
  })

  test.each(mandates)(
    'gets another invoice where its own is being voided at the very moment, %s',
    async (_, isUnder) => {
      const mandateId = isUnder ? await aMandate() : null
      const [givenUp, started] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const owner = process({
        before: {
          void() {
            givenUp.resolve()
            return started.promise
          },
        },
      })
      let voiding: Promise<unknown> | undefined
      const { prepareNew } = process({
        async sent() {
          const [invoiceId = ''] = await invoiceIds()
          voiding ??= owner.voidInvoice(accountId, invoiceId)
          await givenUp.promise
        },
      })
      const { purchase } = await prepareNew({ ...aPayment(), mandateId }, { ...wanted, mandateId })
      started.resolve()
      await voiding
      const ids = await invoiceIds()
      expect(await Promise.all(ids.map(stateOf))).toEqual(['failed', 'sent'])
      expect([purchase.invoiceId]).toEqual(ids.slice(1))
    },
  )

  test.each(mandates)(
    'is forwarded, or its invoice is voided at the same moment, but never both, %s',
    async (_, isUnder) => {
      const mandateId = isUnder ? await aMandate() : null
      const { quote, prepare, voidInvoice } = process()
      for (let n = 0; n < 10; n++) {
        const another = hashOf(`a report ${n}`)
        const { id } = await quote(accountId, another, { ...wanted, mandateId })
        const one = { ...aPayment(), mandateId, resource: another }
        const [voiding, prepared] = await Promise.allSettled([
          voidInvoice(accountId, id),
          prepare(one),
        ])
        const isForwarded = prepared.status === 'fulfilled' && prepared.value !== null
        expect(isForwarded).toBe(voiding.status === 'rejected')
      }
    },
  )

  test('and whose price is told while its invoice is being voided leaves no invoice that can be paid', async () => {
    const { quote, prepare } = process({
      created: (invoiceId) => process().voidInvoice(accountId, invoiceId),
    })
    const quoting = quote(accountId, resource, wanted)
    await expect(quoting).rejects.toMatchObject({ reason: 'invalid_state' })
    const [invoiceId = ''] = await invoiceIds()
    expect(await stateOf(invoiceId)).toBe('failed')
    expect(await prepare(aPayment())).toBeNull()
  })

  test.each(mandates)(
    'and whose attempt died when it had superseded another invoice leaves that to the sweep, %s',
    async (_, isUnder) => {
      const mandateId = isUnder ? await aMandate() : null
      const { quote, voidUnpaid } = process()
      const { id } = await quote(accountId, resource, { ...wanted, mandateId })
      const one = { ...aPayment(), mandateId, invoiceId: id }
      expect(await supersede(database.sql, one, 0n)).toMatchObject({ kind: 'quote' })
      expect([await stateOf(id), await voidUnpaid(), await stateOf(id)]).toEqual([
        'sent',
        1,
        'failed',
      ])
      expect(await voidUnpaid()).toBe(0)
    },
  )

  test.each(mandates)(
    'replaces the invoice that it names, which is void then, though an attempt died when that was superseded, %s',
    async (_, isUnder) => {
      const mandateId = isUnder ? await aMandate() : null
      const { quote, prepareNew } = process()
      const { id: invoiceId } = await quote(accountId, resource, { ...wanted, mandateId })
      const polygon = { ...requirements, network: 'polygon' as const }
      const other = { ...wanted, mandateId, requirements: polygon }
      const one = { ...aPayment(), mandateId, invoiceId }
      const dying = process({ before: { void: killed } })
      await expect(dying.prepareNew(one, other)).rejects.toThrow('killed')
      expect(await stateOf(invoiceId)).toBe('sent')
      const { purchase } = await prepareNew(one, other)
      expect(await stateOf(invoiceId)).toBe('failed')
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
    const { prepare, prepareNew, unanswered, accept } = process()
    const [one, other] = [aPayment(), aPayment()]
    const first = await prepareNew(one, wanted)
    expect(await unanswered(first, true)).toBe('not_taken')
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
      const { quote, prepareNew, unanswered, voidUnpaid } = process()
      setSystemTime(new Date(Date.now() + tellerAheadMs))
      await quote(accountId, 'another report', { ...wanted, mandateId })
      await unanswered(
        await prepareNew({ ...aPayment(), mandateId }, { ...wanted, mandateId }),
        true,
      )
      setSystemTime()
      setSystemTime(new Date(Date.now() + sweeperAheadMs))
      expect(await voidUnpaid()).toBe(0)
      await database.sql`
        update purchases set updated_at = updated_at - interval '61 minutes' where account_id = ${accountId}`
      expect(await voidUnpaid()).toBe(2)
    },
  )

  test('C9 that was never made ends its invoice as expired after a day, unless it is under way', async () => {
    const { quote, prepareNew, unanswered, voidUnpaid } = process()
    const { id } = await quote(accountId, 'another report', wanted)
    const refused = await prepareNew(aPayment(), wanted)
    await unanswered(refused, true)
    const pending = await prepareNew(aPayment(), { ...wanted, method: 'POST' })
    await database.sql`update purchases set updated_at = updated_at - interval '23 hours 59 minutes'`
    expect(await voidUnpaid()).toBe(0)
    await database.sql`update purchases set updated_at = updated_at - interval '2 minutes'`
    expect(await voidUnpaid()).toBe(2)
    const ids = [id, refused.purchase.invoiceId, pending.purchase.invoiceId]
    const ended = await loadMany(database.sql, ids)
    const failureOf = (id: string) => ended.find((one) => one.id === id)?.progress.failure
    expect(ids.map(failureOf)).toEqual(['expired', 'expired', null])
    expect(await voidUnpaid()).toBe(0)
  })

  test('and whose transaction was named is followed on, though its owner wants to void its invoice after days without a word of the chain', async () => {
    const mandateId = await aMandate()
    const { prepareNew, accept, voidInvoice, voidUnpaid } = process()
    const { purchase } = await prepareNew({ ...aPayment(), mandateId }, { ...wanted, mandateId })
    const { invoiceId } = purchase
    await accept(purchase, txHash)
    await aged(invoiceId, 48 * hourMs, true)
    const refused = voidInvoice(accountId, invoiceId)
    await expect(refused).rejects.toMatchObject({ reason: 'invalid_state' })
    expect(await voidUnpaid()).toBe(0)
    expect((await dueNow()).map(({ invoiceId }) => invoiceId)).toContain(invoiceId)
  })

  test.each(mandates)(
    'and that the chain has just shown, %s, cannot be voided before it is credited',
    async (_, isUnder) => {
      const mandateId = isUnder ? await aMandate() : null
      const { prepareNew, accept, voidInvoice } = process()
      const { purchase } = await prepareNew({ ...aPayment(), mandateId }, { ...wanted, mandateId })
      const { invoiceId } = purchase
      await accept(purchase, null)
      const paid = await aged(invoiceId, 48 * hourMs, true)
      const seen = await execute(database.sql, paid, { kind: 'see', txHash, position: 3 })
      const refused = voidInvoice(accountId, invoiceId)
      await expect(refused).rejects.toMatchObject({ reason: 'invalid_state' })
      expect(seen && (await accept(seen, txHash))).not.toBeNull()
      expect(await stateOf(invoiceId)).toBe('paid')
      await database.sql`update purchases set position = null`
    },
  )

  test('and that a process forwards whose clock is an hour ahead is looked for as soon as any other', async () => {
    const { prepareNew, unanswered } = process()
    setSystemTime(new Date(Date.now() + hourMs))
    const prepared = await prepareNew(aPayment(), wanted)
    await unanswered(prepared, false)
    setSystemTime()
    const { invoiceId } = prepared.purchase
    const due = (await dueNow()).find((one) => one.invoiceId === invoiceId) as Purchase
    const again = await execute(database.sql, due, { kind: 'take_over' })
    expect(again?.state).toBe('forwarding')
    expect(Number(again?.payment?.forwardedAt)).toBeLessThanOrEqual(Date.now())
  })

  test('and whose named transaction has failed is not credited by that any more', async () => {
    const { prepareNew, accept, forgetTransaction, invoices } = process()
    const { purchase } = await prepareNew(aPayment(), wanted)
    const { invoiceId } = purchase
    await accept(purchase, txHash)
    expect(await stateOf(invoiceId)).toBe('paid')
    await forgetTransaction(await stored(invoiceId))
    const { state, progress } = await invoices.get(accountId, invoiceId)
    expect([state, progress.payments]).toEqual(['sent', []])
    expect(await stored(invoiceId)).toMatchObject({ state: 'paid', txHash: null })
  })

  describe('and expires in another process while it is credited, is credited no more', () => {
    async function expectUnpaid(invoiceId: string): Promise<void> {
      const { state, progress } = await process().invoices.get(accountId, invoiceId)
      expect([state, progress.payments]).toEqual(['sent', []])
      expect((await stored(invoiceId)).state).toBe('expired')
    }

    test('before that', async () => {
      let invoiceId = ''
      const { prepareNew, accept } = process({
        before: { credit: async () => process().expire(await stored(invoiceId)) },
      })
      const { purchase } = await prepareNew(aPayment(), wanted)
      invoiceId = purchase.invoiceId
      await accept(purchase, txHash)
      await expectUnpaid(invoiceId)
    })

    test('in the middle of that', async () => {
      const isExpiring = Promise.withResolvers<void>()
      const { prepareNew, accept } = process({ before: { credit: () => isExpiring.promise } })
      const { purchase } = await prepareNew(aPayment(), wanted)
      const { invoiceId } = purchase
      const accepting = accept(purchase, txHash)
      await eventually(async () => (await stored(invoiceId)).state === 'paid')
      const { expire } = process({
        async read() {
          isExpiring.resolve()
          await accepting
        },
      })
      await expire(await stored(invoiceId))
      await expectUnpaid(invoiceId)
    })
  })

  test('and that is known by nothing but its transaction is looked up by that, though its process died while it was counted', async () => {
    const one = aPayment()
    const payment = { ...one.payment, key: `permit2:base:${one.payment.key}`, authorization: null }
    const attempt = { ...one, agentId, payment }
    const { prepareNew, accept } = process({}, { commit: killed })
    const { purchase } = await prepareNew(attempt, { ...wanted, agentId })
    const { invoiceId } = purchase
    await expect(accept(purchase, txHash)).rejects.toThrow('killed')
    await aged(invoiceId, heldMs)
    const open = (await dueNow()).find((due) => due.invoiceId === invoiceId)
    expect(open).toMatchObject({ state: 'forwarding', txHash })
  })

  describe('that is taken when the hold on its budget has run out', () => {
    /** A payment that is being forwarded; its hold has run out, and so has its attempt's time. */
    async function overdue() {
      const attempt = { ...aPayment(), agentId }
      const { purchase } = await process().prepareNew(attempt, { ...wanted, agentId })
      await passTime(database.sql, heldMs)
      return { attempt, purchase: await aged(purchase.invoiceId, heldMs) }
    }

    test('counts once, though its process died before that was noted and the payment is sent again', async () => {
      const { attempt, purchase } = await overdue()
      const { accept: die } = process(
        {},
        {
          async commit(...asked) {
            await budgets.commit(...asked)
            return killed()
          },
        },
      )
      await expect(die(purchase, null)).rejects.toThrow()
      const { prepare, accept } = process()
      const again = await prepare(attempt)
      if (!again || again === 'spent') throw new Error('no invoice waits')
      await accept(again.purchase, null)
      expect([again.isInDoubt, await spent()]).toEqual([true, 1])
    })

    test('counts once, though another attempt has taken over before its end is known', async () => {
      const { prepare, accept } = process()
      const { attempt, purchase } = await overdue()
      const again = await prepare(attempt)
      if (!again || again === 'spent') throw new Error('no invoice waits')
      await accept(purchase, null)
      await accept(again.purchase, null)
      expect(await spent()).toBe(1)
    })
  })

  test('and was refused can be sent again at once though its budget could not be reached meanwhile', async () => {
    const attempt = { ...aPayment(), agentId }
    const { prepare, prepareNew, unanswered } = process()
    await unanswered(await prepareNew(attempt, { ...wanted, agentId }), true)
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
