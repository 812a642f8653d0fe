import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { PaymentRequirements } from '../../../src/domain/x402/requirements.ts'
import type { Sql } from '../../../src/storage/postgres/db.ts'
import {
  type Attempt,
  addQuote,
  type Start,
  start,
  startNew,
} from '../../../src/storage/purchases/attempts.ts'
import { bringForward, nextOpen, settledSince } from '../../../src/storage/purchases/followed.ts'
import { giveUp, giveWay } from '../../../src/storage/purchases/given-up.ts'
import {
  conclude,
  nameTransaction,
  takeTransfer,
} from '../../../src/storage/purchases/purchases.ts'
import { loadCursor, startCursor } from '../../../src/storage/settlement/cursors.ts'
import { type ConcludedPurchase, commitStep } from '../../../src/storage/settlement/settlements.ts'
import { type TestDatabase, testDatabase } from '../../support/postgres.ts'
import { storedInvoice } from '../../support/stored-invoice.ts'

const [crowd, other] = [Bun.randomUUIDv7(), Bun.randomUUIDv7()]
const minuteMs = 60_000

let db: TestDatabase

beforeAll(async () => {
  db = await testDatabase()
})
afterAll(() => db.drop())
beforeEach(async () => {
  await db.sql`truncate purchases`
})

/** What the chain knows a payment by: its nonce, its transaction, or nothing. */
type KnownBy = 'nonce' | 'transaction' | 'nothing'

type Some = {
  readonly count?: number
  readonly accountId?: string
  readonly chain?: string
  readonly state?: string
  readonly knownBy?: KnownBy
  readonly ageMs?: number
}

/** Purchases on Base whose payments were forwarded a minute ago, and not looked for since. */
async function purchases({
  count = 1,
  accountId = crowd,
  chain = 'base',
  state = 'unknown',
  knownBy = 'nonce',
  ageMs = minuteMs,
}: Some): Promise<string[]> {
  const forwardedAt = new Date(Date.now() - ageMs)
  const rows = await db.sql<{ id: string }[]>`
    insert into purchases (invoice_id, account_id, resource, chain, pay_to, usdc_base, state, nonce, tx_hash, forwarded_at, created_at, updated_at)
    select gen_random_uuid(), ${accountId}, 'a report', ${chain}, '0x5e', 1, ${state},
      ${knownBy === 'nonce' ? '0x01' : null}, ${knownBy === 'transaction' ? '0x02' : null}, ${forwardedAt}, ${forwardedAt}, ${forwardedAt}
    from generate_series(1, ${count}) returning invoice_id as id`
  return rows.map(({ id }) => id)
}

async function lookedAt(limit: number, chain: 'base' | 'solana' = 'base') {
  const due = await nextOpen(db.sql, chain, limit, [])
  return due.map(({ invoiceId }) => invoiceId)
}

/** Lets time pass for all purchases: they are so much older afterwards. */
async function passTime(ms: number): Promise<void> {
  const passed = db.sql`${ms} * interval '1 millisecond'`
  await db.sql`
    update purchases set forwarded_at = forwarded_at - ${passed}, created_at = created_at - ${passed}, updated_at = updated_at - ${passed}`
}

/** What this connection has read of the table: how often the whole, and how many rows. */
async function readBy(sql: Sql) {
  const [read] = await sql<{ scans: number; rows: number }[]>`
    select seq_scan::int as scans, seq_tup_read::int + idx_tup_fetch::int as rows
    from pg_stat_xact_user_tables where relname = 'purchases'`
  if (!read) throw new Error('there are no statistics')
  return read
}

const requirements = { network: 'base', payTo: `0x${'5e'.repeat(20)}`, usdcBase: 5_000n } as const
const resource = 'a report'
const word = (n: number) => `0x${n.toString(16).padStart(64, '0')}`

