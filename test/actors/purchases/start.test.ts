import { beforeEach, describe, expect, test } from 'bun:test'
import { base58 } from '@scure/base'
import { start, startNew, supersede } from '../../../src/actors/purchases/start.ts'
import type { Attempt } from '../../../src/domain/purchases/attempt.ts'
import type { State } from '../../../src/domain/purchases/purchase.ts'
import type { Sql } from '../../../src/storage/postgres/db.ts'
import {
  attempt,
  buyerId,
  commanded,
  made,
  newQuote,
  passTimeOfPurchases,
  quoted,
  requirements,
  signed,
} from '../../support/purchases.ts'
import { storedInvoice } from '../../support/stored-invoice.ts'
import { useWorld } from '../../support/world.ts'

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs
const { database } = useWorld({ service: 'none' })

beforeEach(async () => {
  await database.sql`truncate purchases`
})

const kinds = (outcomes: readonly { readonly kind: string }[]) =>
  outcomes.map(({ kind }) => kind).toSorted()

async function started(one: Attempt) {
  const outcome = await start(database.sql, one)
  if (outcome.kind !== 'started') throw new Error(outcome.kind)
  return outcome.purchase
}

/** A purchase whose payment has ended so. */
async function ended(one: Attempt, state: State): Promise<string> {
  const { sql } = database
  const { invoiceId } = await started(one)
  if (state === 'refused') await commanded(sql, invoiceId, { kind: 'refuse' })
  if (state === 'unknown')
    await commanded(sql, invoiceId, { kind: 'suspend', txHash: null, isAnswered: true })
  if (state === 'paid') await commanded(sql, invoiceId, { kind: 'accept', txHash: null })
  if (state === 'expired') await commanded(sql, invoiceId, { kind: 'expire' })
  return invoiceId
}

describe('copies of one payment that come at the same moment', () => {
  test.each([
    ['signed', signed, false, null],
    ['signed, under a mandate', signed, false, 'mnd_1'],
    ['signed, and that names its invoice', signed, true, null],
    ['made before it is shown', made, false, null],
  ] as const)(
    '%s: one is forwarded, the others are busy',
    async (_, payment, isNamed, mandateId) => {
      for (let n = 0; n < 20; n++) {
        await database.sql`truncate purchases`
        const invoiceId = await quoted(database.sql, mandateId)
        const copy = attempt(payment(n), isNamed ? invoiceId : null, mandateId)
        const starts = await Promise.all(Array.from({ length: 4 }, () => start(database.sql, copy)))
        expect(kinds(starts)).toEqual(['busy', 'busy', 'busy', 'started'])
      }
    },
  )

  test('of several payments of one resource each gets an invoice of its own, while there are any', async () => {
    for (let n = 0; n < 3; n++) await quoted(database.sql)
    const copies = Array.from({ length: 16 }, (_, n) => attempt(signed(n % 4)))
    const starts = await Promise.all(copies.map((copy) => start(database.sql, copy)))
    expect(kinds(starts)).toEqual([
      ...Array(9).fill('busy'),
      ...Array(4).fill('none'),
      ...Array(3).fill('started'),
    ])
  })

  test('leave no invoice behind that nothing can pay', async () => {
    const { sql } = database
    const [first, second] = [await quoted(sql), (await storedInvoice(sql, buyerId)).id]
    const copy = attempt(signed(1))
    expect((await started(copy)).invoiceId).toBe(first)
    expect(await startNew(sql, newQuote(second), copy)).toEqual({ kind: 'busy' })
    expect((await started(attempt(signed(2)))).invoiceId).toBe(second)
  })
})

describe('a payment is not forwarded', () => {
  test.each(['paid', 'failed'])('for an invoice that is %s', async (state) => {
    const { sql } = database
    const invoiceId = await quoted(sql)
    await sql`update invoices set state = ${state} where id = ${invoiceId}`
    expect(await start(sql, attempt(signed(1)))).toEqual({ kind: 'none' })
    const { id } = await storedInvoice(sql, buyerId)
    await sql`update invoices set state = ${state} where id = ${id}`
    expect(await startNew(sql, newQuote(id), attempt(signed(2)))).toEqual({ kind: 'none' })
  })

  test.each([
    ['amount', { requirements: { ...requirements, usdcBase: 4_999n } }],
    ['validity', { validBeforeMs: Date.UTC(2026, 4, 3) }],
  ])('whose nonce was signed for another %s', async (_, over) => {
    await quoted(database.sql)
    await started(attempt(signed(1)))
    const other = start(database.sql, attempt({ ...signed(1), ...over }))
    expect(await other).toEqual({ kind: 'elsewhere' })
  })
})

