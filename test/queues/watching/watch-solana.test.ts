import { afterEach, beforeEach, expect, test } from 'bun:test'
import { base58, hex } from '@scure/base'
import { Keypair } from '@solana/web3.js'
import { associatedTokenAccount } from '../../../src/chain/solana/accounts.ts'
import { mainnetGenesisHash, solanaChain } from '../../../src/chain/solana/solana.ts'
import type * as Invoice from '../../../src/domain/invoices/invoice.ts'
import type { Terms } from '../../../src/domain/invoices/terms.ts'
import { registry } from '../../../src/domain/registry.ts'
import { authorizationKey } from '../../../src/domain/x402/signed-payment.ts'
import type { Watcher } from '../../../src/queues/watching/watch.ts'
import { loadMany } from '../../../src/storage/invoices/invoices.ts'
import { toBytes } from '../../../src/storage/postgres/chain-bytes.ts'
import { claimPayment, markSettled } from '../../../src/storage/x402/payments.ts'
import { type Ledger, startSolanaStub } from '../../chain/solana/stub.ts'
import { rememberPaymentAddress } from '../../support/payment-addresses.ts'
import { newClaim } from '../../support/paywall.ts'
import { type TestDatabase, testDatabase } from '../../support/postgres.ts'
import { storedInvoice } from '../../support/stored-invoice.ts'
import { invoiceReferences, testWatcher } from '../../support/watcher.ts'

const wallet = Keypair.generate().publicKey.toBase58()
const usdc = registry.solana.usdcAddress
const account = associatedTokenAccount(wallet, usdc)
const due = 12_500_000n
/** What a resource is sold for. */
const price = 10_000n

let database: TestDatabase

beforeEach(async () => {
  database = await testDatabase()
  await rememberPaymentAddress(database.sql, 'solana', wallet)
})
afterEach(() => database.drop())

test.each([
  ['the reference as its memo', (id: string) => ({ memo: invoiceReferences.of(id) })],
  ['the invoice id as its memo', (id: string) => ({ memo: id })],
  ['the reference as an account', (id: string) => ({ reference: accountOf(id) })],
] as const)(
  'a payment with %s settles that invoice and no other of its amount',
  async (_, said) => {
    const other = await openInvoice()
    const paid = await openInvoice()
    await watch([payment(said(paid.id))])
    expect(await stateOf(paid)).toBe('settled')
    expect(await stateOf(other)).toBe('draft')
  },
)

test('a payment that says nothing settles the invoice of its exact amount', async () => {
  const paid = await openInvoice()
  const other = await openInvoice({ dueUsdcBase: due + 1n })
  await watch([payment({})])
  expect(await stateOf(paid)).toBe('settled')
  expect(await stateOf(other)).toBe('draft')
})

test.each([
  ['its sender', 'payer', undefined],
  ['a delegate who sends what is not his', 'payer', 'owner'],
  ['the owner of what a delegate sends', 'owner', 'owner'],
])('a payment of a price is left to what is being bought by %s', async (_, buyer, owner) => {
  const beside = await openInvoice({ dueUsdcBase: price })
  const sold = await buy(buyer)
  const sent = payment({ usdcBase: price, ...(owner && { owner }) })
  await watch([sent])
  expect(await stateOf(beside)).toBe('draft')
  expect(await sold(sent.signature)).toBe(true)
})

test('a payment of a price settles an invoice of it, whatever others are buying', async () => {
  const paid = await openInvoice({ dueUsdcBase: price })
  const sold = await buy('another')
  const sent = payment({ usdcBase: price, owner: 'owner' })
  await watch([sent])
  expect(await stateOf(paid)).toBe('settled')
  expect(await sold(sent.signature)).toBe(false)
})

test('a memo with the id of no invoice is held, whatever its amount', async () => {
  const other = await openInvoice()
  await watch([payment({ memo: Bun.randomUUIDv7() })])
  expect(await stateOf(other)).toBe('draft')
})

test('two memos that name two invoices pay neither: it is held as ambiguous', async () => {
  const one = await openInvoice()
  const other = await openInvoice()
  await watch([payment({ memo: [one.id, other.id] })])
  expect([await stateOf(one), await stateOf(other)]).toEqual(['draft', 'draft'])
  expect([...(await database.sql`select held_as from transfers`)]).toEqual([
    { held_as: 'ambiguous' },
  ])
})