async function drafted(
  mandateId: string | null,
  due: PaymentRequirements = requirements,
): Promise<string> {
  const { id: invoiceId } = await storedInvoice(db.sql, crowd)
  const wanted = { resource, requirements: due, agentId: null, mandateId }
  const quote = { ...wanted, invoiceId, accountId: crowd }
  await addQuote(db.sql, quote)
  return invoiceId
}

async function quoted(
  mandateId: string | null = null,
  due: PaymentRequirements = requirements,
): Promise<string> {
  const invoiceId = await drafted(mandateId, due)
  await db.sql`update invoices set state = 'sent' where id = ${invoiceId}`
  return invoiceId
}

function signed(n: number): Attempt['payment'] {
  const [payer, nonce] = [`0x${'a'.repeat(40)}`, word(n)]
  const authorization = { payer, nonce }
  const [key, validBeforeMs] = [`eip3009:base:${payer}:${nonce}`, Date.UTC(2026, 4, 2)]
  const signed = { requirements, authorization, transfer: null, payer, validBeforeMs, txHash: null }
  return { ...signed, key }
}

function made(n: number): Attempt['payment'] {
  const txHash = word(n)
  const unsaid = { requirements: null, authorization: null, transfer: null, validBeforeMs: null }
  return { ...unsaid, key: `transfer:${txHash}`, payer: '0xaa', txHash }
}

function attempt(
  payment: Attempt['payment'],
  invoiceId: string | null = null,
  mandateId: string | null = null,
): Attempt {
  return { accountId: crowd, resource, payment, agentId: null, mandateId, invoiceId }
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

  test('those named as looked at are left out', async () => {
    const [one = '', two = ''] = await purchases({ count: 2 })
    const due = await nextOpen(db.sql, 'base', 20, [one])
    expect(due.map(({ invoiceId }) => invoiceId)).toEqual([two])
  })

  test('one that a wrong clock has put off can be brought forward, and is then due as its age says', async () => {
    const [one = ''] = await purchases({ ageMs: 8 * minuteMs })
    await db.sql`update purchases set updated_at = now() + interval '1 hour'`
    expect(await bringForward(db.sql)).toBe(1)
    expect(await bringForward(db.sql)).toBe(0)
    expect(await lookedAt(20)).toEqual([one])
    expect(await bringForward(db.sql)).toBe(0)
    expect(await lookedAt(20)).toEqual([])
    await passTime(2 * minuteMs)
    expect(await lookedAt(20)).toEqual([one])
  })

  test('one with a message that an earlier version has put off for good can be brought forward', async () => {
    const [one = ''] = await purchases({ chain: 'solana', state: 'paid', knownBy: 'nothing' })
    await db.sql`update purchases set updated_at = 'infinity', signer = 'payer', message = 'hash'`
    expect(await bringForward(db.sql)).toBe(1)
    expect(await lookedAt(20, 'solana')).toEqual([one])
    expect(await bringForward(db.sql)).toBe(0)
  })

  test('none that is due later, or no more, is brought forward', async () => {
    await purchases({ ageMs: 120 * minuteMs })
    await db.sql`update purchases set updated_at = now() + interval '15 minutes'`
    await purchases({ ageMs: 120 * minuteMs })
    await purchases({ state: 'quoted' })
    const [settled = ''] = await purchases({ state: 'settled' })
    await db.sql`update purchases set updated_at = now() + interval '1 hour' where invoice_id = ${settled}`
    const [done = ''] = await purchases({ state: 'paid', knownBy: 'nothing' })
    await db.sql`update purchases set updated_at = 'infinity' where invoice_id = ${done}`
    expect(await bringForward(db.sql)).toBe(0)
  })

  test.each([
    ['no more', 'infinity'],
    ['later', '10 minutes'],
  ])('however many are due %s, those are not read', async (_, wait) => {
    await purchases({ count: 5_000, state: 'paid', knownBy: 'nothing', ageMs: 120 * minuteMs })
    await db.sql`
      update purchases set updated_at = case when ${wait} = 'infinity' then 'infinity' else now() + interval '10 minutes' end`
    const [one = ''] = await purchases({})
    await db.sql`analyze purchases`
    await db.sql.begin(async (sql) => {
      const before = await readBy(sql as never)
      const due = await nextOpen(sql as never, 'base', 20, [])
      expect(due.map(({ invoiceId }) => invoiceId)).toEqual([one])
      const after = await readBy(sql as never)
      expect(after.scans - before.scans).toBe(0)
      expect(after.rows - before.rows).toBeLessThan(10)
    })
  })
})