describe('what was signed on Solana', () => {
  const onSolana = { network: 'solana', payTo: 'S', usdcBase: 5_000n } as const

  const wallet = (n: number) => base58.encode(new Uint8Array(32).fill(1 + n))

  function message(n: number): Attempt['payment'] {
    const transfer = { payer: 'P', nonce: `${n}`, usdcBase: 5_000n, isTo: () => true }
    const unread = { authorization: null, payer: null, validBeforeMs: null }
    const unsaid = { ...unread, txHash: null, identified: null }
    return { ...unsaid, key: `message:solana:${n}`, requirements: onSolana, transfer }
  }

  test('is kept before it is sent', async () => {
    await quoted(database.sql, null, onSolana)
    const { payment } = await started(attempt(message(1)))
    expect(payment).toMatchObject({ payer: 'P', message: '1', nonce: null })
  })

  test('pays the invoice that is named, or the newest, however many wait for as much on other accounts', async () => {
    const ids: string[] = []
    for (let n = 0; n < 60; n++) {
      ids.push(await quoted(database.sql, null, { ...onSolana, payTo: wallet(n) }))
      // Of those of one millisecond none is the newest.
      await Bun.sleep(2)
    }
    let tried = 0
    const to = (payTo: string, n: number) => {
      const { transfer, ...payment } = message(n)
      const isTo = (wallet: string) => ++tried > 0 && wallet === payTo
      return { ...payment, requirements: null, transfer: transfer && { ...transfer, isTo } }
    }
    expect((await started(attempt(to(wallet(0), 1), ids[0]))).invoiceId).toBe(ids[0] as string)
    expect((await started(attempt(to(wallet(59), 2)))).invoiceId).toBe(ids[59] as string)
    expect(tried).toBe(2)
    expect(await start(database.sql, attempt(to('nobody', 3)))).toEqual({ kind: 'none' })
    expect(tried).toBe(2 + 50)
  })

  test('pays no invoice where it is of more than any can ask for', async () => {
    await quoted(database.sql, null, onSolana)
    const { transfer, ...payment } = message(1)
    const most = transfer && { ...transfer, usdcBase: 2n ** 64n - 1n }
    const outcome = start(database.sql, attempt({ ...payment, requirements: null, transfer: most }))
    expect(await outcome).toEqual({ kind: 'none' })
  })
})

describe('a purchase that was given up', () => {
  test.each([
    ['was not taken is free for another invoice', 'refused', 'none'],
    ['can be taken no more is free for another invoice', 'expired', 'none'],
    ['may have been taken is not forwarded again', 'unknown', 'elsewhere'],
    ['was accepted has been made', 'paid', 'done'],
  ] as const)('without a mandate: its payment that %s', async (_, state, kind) => {
    const { sql } = database
    await quoted(sql)
    const invoiceId = await ended(attempt(signed(1)), state)
    await passTimeOfPurchases(sql, 2 * dayMs)
    await sql`update purchases set valid_before = now() - interval '2 days'`
    await commanded(sql, invoiceId, { kind: 'abandon' })
    expect((await start(sql, attempt(signed(2)))).kind).toBe('none')
    await sql`update purchases set valid_before = '2026-05-02' where payment_key is not null`
    expect((await start(sql, attempt(signed(1)))).kind).toBe(kind)
  })
})

