import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { createIssuing } from '../../../src/actors/credit-notes/issuing.ts'
import { createProving } from '../../../src/actors/credit-notes/proving.ts'
import { createRefunding } from '../../../src/actors/credit-notes/refunding.ts'
import { createOutcomes } from '../../../src/actors/purchases/outcome.ts'
import type * as Invoice from '../../../src/domain/invoices/invoice.ts'
import type { Terms } from '../../../src/domain/invoices/terms.ts'
import { type Command, decide } from '../../../src/domain/purchases/decide.ts'
import { type Purchase, quote } from '../../../src/domain/purchases/purchase.ts'
import { payerStatement } from '../../../src/domain/settlement/payer-statement.ts'
import { transferKey } from '../../../src/domain/x402/traces.ts'
import { createRefundWatch } from '../../../src/queues/watching/refunds.ts'
import { loadNote } from '../../../src/storage/credit-notes/credit-notes.ts'
import { load } from '../../../src/storage/invoices/invoices.ts'
import { type Sql, selfRefusal, unlessRefused } from '../../../src/storage/postgres/db.ts'
import { askedAmount } from '../../../src/storage/settlement/asked-amounts.ts'
import { type Use, use, usesOf } from '../../../src/storage/settlement/uses.ts'
import { claimSettled } from '../../../src/storage/x402/payments.ts'
import { aTxHash, claimsOn, operatorKey } from '../../support/claims.ts'
import { memoryChain } from '../../support/memory-chain.ts'
import { rememberPaymentAddress } from '../../support/payment-addresses.ts'
import { newClaim } from '../../support/paywall.ts'
import { type TestDatabase, testDatabase } from '../../support/postgres.ts'
import { newInvoice, storedInvoice, storeInvoices } from '../../support/stored-invoice.ts'
import { testWatcher } from '../../support/watcher.ts'

/**
 * One transfer, one use: whatever a transfer has paid, nothing else counts it, for whichever
 * account, until a reorganisation has taken it back. On PostgreSQL, with the watcher, the refund
 * watch, claims, assignments, sales and notes as they are.
 */

let db: TestDatabase
let sql: Sql
let keyId: string
beforeAll(async () => {
  db = await testDatabase()
  sql = db.sql
  keyId = await operatorKey(sql)
})
afterAll(() => db.drop())

const ledger = memoryChain()
const jobs = { wake() {}, add: async () => true }
const now = () => new Date()

function refunds() {
  const proving = createProving({ sql, jobs, now })
  const { chain } = ledger
  const { transaction } = ledger
  const seconded = async <One>(sent: readonly One[]) => sent
  const reader = { transaction, block: chain.block, seconded }
  const log = {
    warn(line: object) {
      throw line
    },
  }
  const watch = createRefundWatch({ sql, chain, reader, proving, maxRangeBlocks: 1_000, log })
  const refunding = createRefunding({
    sql,
    proving,
    payouts: { addressFor: async (_, __, address) => address },
    readers: new Map([['base', reader]]),
    isSignedByPayer: async () => false,
    isSignedByWallet: async () => false,
  })
  return { watch, refunding }
}

/** Reads to the end, held transfers again. */
async function read(): Promise<void> {
  const { watch } = refunds()
  const onReread = (fromBlock: number) => watch.reverse(fromBlock)
  const options = { chain: ledger.chain, startBlock: 1, rematchesHeld: true, onReread }
  const watcher = testWatcher(sql, options)
  for (let steps = 0; steps < 3; steps++) await watcher.step()
}

/** Looks for refunds, too, however short ago it has. */
async function watched(): Promise<void> {
  await read()
  await sql`update refunds set look_at = now() where look_at < 'infinity'`
  await refunds().watch.follow()
}

/** What one transfer may pay: from `payer`, a wallet that signs, to `to`. */
type Scene = {
  readonly payer: PrivateKeyAccount
  readonly from: string
  readonly to: string
  readonly txHash: string
  usdcBase: bigint
  references: readonly string[]
}