describe('a payment that the chain cannot be asked about', () => {
  test.each([
    ['is accepted on Solana', { chain: 'solana', state: 'paid' }],
    ['is accepted on an EVM chain', { state: 'paid' }],
    ['may be taken on an EVM chain', {}],
    ['may be taken on an EVM chain, by an attempt that died', { state: 'forwarding' }],
  ] as const)(
    'and that counts for good (it %s) is looked at once, and never written again',
    async (_, which) => {
      const { chain } = { chain: 'base' as const, ...which }
      await purchases({ count: 3, knownBy: 'nothing', ageMs: 2 * minuteMs, ...which })
      expect(await lookedAt(20, chain)).toHaveLength(3)
      await passTime(10 * 365 * 24 * 60 * minuteMs)
      expect(await lookedAt(20, chain)).toEqual([])
    },
  )

  test('and that lapses with time, on Solana, is looked at again', async () => {
    const [one = ''] = await purchases({ chain: 'solana', knownBy: 'nothing' })
    expect(await lookedAt(20, 'solana')).toEqual([one])
    await passTime(minuteMs)
    expect(await lookedAt(20, 'solana')).toEqual([one])
  })
})

describe('copies of one payment that come at the same moment', () => {
  const kinds = (starts: readonly Start[]) => starts.map(({ kind }) => kind).toSorted()

  test.each([
    ['signed', signed, false, null],
    ['signed, under a mandate', signed, false, 'mnd_1'],
    ['signed, and that names its invoice', signed, true, null],
    ['made before it is shown', made, false, null],
  ] as const)(
    '%s: one is forwarded, the others are told that it is',
    async (_, proof, isNamed, mandateId) => {
      for (let n = 0; n < 20; n++) {
        await db.sql`truncate purchases`
        const invoiceId = await quoted(mandateId)
        const copy = attempt(proof(n), isNamed ? invoiceId : null, mandateId)
        const starts = await Promise.all(Array.from({ length: 4 }, () => start(db.sql, copy)))
        expect(kinds(starts)).toEqual(['busy', 'busy', 'busy', 'started'])
      }
    },
  )

  test('of several payments of one resource each gets an invoice of its own, while there are any', async () => {
    for (let n = 0; n < 3; n++) await quoted()
    const copies = Array.from({ length: 16 }, (_, n) => attempt(signed(n % 4)))
    const starts = await Promise.all(copies.map((copy) => start(db.sql, copy)))
    expect(kinds(starts)).toEqual([
      ...Array(9).fill('busy'),
      ...Array(4).fill('none'),
      ...Array(3).fill('started'),
    ])
  })

  test('leave no invoice behind that nothing can pay', async () => {
    const [first, second] = [await quoted(), (await storedInvoice(db.sql, crowd)).id]
    const copy = attempt(signed(1))
    await start(db.sql, copy)
    const quote = {
      invoiceId: second,
      accountId: crowd,
      resource,
      requirements,
      agentId: null,
      mandateId: null,
    }
    expect(await startNew(db.sql, quote, copy)).toEqual({ kind: 'busy' })
    const next = await start(db.sql, attempt(signed(2)))
    expect([first, next.kind === 'started' && next.purchase.invoiceId]).toEqual([first, second])
  })
})