test('an account that names an invoice outdoes a memo, which may name an order of others', async () => {
  const named = await openInvoice()
  await watch([payment({ memo: Bun.randomUUIDv7(), reference: accountOf(named.id) })])
  expect(await stateOf(named)).toBe('settled')
})

test('a memo says nothing of the payment in another transaction', async () => {
  const named = await openInvoice()
  await watch([payment({ usdcBase: due - 1n }), payment({ usdcBase: 0n, memo: named.id })])
  expect(await stateOf(named)).toBe('draft')
  expect([...(await database.sql`select usdc_base, held_as from transfers`)]).toEqual([
    { usdc_base: due - 1n, held_as: 'unmatched' },
  ])
})

test('less than is due is credited and leaves the invoice open; what is due in two parts settles it', async () => {
  const partly = await openInvoice()
  const wholly = await openInvoice()
  await watch([
    payment({ usdcBase: due - 1n, memo: partly.id }),
    payment({ usdcBase: due - 1n, memo: wholly.id }),
    payment({ usdcBase: 1n, memo: wholly.id, slot: 190 }),
  ])
  expect([await stateOf(partly), await stateOf(wholly)]).toEqual(['draft', 'settled'])
  const credited = await database.sql`select invoice_id from transfers order by usdc_base`
  expect(credited.map((row) => row.invoice_id).toSorted()).toEqual(
    [partly.id, wholly.id, wholly.id].toSorted(),
  )
})

test('more payments than one statement can well write are committed in portions, each once', async () => {
  const paid = await openInvoice()
  const many = Array.from({ length: 4_500 }, (_, at) =>
    payment({ usdcBase: BigInt(at + 1), slot: 101 + Math.floor(at / 45) }),
  )
  await watch([...many, payment({ memo: paid.id, slot: 140 })])
  const portions = await database.sql`
    select count(*)::integer as transfers, max(block_number) as last from transfers group by created_at order by last`
  expect(portions.map(({ transfers }) => transfers)).toEqual([2_026, 1_575, 900])
  expect(await stateOf(paid)).toBe('settled')
})

test('reading on where the last block was skipped takes nothing for a reorganisation', async () => {
  const paid = await openInvoice()
  const warnings = await watch([payment({ memo: paid.id })], [119, 120, 139, 140])
  expect(await stateOf(paid)).toBe('settled')
  expect(warnings).toEqual([])
})

test.each([
  [400, 5_000],
  // Slots are shorter on some days than they are meant to be, which is 200 ms at the least so far.
  [160, 60_000],
])(
  'payments in every slot of %d ms are found by who looks every two seconds, though nodes list them %d ms late',
  async (slotMs, lateMs) => {
    const [first, count] = [201, 150]
    // Of one invoice, so many small parts would be held.
    const half = { dueUsdcBase: BigInt(count / 2) }
    const [even, odd] = [await openInvoice(half), await openInvoice(half)]
    let atMs = Date.now()
    const finalizedSince = atMs
    const finalized = () => first - 1 + Math.floor((atMs - finalizedSince) / slotMs)
    const stub = startSolanaStub({
      genesisHash: mainnetGenesisHash,
      startedAt: Math.ceil(atMs / 1000),
      get finalized() {
        return finalized()
      },
      get listedTo() {
        return finalized()
      },
      listedAfter: Math.ceil(lateMs / slotMs),
      skipped: [],
      payments: Array.from({ length: count }, (_, at) =>
        payment({ usdcBase: 1n, memo: (at % 2 === 0 ? even : odd).id, slot: first + at }),
      ),
    })
    const watcher = testWatcher(database.sql, {
      chain: solanaChain({ rpcUrls: [stub.url], usdc }),
      confirmations: registry.solana.confirmations,
      now: () => new Date(atMs),
      steadyMs: () => atMs,
    })
    for (const endMs = atMs + 180_000; atMs < endMs; atMs += 2_000) await watcher.step()
    await stub.stop()
    expect([await stateOf(even), await stateOf(odd)]).toEqual(['settled', 'settled'])
  },
)

test('a wallet on record that is no address is left out with a warning, and the others are still paid', async () => {
  const mistyped = `z${usdc.slice(1)}`
  expect(() => associatedTokenAccount(mistyped, usdc)).toThrow()
  await database.sql`insert into payment_addresses (chain, address) values ('solana', ${toBytes(mistyped)})`
  const paid = await openInvoice()
  const warnings = await watch([payment({ memo: paid.id })])
  expect(await stateOf(paid)).toBe('settled')
  expect(warnings).toEqual(['a payment address is invalid on its chain: it is not watched'])
})