describe('a quote is superseded by a payment of another option', () => {
  const under = 'mnd_1'

  test.each([
    ['under a mandate', 'mnd_1'],
    ['without a mandate, by its name', null],
  ])('or is paid, but never both, %s', async (_, mandateId) => {
    const { sql } = database
    for (let n = 0; n < 20; n++) {
      await sql`truncate purchases`
      const invoiceId = await quoted(sql, mandateId)
      const named = mandateId === null ? invoiceId : null
      const [superseded, outcome] = await Promise.all([
        supersede(sql, attempt(signed(100 + n), named, mandateId), 0n),
        start(sql, attempt(signed(n), null, mandateId)),
      ])
      expect(outcome.kind).toBe(superseded.kind === 'quote' ? 'none' : 'started')
    }
  })

  test('once, for two payments at once', async () => {
    await quoted(database.sql, under)
    const both = [1, 2].map((n) => supersede(database.sql, attempt(signed(n), null, under), 0n))
    expect(kinds(await Promise.all(both))).toEqual(['none', 'quote'])
  })

  test('and a copy of that payment supersedes no second one, and is busy for a minute', async () => {
    const { sql } = database
    await quoted(sql, under)
    await quoted(sql, under)
    const copy = attempt(signed(1), null, under)
    const both = [supersede(sql, copy, 0n), supersede(sql, copy, 0n)]
    expect(kinds(await Promise.all(both))).toEqual(['busy', 'quote'])
    await passTimeOfPurchases(sql, minuteMs)
    expect(await supersede(sql, copy, 0n)).toEqual({ kind: 'none' })
  })

  test('also after a payment that was not taken, which then finds it no more', async () => {
    const { sql } = database
    const quoteId = await quoted(sql)
    const invoiceId = await ended(attempt(signed(1)), 'refused')
    expect(invoiceId).toBe(quoteId)
    const superseded = await supersede(sql, attempt(signed(2), invoiceId), 0n)
    expect(superseded).toMatchObject({ kind: 'quote', quote: { invoiceId } })
    for (const again of [attempt(signed(1)), attempt(signed(1), invoiceId)])
      expect(await start(sql, again)).toEqual({ kind: 'none' })
  })

  test.each(['forwarding', 'unknown', 'paid', 'expired'] as const)(
    'but not under a mandate where its payment is %s',
    async (state) => {
      const { sql } = database
      await quoted(sql, under)
      const invoiceId = await ended(attempt(signed(1), null, under), state)
      for (const one of [attempt(signed(2), null, under), attempt(signed(2), invoiceId)])
        expect(await supersede(sql, one, 0n)).toEqual({ kind: 'none' })
    },
  )

  test.each([
    ['by its name', 'mnd_1', true],
    ['by its name, without a mandate', null, true],
    ['unnamed', 'mnd_1', false],
  ])('and a concurrent copy is busy, %s', async (_, mandateId, isNamed) => {
    const { sql } = database
    const invoiceId = await quoted(sql, mandateId)
    const copy = attempt(signed(1), isNamed ? invoiceId : null, mandateId)
    const [held, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const first = sql.begin(async (tx) => {
      expect(await supersede(tx as unknown as Sql, copy, 0n)).toMatchObject({ kind: 'quote' })
      held.resolve()
      await over.promise
    })
    await held.promise
    const second = supersede(sql, copy, 0n)
    await Promise.race([second, isWaitedFor()])
    over.resolve()
    await first
    expect(await second).toEqual({ kind: 'busy' })
  })

  /** Resolves once a statement waits for a lock. */
  async function isWaitedFor(): Promise<void> {
    for (;;) {
      const [waiting] = await database.sql`
        select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      if (waiting) return
      await Bun.sleep(5)
    }
  }

  test('but not before its invoice is sent, since the caller does not know its price yet', async () => {
    const invoiceId = await quoted(database.sql, under, requirements, 'draft')
    for (const one of [attempt(signed(1), null, under), attempt(signed(1), invoiceId)])
      expect(await supersede(database.sql, one, 0n)).toEqual({ kind: 'none' })
  })

  test('of no agent by one of any agent, but not of another agent', async () => {
    const { sql } = database
    await quoted(sql, under)
    const ofAgent = { ...attempt(signed(1), null, under), agentId: 'agent-7' }
    expect(await supersede(sql, ofAgent, 0n)).toMatchObject({ kind: 'quote' })
    await quoted(sql, under)
    await sql`update purchases set agent_id = 'agent-8'`
    for (const agentId of ['agent-7', null]) {
      const other = { ...attempt(signed(2), null, under), agentId }
      expect(await supersede(sql, other, 0n)).toEqual({ kind: 'none' })
    }
  })

  test('only where what it holds is enough', async () => {
    const { sql } = database
    const enough = await quoted(sql, under)
    await quoted(sql, under, { ...requirements, usdcBase: 4_999n })
    const one = attempt(signed(1), null, under)
    expect(await supersede(sql, one, 5_001n)).toEqual({ kind: 'none' })
    const superseded = await supersede(sql, one, 5_000n)
    expect(superseded).toMatchObject({ kind: 'quote', quote: { invoiceId: enough } })
  })
})