/**
 * `before` the transfer is mined, or after it when something else has it, an account gets something
 * to be paid. `take` then has it paid. Answers the id of what it is, and whether it counts.
 */
type Way = {
  prepare(scene: Scene, accountId: string, isFirst: boolean): Promise<string>
  take(scene: Scene, accountId: string, subjectId: string): Promise<unknown>
  isCounted(subjectId: string): Promise<boolean>
}

const minute = 60_000
const ago = () => new Date(Date.now() - minute)

async function due(
  { to }: Scene,
  accountId: string,
  over: Partial<Terms>,
): Promise<Invoice.Invoice> {
  return storedInvoice(sql, accountId, { payTo: to, ...over }, ago())
}

async function hasPayment(invoiceId: string): Promise<boolean> {
  return ((await load(sql, invoiceId))?.progress.payments.length ?? 0) > 0
}

const byWatcher = { take: read, isCounted: hasPayment }

const byReference: Way = {
  ...byWatcher,
  async prepare(scene, accountId) {
    const invoice = newInvoice(accountId, { payTo: scene.to, dueUsdcBase: 2n * scene.usdcBase })
    scene.references = [...scene.references, invoice.terms.reference]
    await storeInvoices(sql, [invoice])
    return invoice.id
  },
}

const byAmount: Way = {
  ...byWatcher,
  prepare: async (scene, accountId) =>
    (await due(scene, accountId, { dueUsdcBase: scene.usdcBase })).id,
}

const byAskedAmount: Way = {
  ...byWatcher,
  async prepare(scene, accountId, isFirst) {
    const invoice = await due(scene, accountId, { dueUsdcBase: scene.usdcBase })
    const asked = (await askedAmount(sql, invoice, scene.usdcBase)) ?? 0n
    if (isFirst) scene.usdcBase = asked
    return invoice.id
  },
}

async function twice(scene: Scene, accountId: string): Promise<string> {
  return (await due(scene, accountId, { dueUsdcBase: 2n * scene.usdcBase })).id
}

const byClaim: Way = {
  prepare: twice,
  async take({ payer, txHash }, _, invoiceId) {
    const message = payerStatement({ subject: { invoiceId }, chain: 'base', txHash })
    const signature = await payer.signMessage({ message })
    await claimsOn(sql).claim(invoiceId, { txHash, signature, payer: payer.address })
  },
  isCounted: hasPayment,
}

const byOperator: Way = {
  prepare: twice,
  take: ({ txHash }, _, invoiceId) =>
    claimsOn(sql).assign({ chain: 'base', txHash, position: 0 }, invoiceId, keyId),
  isCounted: hasPayment,
}

const sold = new Set<string>()
const bySale: Way = {
  prepare: async (scene) => transferKey('base', scene),
  async take({ txHash, from }, _, key) {
    const claim = newClaim({ key, network: 'base', payer: from, txHash })
    if (await claimSettled(sql, claim, { txHash, position: 0 })) sold.add(key)
  },
  isCounted: async (key) => sold.has(key),
}

const bought = new Set<string>()
const byPurchase: Way = {
  prepare: async () => crypto.randomUUID(),
  async take({ txHash }, accountId, subjectId) {
    const uses: readonly Use[] = [{ txHash, position: 0, kind: 'purchase', accountId, subjectId }]
    const buying = sql`
      with used as (${use(sql, 'base', uses)}) select 1 / (select count(*) from used)`
    if (await unlessRefused(buying, selfRefusal)) bought.add(subjectId)
  },
  isCounted: async (subjectId) => bought.has(subjectId),
}