describe('what was signed on Solana', () => {
  const onSolana = { network: 'solana', payTo: 'S', usdcBase: 5_000n } as const

  function message(n: number): Attempt['payment'] {
    const transfer = { payer: 'P', nonce: `${n}`, usdcBase: 5_000n, isTo: () => true }
    const unsaid = { authorization: null, payer: null, validBeforeMs: null, txHash: null }
    const key = `message:solana:${n}`
    return { ...unsaid, key, requirements: onSolana, transfer }
  }

  async function forwarded() {
    const invoiceId = await quoted(null, onSolana)
    const started = await start(db.sql, attempt(message(1), invoiceId))
    if (started.kind !== 'started') throw new Error('not started')
    return started.purchase
  }

  test('is kept before it is sent, and looked for though its upstream has accepted it and named no transaction', async () => {
    const purchase = await forwarded()
    expect(purchase.message).toEqual({ payer: 'P', nonce: '1' })
    await conclude(db.sql, purchase, { state: 'paid', txHash: null })
    const { invoiceId } = purchase
    expect(await lookedAt(20, 'solana')).toEqual([invoiceId])
    await passTime(minuteMs)
    expect(await lookedAt(20, 'solana')).toEqual([invoiceId])
  })

  test.each(['refused', 'lapsed'] as const)(
    'is not taken for the next payment of an invoice for which it was %s, whichever version forwards that',
    async (state) => {
      await conclude(db.sql, await forwarded(), { state, txHash: null })
      const [row] = await db.sql`select signer, message from purchases`
      expect(row).toEqual({ signer: null, message: null } as never)
    },
  )

  test.each([
    ['unknown', 1, 3 * 24 * 60 * minuteMs],
    ['refused', 1, 0],
    ['lapsed', 1, 0],
    ['refused', 2, 0],
  ] as const)(
    'has been under way since it was forwarded first, unless it is known then that it was not taken before: once %s, that of message %d for %d ms',
    async (state, n, forMs) => {
      const purchase = await forwarded()
      await conclude(db.sql, purchase, { state, txHash: null })
      await passTime(3 * 24 * 60 * minuteMs)
      await db.sql`update purchases set first_forwarded_at = forwarded_at`
      const started = await start(db.sql, attempt(message(n), purchase.invoiceId))
      if (started.kind !== 'started') throw new Error('not started')
      const { firstForwardedAt, forwardedAt } = started.purchase
      const underWayMs = Number(forwardedAt) - Number(firstForwardedAt)
      expect(Math.floor(underWayMs / minuteMs)).toBe(forMs / minuteMs)
    },
  )

  test('pays the invoice that is named, or the newest, however many wait for as much on other accounts', async () => {
    const ids: string[] = []
    for (let n = 0; n < 60; n++) {
      ids.push(await quoted(null, { ...onSolana, payTo: `S${n}` }))
      // Of those of one millisecond none is the newest.
      await Bun.sleep(2)
    }
    let tried = 0
    const to = (payTo: string, n: number) => {
      const { transfer, ...payment } = message(n)
      const isTo = (wallet: string) => ++tried > 0 && wallet === payTo
      return { ...payment, requirements: null, transfer: transfer && { ...transfer, isTo } }
    }
    const oldest = await start(db.sql, attempt(to('S0', 1), ids[0]))
    expect(oldest).toMatchObject({ kind: 'started', purchase: { invoiceId: ids[0] } })
    const newest = await start(db.sql, attempt(to('S59', 2)))
    expect(newest).toMatchObject({ kind: 'started', purchase: { invoiceId: ids[59] } })
    expect(tried).toBe(2)
    expect(await start(db.sql, attempt(to('nobody', 3)))).toEqual({ kind: 'none' })
    expect(tried).toBe(2 + 50)
  })

  test('pays no invoice where it is of more than any can ask for', async () => {
    await quoted(null, onSolana)
    const { transfer, ...payment } = message(1)
    const most = transfer && { ...transfer, usdcBase: 2n ** 64n - 1n }
    const started = start(db.sql, attempt({ ...payment, requirements: null, transfer: most }))
    expect(await started).toEqual({ kind: 'none' })
  })

  test('is no payer whose transfer must come from him: he may move what is another’s', async () => {
    expect((await forwarded()).payer).toBeNull()
  })
})