test('a payment that the first node has lost is found at the next one, and settled, where a third shows it', async () => {
  const paid = await openInvoice()
  const ledger = ledgerOf([payment({ memo: paid.id })])
  const lossy = startSolanaStub({ ...ledger, lost: [140, 160] })
  const [second, third] = [startSolanaStub(ledger), startSolanaStub(ledger)]
  await toTheEnd(watcherOf([lossy.url, second.url, third.url]))
  await Promise.all([lossy.stop(), second.stop(), third.stop()])
  expect(await stateOf(paid)).toBe('settled')
})

test('a node that has lost the blocks behind a snapshot reverts nothing: it lags, and the next one is asked', async () => {
  const paid = await openInvoice()
  const payments = [payment({ memo: paid.id, slot: 190 })]
  await watch(payments)
  const later = { ...ledgerOf(payments), finalized: 210, listedTo: 210 }
  const stub = startSolanaStub({ ...later, lost: [185, 195] })
  const whole = startSolanaStub(later)
  expect(await watcherOf([stub.url]).step()).toMatchObject({ failure: { fault: 'lagging' } })
  await toTheEnd(watcherOf([stub.url, whole.url]))
  await Promise.all([stub.stop(), whole.stop()])
  expect(await stateOf(paid)).toBe('settled')
  expect([...(await database.sql`select state from transfers`)]).toEqual([{ state: 'confirmed' }])
})

/**
 * Claims what a payer has signed for a purchase. Answers a function that records the transaction of
 * its settlement, and says whether the purchase got it.
 */
async function buy(payer: string): Promise<(txHash: string) => Promise<boolean>> {
  const key = authorizationKey('solana', { payer, nonce: '00' })
  const signed = { key, network: 'solana', payer, txHash: null } as const
  await claimPayment(database.sql, newClaim(signed))
  return async (txHash) =>
    (await markSettled(database.sql, signed, { txHash, position: 0 })) !== null
}

async function watch(payments: readonly ReturnType<typeof payment>[], skipped: number[] = []) {
  const warnings: string[] = []
  const stub = startSolanaStub({ ...ledgerOf(payments), skipped })
  const log = { warn: (_: object, message: string) => warnings.push(message), error: () => {} }
  await toTheEnd(watcherOf([stub.url], { log }))
  await stub.stop()
  return warnings
}

async function toTheEnd(watcher: Watcher) {
  for (let { isAdvancing } = await watcher.step(); isAdvancing; ) {
    isAdvancing = (await watcher.step()).isAdvancing
  }
}

function watcherOf(
  rpcUrls: readonly string[],
  over: Partial<Parameters<typeof testWatcher>[1]> = {},
): Watcher {
  return testWatcher(database.sql, {
    chain: solanaChain({ rpcUrls, usdc }),
    confirmations: registry.solana.confirmations,
    startBlock: 101,
    maxRangeBlocks: 20,
    ...over,
  })
}

function ledgerOf(payments: readonly ReturnType<typeof payment>[]): Ledger {
  return {
    genesisHash: mainnetGenesisHash,
    startedAt: Math.ceil(Date.now() / 1000),
    finalized: 200,
    listedTo: 200,
    skipped: [],
    payments,
  }
}

function payment(said: {
  readonly memo?: string | readonly string[]
  readonly reference?: string
  readonly usdcBase?: bigint
  readonly owner?: string
  readonly slot?: number
}) {
  const signature = base58.encode(crypto.getRandomValues(new Uint8Array(64)))
  return { signature, slot: 150, account, usdcBase: due, err: null, isLost: false, ...said }
}

function accountOf(invoiceId: string): string {
  return base58.encode(hex.decode(invoiceReferences.of(invoiceId).slice(2)))
}

async function openInvoice(over: Partial<Terms> = {}): Promise<Invoice.Invoice> {
  const accountId = '0190a000-0000-7000-8000-000000000001'
  const agreed = { chain: 'solana', payTo: wallet, dueUsdcBase: due, ...over } as const
  return storedInvoice(database.sql, accountId, agreed)
}

async function stateOf({ id }: Invoice.Invoice) {
  return (await loadMany(database.sql, [id]))[0]?.state
}