/** The payer has been paid as much by the receiver, and owes it back. */
async function owed(
  { from, to, usdcBase }: Scene,
  accountId: string,
  isFirst: boolean,
): Promise<string> {
  const terms = {
    payTo: from,
    dueUsdcBase: usdcBase,
    totalUnits: usdcBase,
    subtotalUnits: usdcBase,
  }
  const invoice = await storedInvoice(sql, accountId, terms, ago())
  const { reference } = invoice.terms
  await rememberPaymentAddress(sql, 'base', from)
  ledger.mine({ txHash: aTxHash(), from: to, to: from, usdcBase, references: [reference] })
  await watched()
  const issuing = createIssuing({
    ...{ sql, jobs, now, feeBasisPoints: 0, newId: () => Bun.randomUUIDv7() },
    invoices: { forget() {} },
    secondNodes: new Map(),
  })
  const asked = { form: 'v1', reason: 'Returned', sellerNumber: null } as const
  const all = { ...asked, lines: null, amountSource: null }
  const { id } = await issuing.issue(accountId, invoice.id, all, null)
  // As if it had been issued before the transfer.
  if (!isFirst) await sql`update refunds set issued_in = 0, looked_to = 0 where note_id = ${id}`
  return id
}

async function isRefunded(noteId: string): Promise<boolean> {
  return (await loadNote(sql, noteId))?.state === 'refunded'
}

const byRefundFound: Way = { prepare: owed, take: watched, isCounted: isRefunded }

const byRefundProven: Way = {
  prepare: owed,
  take: ({ txHash }, accountId, noteId) => refunds().refunding.proveBy(accountId, noteId, txHash),
  isCounted: isRefunded,
}

const ways = {
  'an invoice, by reference': byReference,
  'an invoice, by claim': byClaim,
  'an invoice, by its asked amount': byAskedAmount,
  'an invoice, by its amount': byAmount,
  'an invoice, by an operator': byOperator,
  'an x402 sale, by proof': bySale,
  'a purchase': byPurchase,
  'a refund that is found': byRefundFound,
  'a refund that is proven': byRefundProven,
} satisfies Record<string, Way>

type Name = keyof typeof ways
const names = Object.keys(ways) as Name[]

let scenes = 0

function aScene(): Scene {
  const payer = privateKeyToAccount(generatePrivateKey())
  const [from, to] = [payer.address, privateKeyToAccount(generatePrivateKey()).address]
  const usdcBase = 5_000_000n + BigInt(scenes++ * 10_000)
  const addresses = { from: from.toLowerCase(), to: to.toLowerCase() }
  return { payer, ...addresses, txHash: aTxHash(), usdcBase, references: [] }
}

/** The transfer is mined and recorded, and has paid the first of what it may. */
async function paid(scene: Scene, name: Name, accountId: string): Promise<string> {
  await rememberPaymentAddress(sql, 'base', scene.to)
  // Those of earlier tests.
  await sql`update refunds set look_at = 'infinity'`
  const subjectId = await ways[name].prepare(scene, accountId, true)
  const { txHash, from, to, usdcBase, references } = scene
  ledger.mine({ txHash, from, to, usdcBase, references })
  ledger.mine()
  await read()
  await ways[name].take(scene, accountId, subjectId)
  expect(await ways[name].isCounted(subjectId)).toBe(true)
  return subjectId
}

async function useOf({ txHash }: Scene): Promise<Use | undefined> {
  return (await usesOf(sql, 'base', [{ txHash, position: 0 }])).get(`${txHash}:0`)
}

// A transfer is mined with what it names: no second reference comes to it.
const seconds = names.filter((name) => name !== 'an invoice, by reference')

describe.each(names)('a transfer that has paid %s', (first) => {
  describe.each(seconds)('pays no %s', (second) => {
    test.each(['the same account', 'another account'] as const)('of %s', async (whose) => {
      const scene = aScene()
      const ours = Bun.randomUUIDv7()
      const theirs = whose === 'the same account' ? ours : Bun.randomUUIDv7()
      const firstId = await paid(scene, first, ours)
      const before = await useOf(scene)
      expect(before).toBeDefined()
      const { prepare, take, isCounted } = ways[second]
      const secondId = await prepare(scene, theirs, false)
      await Promise.resolve(take(scene, theirs, secondId)).catch(() => {})
      await watched()
      expect(await useOf(scene)).toEqual(before as Use)
      expect(await ways[first].isCounted(firstId)).toBe(true)
      if (secondId !== firstId) expect(await isCounted(secondId)).toBe(false)
    })
  })
})