test('a payment by Permit2 that the version before has forwarded, which read no end of it, may be sent again', async () => {
  const payer = `0x${'a'.repeat(40)}`
  const validBeforeMs = Date.UTC(2026, 4, 2)
  const payment = { ...signed(1), key: 'payload:base:1', authorization: null, payer, validBeforeMs }
  await quoted()
  const first = await start(db.sql, attempt(payment))
  if (first.kind !== 'started') throw new Error('not started')
  expect([first.purchase.payer, first.purchase.nonce]).toEqual([payer, null])
  await conclude(db.sql, first.purchase, { state: 'unknown', txHash: null })
  await db.sql`update purchases set signer = null, valid_before = null`
  const again = await start(db.sql, attempt(payment))
  // Without an end it would be taken for a transfer made before, which lapses within a day.
  expect(again).toMatchObject({ kind: 'started', purchase: { payer, validBeforeMs } })
})

describe('a purchase is given up', () => {
  const dayMs = 24 * 60 * minuteMs

  /** A purchase whose invoice nothing is credited to. */
  async function unpaid(some: Some): Promise<string> {
    const [made = ''] = await purchases(some)
    const { id } = await storedInvoice(db.sql, crowd)
    await db.sql`update purchases set invoice_id = ${id} where invoice_id = ${made}`
    return id
  }

  test.each([
    ['that nobody has paid', 'quoted', minuteMs, true],
    ['whose payment was not taken', 'refused', minuteMs, true],
    ['whose payment can be taken no more', 'lapsed', minuteMs, true],
    ['whose payment is being forwarded', 'forwarding', minuteMs, false],
    ['whose payment may be taken', 'unknown', dayMs - minuteMs, false],
    ['whose payment was accepted', 'paid', dayMs - minuteMs, false],
    ['whose payment nobody could find for a day', 'unknown', dayMs + minuteMs, true],
    ['whose accepted payment nobody could find for a day', 'paid', dayMs + minuteMs, true],
    ['whose payment has settled', 'settled', dayMs + minuteMs, false],
  ] as const)('%s (%s): %p ms ago: %p', async (_, state, ageMs, isGivenUp) => {
    const id = await unpaid({ state, ageMs })
    await db.sql`update purchases set mandate_id = 'mnd_1'`
    expect(await giveUp(db.sql, id)).toBe(isGivenUp)
    const [after] = await db.sql`select state from purchases`
    expect(after?.state).toBe(isGivenUp ? 'lapsed' : state)
  })

  test('only when what was signed for it has been over for a day', async () => {
    const id = await unpaid({ state: 'paid', ageMs: 3 * dayMs })
    await db.sql`update purchases set mandate_id = 'mnd_1', valid_before = now() - interval '1 day' + interval '1 minute'`
    expect(await giveUp(db.sql, id)).toBe(false)
    await db.sql`update purchases set valid_before = valid_before - interval '1 minute'`
    expect(await giveUp(db.sql, id)).toBe(true)
  })

  test.each(['paid', 'settled'])(
    'but not where its invoice is %s: it is looked at on',
    async (standing) => {
      const id = await unpaid({ state: 'paid', knownBy: 'transaction', ageMs: 2 * dayMs })
      await db.sql`update purchases set mandate_id = 'mnd_1'`
      await db.sql`update invoices set state = ${standing} where id = ${id}`
      expect(await giveUp(db.sql, id)).toBe(false)
      expect(await lookedAt(1)).toEqual([id])
    },
  )

  test('and stays what it is without a mandate, of which nothing is free then', async () => {
    const id = await unpaid({ state: 'paid', ageMs: 2 * dayMs })
    expect(await giveUp(db.sql, id)).toBe(true)
    expect(await db.sql`select state from purchases`).toEqual([{ state: 'paid' }] as never)
  })

  test.each([
    ['under a mandate', 'mnd_1'],
    ['without a mandate', null],
  ])('and a payment of it that comes at the same moment is not forwarded, %s', async (_, under) => {
    for (let n = 0; n < 20; n++) {
      await db.sql`truncate purchases`
      const invoiceId = await quoted(under)
      const [isFree, started] = await Promise.all([
        giveUp(db.sql, invoiceId),
        start(db.sql, attempt(signed(n), null, under)),
      ])
      expect(started.kind).toBe(isFree ? 'none' : 'started')
    }
  })

  test.each([
    ['was not taken is free for another invoice', 'refused', 'none'],
    ['can be taken no more is free for another invoice', 'lapsed', 'none'],
    ['may have been taken is not forwarded again', 'unknown', 'elsewhere'],
    ['was accepted has been made', 'paid', 'done'],
  ] as const)('without a mandate, and its payment that %s', async (_, state, kind) => {
    const invoiceId = await quoted()
    const started = await start(db.sql, attempt(signed(1)))
    if (started.kind !== 'started') throw new Error('not started')
    await conclude(db.sql, started.purchase, { state, txHash: null })
    await passTime(2 * dayMs)
    expect(await giveUp(db.sql, invoiceId)).toBe(true)
    expect((await start(db.sql, attempt(signed(1)))).kind).toBe(kind)
    expect((await start(db.sql, attempt(signed(2)))).kind).toBe('none')
  })
})

describe('the transaction that is named for an accepted payment', () => {
  const named = async () => (await db.sql`select tx_hash from purchases`)[0]?.tx_hash

  test('is kept where none was known', async () => {
    await purchases({ state: 'paid', knownBy: 'nonce' })
    const [purchase] = await nextOpen(db.sql, 'base', 1, [])
    expect(purchase && (await nameTransaction(db.sql, purchase, '0x0a'))).toBe(true)
    expect(await named()).toBe('0x0a')
  })

  test('does not replace the one that the chain has shown meanwhile', async () => {
    await purchases({ state: 'paid', knownBy: 'nonce' })
    const [purchase] = await nextOpen(db.sql, 'base', 1, [])
    if (!purchase) throw new Error('there is no purchase')
    const transfer = { txHash: '0x0b', position: 1, from: '0x0c', nonce: '0x01' }
    expect(await takeTransfer(db.sql, purchase, transfer)).toBe(true)
    expect(await nameTransaction(db.sql, purchase, '0x0a')).toBe(false)
    expect(await named()).toBe('0x0b')
  })
})

describe('settled purchases', () => {
  const settledIn = 5_000
  const since = (sql: Sql) => settledSince(sql, 'base', settledIn)

  /** Settles the payment of a purchase that was forwarded a minute ago, as the watcher does. */
  async function settled(blockNumber: number): Promise<string> {
    const invoice = await storedInvoice(db.sql, crowd)
    const [id = ''] = await purchases({ state: 'paid', knownBy: 'transaction' })
    await db.sql`update purchases set invoice_id = ${invoice.id} where invoice_id = ${id}`
    const [purchase] = await nextOpen(db.sql, 'base', 1, [])
    if (!purchase) throw new Error('there is no purchase')
    await commitConcluded({ ...purchase, txHash: '0x02', blockNumber })
    return invoice.id
  }

  async function commitConcluded(concluded: ConcludedPurchase): Promise<void> {
    const [chain, now] = ['base' as const, new Date()]
    await startCursor(db.sql, chain, 1, now)
    const cursor = await loadCursor(db.sql, chain)
    if (!cursor) throw new Error('there is no cursor')
    const nothing = { inserted: [], updated: [], changes: [], issued: [], revokedReceiptIds: [] }
    const step = { chain, cursor, next: cursor, now, ...nothing, concluded: [concluded] }
    expect(await commitStep(db.sql, step)).toBe(true)
  }

  test('are found by the block of their payment', async () => {
    await settled(settledIn - 1)
    const ids = [await settled(settledIn), await settled(settledIn + 1)]
    const found = await since(db.sql)
    expect(found.map(({ purchase }) => purchase.invoiceId).toSorted()).toEqual(ids.toSorted())
    expect(found.map(({ blockNumber }) => blockNumber).toSorted()).toEqual([5_000, 5_001])
  })

  test('that a process of the version before has settled are found by the block in their invoice, for a week', async () => {
    const [old, recent] = [await settled(1), await settled(1)]
    const progress = JSON.stringify({ settlement: { blockNumber: settledIn } })
    await db.sql`update invoices set progress = ${progress}`
    await db.sql`update purchases set settled_in = null, updated_at = now() - interval '8 days'`
    await db.sql`update purchases set updated_at = now() where invoice_id = ${recent}`
    expect(old).not.toBe(recent)
    expect((await since(db.sql)).map(({ purchase }) => purchase.invoiceId)).toEqual([recent])
  })

  test('that have changed since they were read are left as they are', async () => {
    const [invoiceId = ''] = await purchases({ state: 'paid', knownBy: 'transaction' })
    const forwardedAt = new Date(Date.now() - 2 * minuteMs)
    await commitConcluded({ invoiceId, forwardedAt, txHash: '0x02', blockNumber: settledIn })
    const [left] = await db.sql`select state, settled_in from purchases`
    expect(left).toEqual({ state: 'paid', settled_in: null })
  })

  test('of older blocks are not read, however many there are', async () => {
    const id = await settled(settledIn)
    await purchases({ count: 5_000, state: 'settled', knownBy: 'transaction' })
    await db.sql`update purchases set settled_in = 1 where settled_in is null`
    await db.sql`analyze purchases`
    await db.sql.begin(async (sql) => {
      const before = await readBy(sql as never)
      const found = await since(sql as never)
      expect(found.map(({ purchase }) => purchase.invoiceId)).toEqual([id])
      const after = await readBy(sql as never)
      expect(after.scans - before.scans).toBe(0)
      // Former versions of a row count as well, as long as nothing has cleared them away.
      expect(after.rows - before.rows).toBeLessThan(50)
    })
  })
})