describe('a reorganisation frees a transfer that had paid', () => {
  const reverted = names.filter((name) => !['an x402 sale, by proof', 'a purchase'].includes(name))
  test.each(reverted)('%s, and takes back what followed', async (name) => {
    const scene = aScene()
    const subjectId = await paid(scene, name, Bun.randomUUIDv7())
    ledger.reorganise(2)
    ledger.mine()
    await watched()
    expect([await useOf(scene), await ways[name].isCounted(subjectId)]).toEqual([undefined, false])
    const { txHash, from, to, usdcBase, references } = scene
    ledger.mine({ txHash, from, to, usdcBase, references })
    ledger.mine()
    await watched()
    expect((await useOf(scene))?.subjectId).toBe(subjectId)
    expect(await ways[name].isCounted(subjectId)).toBe(true)
  })
})

test('the use of a sale follows its transfer to another place', async () => {
  const scene = { ...aScene(), usdcBase: 10_000n }
  const key = await paid(scene, 'an x402 sale, by proof', Bun.randomUUIDv7())
  const before = await useOf(scene)
  ledger.reorganise(2)
  const { txHash, from, to, usdcBase, references } = scene
  const moved = { txHash, from, to, usdcBase, references }
  ledger.mine({ ...moved, txHash: aTxHash() }, moved)
  ledger.mine()
  const invoice = await due(scene, Bun.randomUUIDv7(), { dueUsdcBase: usdcBase })
  await read()
  await read()
  const places = [0, 1].map((position) => ({ txHash, position }))
  expect([...(await usesOf(sql, 'base', places)).values()]).toEqual([
    { ...before, position: 1 } as Use,
  ])
  const [sale] = await sql`select position from x402_payments where key = ${key}`
  expect(sale?.position).toBe(1)
  await byClaim.take(scene, '', invoice.id).catch(() => {})
  // The other transfer of the block paid the invoice; this one can pay nothing more.
  expect((await usesOf(sql, 'base', places)).size).toBe(1)
  expect(
    (await load(sql, invoice.id))?.progress.payments.map(({ txHash }) => txHash),
  ).not.toContain(txHash)
})

test('what fits an open refund, and was sent for nothing else, pays no purchase', async () => {
  const scene = aScene()
  const { payer, txHash, from, to, usdcBase } = scene
  await sql`update refunds set look_at = 'infinity'`
  ledger.mine({ txHash, from, to, usdcBase })
  ledger.mine()
  const option = { network: 'base', payTo: to, usdcBase } as const
  const accountId = Bun.randomUUIDv7()
  const [invoiceId, resource] = [Bun.randomUUIDv7(), `0x${'11'.repeat(32)}`]
  const about = { agentId: null, mandateId: null, demandSha256: null }
  const asked = quote({ ...about, invoiceId, accountId, resource, options: [option] }, ago())
  const claim: Command = {
    kind: 'claim',
    ...{ txHash, option, agentId: null, mandateId: null, hold: null },
    payment: {
      kind: 'made',
      ...{ key: `transfer:${txHash}`, payer: from, nonce: null, message: null },
      ...{ validBefore: null, isProven: true },
      names: { paymentId: null, idempotencyKey: null, header: null },
    },
  }
  const purchase = decide(asked, claim)
  const { chain, transaction } = ledger
  const seconded = async <One>(sent: readonly One[]) => sent
  const reader = { ...chain, transaction, seconded } as never
  const outcomes = createOutcomes({
    sql,
    readers: new Map([['base', reader]]),
    changing: {} as never,
  })
  const isPaid = () => outcomes.isShown(purchase as Purchase)
  expect(await isPaid()).toBe(true)
  await owed({ ...scene, payer }, accountId, false)
  expect(await isPaid()).toBe(false)
})