describe('a quote gives way to a payment of another option', () => {
  test.each([
    ['under a mandate', 'mnd_1'],
    ['without a mandate, by its name', null],
  ])('or is paid, but never both, %s', async (_, under) => {
    for (let n = 0; n < 20; n++) {
      await db.sql`truncate purchases`
      const invoiceId = await quoted(under)
      const named = under === null ? invoiceId : null
      const [way, started] = await Promise.all([
        giveWay(db.sql, attempt(signed(100 + n), named, under), 0n),
        start(db.sql, attempt(signed(n), null, under)),
      ])
      expect(started.kind).toBe(way.kind === 'quote' ? 'none' : 'started')
    }
  })

  const under = 'mnd_1'
  const kinds = async (ways: Promise<{ kind: string }>[]) =>
    (await Promise.all(ways)).map(({ kind }) => kind).toSorted()

  test('once, for two payments at once', async () => {
    await quoted(under)
    const ways = [1, 2].map((n) => giveWay(db.sql, attempt(signed(n), null, under), 0n))
    expect(await kinds(ways)).toEqual(['none', 'quote'])
  })

  test('and no second one to a copy of that payment, which is told so for a minute', async () => {
    await quoted(under)
    await quoted(under)
    const copy = attempt(signed(1), null, under)
    const ways = [giveWay(db.sql, copy, 0n), giveWay(db.sql, copy, 0n)]
    expect(await kinds(ways)).toEqual(['busy', 'quote'])
    await passTime(minuteMs)
    expect(await giveWay(db.sql, copy, 0n)).toEqual({ kind: 'none' })
  })

  test('also after a payment that was not taken, which then finds it no more', async () => {
    const invoiceId = await quoted(null)
    const first = await start(db.sql, attempt(signed(1)))
    if (first.kind !== 'started') throw new Error('not started')
    await conclude(db.sql, first.purchase, { state: 'refused', txHash: null })
    const way = await giveWay(db.sql, attempt(signed(2), invoiceId), 0n)
    expect(way).toMatchObject({ kind: 'quote', quote: { invoiceId } })
    for (const again of [attempt(signed(1)), attempt(signed(1), invoiceId)])
      expect(await start(db.sql, again)).toEqual({ kind: 'none' })
  })

  test.each(['forwarding', 'unknown', 'paid', 'settled', 'lapsed'])(
    'but not where its payment is %s',
    async (state) => {
      const invoiceId = await quoted(under)
      await db.sql`update purchases set state = ${state}`
      for (const one of [attempt(signed(1), null, under), attempt(signed(1), invoiceId)])
        expect(await giveWay(db.sql, one, 0n)).toEqual({ kind: 'none' })
    },
  )

  test.each([
    ['by its name', 'mnd_1', true],
    ['by its name, without a mandate', null, true],
    ['unnamed', 'mnd_1', false],
  ])('and a copy that comes while it is given up is told so, %s', async (_, mandateId, isNamed) => {
    const invoiceId = await quoted(mandateId)
    const copy = attempt(signed(1), isNamed ? invoiceId : null, mandateId)
    const [held, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const first = db.sql.begin(async (tx) => {
      expect(await giveWay(tx as unknown as Sql, copy, 0n)).toMatchObject({ kind: 'quote' })
      held.resolve()
      await over.promise
    })
    await held.promise
    const second = giveWay(db.sql, copy, 0n)
    await Promise.race([second, isWaitedFor()])
    over.resolve()
    await first
    expect(await second).toEqual({ kind: 'busy' })
  })

  /** Resolves once a statement waits for a lock. */
  async function isWaitedFor(): Promise<void> {
    for (;;) {
      const [waiting] = await db.sql`
        select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      if (waiting) return
      await Bun.sleep(5)
    }
  }

  test('but not before its invoice is sent: who asked for the price has yet to be told of it', async () => {
    const invoiceId = await drafted(under)
    for (const one of [attempt(signed(1), null, under), attempt(signed(1), invoiceId)])
      expect(await giveWay(db.sql, one, 0n)).toEqual({ kind: 'none' })
  })

  test('of no agent to one of any agent, but not of another agent', async () => {
    await quoted(under)
    const ofAgent = { ...attempt(signed(1), null, under), agentId: 'agent-7' }
    expect(await giveWay(db.sql, ofAgent, 0n)).toMatchObject({ kind: 'quote' })
    await quoted(under)
    await db.sql`update purchases set agent_id = 'agent-8'`
    for (const agentId of ['agent-7', null]) {
      const other = { ...attempt(signed(2), null, under), agentId }
      expect(await giveWay(db.sql, other, 0n)).toEqual({ kind: 'none' })
    }
  })

  test('only where what it holds is enough', async () => {
    const enough = await quoted(under)
    await quoted(under, { ...requirements, usdcBase: 4_999n })
    const one = attempt(signed(1), null, under)
    expect(await giveWay(db.sql, one, 5_001n)).toEqual({ kind: 'none' })
    const way = await giveWay(db.sql, one, 5_000n)
    expect(way).toMatchObject({ kind: 'quote', quote: { invoiceId: enough } })
  })
})
