import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { Connection } from '@solana/web3.js'
import { type Hex, keccak256, toHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { purchasesIn } from '../../support/bought.ts'
import { transferCall } from '../../support/evm-node.ts'
import { aMandate } from '../../support/mandates.ts'
import { transferUsdc } from '../../support/solana-transfer.ts'
import { eventually } from '../../support/wait.ts'
import { useWorld } from '../../support/world.ts'

/**
 * Payments of which the chain can be asked only by their transaction, so not at all until the
 * upstream names it: what is signed other than by EIP-3009. And what becomes of a payment, however
 * it is signed, whose transaction was named and has failed or pays nothing of it.
 */

const { app, node: base, solana: node } = useWorld({ chains: ['base', 'solana'] })
const { statusOf, becomes, purchase, statesOf, reaches, age, dueNow } = purchasesIn(app)
let upstream: ReturnType<typeof Bun.serve>
/** What the upstream answers to a payment. */
let status: 200 | 402 | 500
/** What it says of the settlement of each payment, if anything. */
let told: { readonly success: boolean; readonly transaction: string } | null
let chain: 'solana' | 'base'
let signing: 'permit2' | 'eip3009'

const waitMs = 30_000

beforeAll(() => {
  upstream = startUpstream()
})
afterAll(() => upstream.stop(true))
beforeEach(() => {
  told = null
  chain = 'base'
  signing = 'permit2'
})

/** Asks for 0.01 USDC. */
function startUpstream() {
  return Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch({ url, headers }) {
      const isPaid = headers.has('payment-signature')
      const answer = new Headers(
        isPaid && told !== null ? { 'payment-response': btoa(JSON.stringify(told)) } : {},
      )
      if (isPaid && status !== 402) return new Response('an answer', { status, headers: answer })
      const required = { x402Version: 2, resource: { url }, accepts: [accepted()] }
      answer.set('payment-required', btoa(JSON.stringify(required)))
      return new Response('{}', { status: 402, headers: answer })
    },
  })
}

function accepted() {
  const terms = { scheme: 'exact', amount: '10000', maxTimeoutSeconds: 60 }
  if (chain === 'base') {
    const extra = { assetTransferMethod: signing, name: 'USD Coin', version: '2' }
    const payTo = base.wallet(3).address
    return { ...terms, network: 'eip155:8453', asset: base.usdc, payTo, extra }
  }
  return {
    ...terms,
    network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
    asset: node.mint.toBase58(),
    payTo: node.wallet(1).publicKey.toBase58(),
    extra: { feePayer: node.wallet(2).publicKey.toBase58() },
  }
}

function signed() {
  const [signature, nonce] = ['0x01', toHex(made, { size: 32 })]
  const [from, to] = [base.wallet(1).address, base.wallet(3).address]
  const permitted = { token: base.usdc, amount: '10000' }
  if (signing === 'permit2') {
    const permit = { from, permitted, nonce, deadline: '99999999999', witness: { to } }
    return { signature, permit2Authorization: permit }
  }
  const valid = { validAfter: '0', validBefore: '99999999999' }
  return { signature, authorization: { from, to, value: '10000', nonce, ...valid } }
}

let made = 0

/** Buys a resource under a mandate for `amount` USDC, and for `agent`. */
async function bought(answered: typeof status, amount = '0.01', agent?: string) {
  status = answered
  const terms = { amount, currency: 'USDC' }
  const mandate = (await aMandate(app, undefined, undefined, terms)).id
  const under = { 'x-mandate-id': mandate, ...(agent && { 'x-agent-id': agent }) }
  const path = `/api/x402/proxy?url=${encodeURIComponent(`${upstream.url}report?n=${made++}`)}`
  const unpaid = await app.send('GET', path, undefined, under)
  const id = unpaid.headers.get('x-invoice-id') ?? ''
  const payload = signed()
  const payment = btoa(JSON.stringify({ x402Version: 2, accepted: accepted(), payload }))
  const pay = () => app.send('GET', path, undefined, { ...under, 'payment-signature': payment })
  const answer = await pay()
  const isAccepted = answered === 200 && told?.success !== false
  // Of a transaction that was named the chain may have told already.
  const states = told?.transaction ? ['unknown', 'paid', 'settled'] : ['unknown']
  expect(isAccepted ? ['paid', 'settled'] : states).toContain((await purchase(id)).state)
  const buyAnother = () => app.send('GET', `${path}-another`, undefined, under)
  return { id, buyAnother, answer, payAgain: pay }
}

/** Buys a resource as `bought` does, a day and an hour ago. */
async function boughtYesterday(...how: Parameters<typeof bought>) {
  const made = await bought(...how)
  await age(made.id, '25 hours')
  return made
}

/**
 * Pays the upstream, or another wallet, 0.01 USDC on Solana; to pay more fails. Answers the
 * transaction.
 */
function transferred({ usdcBase = 10_000n, to: wallet = 1 } = {}): Promise<string> {
  const payer = node.wallet(0)
  node.mintTo(payer.publicKey, 10_000n)
  const to = node.wallet(wallet).publicKey.toBase58()
  const unchecked = usdcBase > 10_000n
  return transferUsdc(new Connection(node.url), payer, { ...order(), to, usdcBase, unchecked })
}

function order() {
  const to = node.wallet(1).publicKey.toBase58()
  return { mint: node.mint, to, usdcBase: 10_000n, memo: `payment ${made}` }
}

/** Pays the upstream 0.01 USDC on Base, for good. Answers the transaction. */
async function transferredOnBase(): Promise<Hex> {
  const transaction = await signedTransfer()
  await base.rpc('eth_sendRawTransaction', [transaction])
  await base.mine(10)
  return keccak256(transaction)
}

/** The payment was forwarded, and ran out, more than a day ago. */
async function longAgo(id: string): Promise<void> {
  await app.database.sql`
    update purchases set forwarded_at = now() - interval '25 hours', valid_before = now() - interval '25 hours'
    where invoice_id = ${id}`
}

/** Waits until the payment, due now, has been looked for from start to end. */
async function lookedFor(id: string): Promise<void> {
  const { sql } = app.database
  const isDue = async () => {
    const [row] =
      await sql`select updated_at <= now() as is_due from purchases where invoice_id = ${id}`
    return row?.is_due
  }
  // When it is looked for the second time, the first look has come to its end.
  for (let look = 1; look <= 2; look++) {
    await dueNow(id)
    await eventually(async () => !(await isDue()), waitMs)
  }
}

test('a payment that its upstream refuses may be taken all the same: what is demanded next has an invoice of its own', async () => {
  const { id, answer } = await boughtYesterday(402, '0.02')
  expect([answer.status, answer.json.invoice?.total]).toEqual([402, 10_000])
  expect(answer.json.invoice?.id).not.toBe(id)
  expect((await purchase(id)).state).not.toBe('refused')
}, 90_000)

test('a payment that its upstream refuses, naming its transaction, is asked for no second time, and settles by that', async () => {
  const agent = 'agent-7'
  await app.send('PUT', `/api/budget/${agent}`, { limit: 2 })
  told = { success: false, transaction: await transferredOnBase() }
  const { id, answer, buyAnother } = await bought(402, '0.01', agent)
  expect([answer.status, answer.json.error?.details]).toEqual([
    502,
    { invoiceId: id, payment: 'pending', upstreamStatus: 402 },
  ])
  await becomes(id, 'settled')
  const { spent, reserved } = (await app.send('GET', `/api/budget/${agent}`)).json.data
  expect({ spent, reserved }).toEqual({ spent: 1, reserved: 0 })
  expect((await buyAnother()).json.error?.code).toBe('MANDATE_LIMIT_EXCEEDED')
}, 90_000)

test.each([200, 500] as const)(
  'a payment answered with %d and the word that it has failed settles by the transaction named with that',
  async (answered) => {
    told = { success: false, transaction: await transferredOnBase() }
    const { id } = await bought(answered)
    await becomes(id, 'settled')
  },
  90_000,
)

test.each([
  ['no transaction', null],
  ['a transaction that no chain has', { success: false, transaction: `0x${'a5'.repeat(32)}` }],
])(
  'a payment on an EVM chain that the chain never calls untaken counts for good if its upstream failed and named %s',
  async (_, named) => {
    told = named
    const { id, buyAnother } = await boughtYesterday(500)
    await lookedFor(id)
    expect((await purchase(id)).state).toBe('unknown')
    expect((await buyAnother()).json.error?.code).toBe('MANDATE_LIMIT_EXCEEDED')
  },
  90_000,
)

test('a transaction that is named only when its payment is sent again has a day to appear from then', async () => {
  const { id, payAgain } = await boughtYesterday(200)
  const transaction = await signedTransfer()
  told = { success: true, transaction: keccak256(transaction) }
  await payAgain()
  await lookedFor(id)
  expect((await purchase(id)).state).toBe('paid')
  await base.rpc('eth_sendRawTransaction', [transaction])
  await base.mine(10)
  await becomes(id, 'settled')
}, 90_000)

test('a payment on an EVM chain that the chain never calls untaken counts for good if its upstream accepted it and named a transaction that no chain has', async () => {
  told = { success: true, transaction: `0x${'a6'.repeat(32)}` }
  const { id, buyAnother } = await boughtYesterday(200)
  await lookedFor(id)
  expect((await purchase(id)).state).toBe('paid')
  expect((await buyAnother()).json.error?.code).toBe('MANDATE_LIMIT_EXCEEDED')
}, 90_000)

test.each([
  ['refused', 402],
  ['accepted', 200],
] as const)(
  'a payment that is %s and whose first transaction has failed settles by the next one that its upstream names',
  async (_, answered) => {
    const success = answered === 200
    const failing = await signedTransfer(10_000_000_000n)
    told = { success, transaction: keccak256(failing) }
    const { id, payAgain } = await bought(answered)
    const named = async () => (await purchase(id)).txHash
    await lookedFor(id)
    expect(await named()).toBe(keccak256(failing))
    await base.rpc('eth_sendRawTransaction', [failing])
    await base.mine(10)
    await eventually(async () => {
      await dueNow(id)
      return (await named()) === null
    }, waitMs)
    expect(await statusOf(id)).toBe('sent')
    const second = await signedTransfer()
    told = { success, transaction: keccak256(second) }
    expect((await payAgain()).status).toBe(success ? 200 : 502)
    await base.rpc('eth_sendRawTransaction', [second])
    await base.mine(10)
    await becomes(id, 'settled')
  },
  90_000,
)

test('a payment by Permit2 is not settled by what somebody else has sent, whatever its upstream says', async () => {
  const { address: other } = base.wallet(2)
  await base.mint(other, 10_000n)
  const transaction = await base.transfer({
    from: other,
    to: base.wallet(3).address,
    usdcBase: 10_000n,
  })
  await base.mine(10)
  told = { success: true, transaction }
  const { id } = await bought(200)
  await lookedFor(id)
  expect((await purchase(id)).state).toBe('paid')
  expect(await statusOf(id)).not.toBe('settled')
}, 90_000)

test('a payment that had settled, until a reorganisation took it for good, can be given up a day after its time', async () => {
  const transaction = await signedTransfer()
  told = { success: true, transaction: keccak256(transaction) }
  const { id, buyAnother } = await bought(200)
  await base.rpc('eth_sendRawTransaction', [transaction])
  await base.mine(10)
  await becomes(id, 'settled')
  await base.reorg(11)
  await becomes(id, 'sent')
  const voided = () => app.send('POST', `/api/invoices/${id}/void`)
  expect((await voided()).status).toBe(409)
  await longAgo(id)
  expect((await voided()).status).toBe(200)
  expect((await buyAnother()).status).toBe(402)
}, 90_000)

test.each([
  ['has failed', 'eip3009', (): Promise<Hex> => signedTransfer(10_000_000_000n)],
  ['pays somebody else', 'eip3009', (): Promise<Hex> => signedTransfer(10_000n, 4)],
  ['pays somebody else', 'permit2', (): Promise<Hex> => signedTransfer(10_000n, 4)],
  ['is not made by the payment', 'eip3009', (): Promise<Hex> => signedTransfer()],
] as const)(
  'a payment is credited no longer by a named transaction that %s, but counts (%s)',
  async (_, how, sign) => {
    signing = how
    const named = await sign()
    told = { success: true, transaction: keccak256(named) }
    const { id, buyAnother } = await bought(200)
    expect(await statusOf(id)).toBe('paid')
    await base.rpc('eth_sendRawTransaction', [named])
    await base.mine(10)
    await eventually(async () => {
      await dueNow(id)
      return (await statusOf(id)) === 'sent'
    }, waitMs)
    await lookedFor(id)
    expect(await statesOf(id)).toEqual(['paid', 'sent'])
    expect((await app.send('POST', `/api/invoices/${id}/void`)).status).toBe(409)
    expect((await buyAnother()).json.error?.code).toBe('MANDATE_LIMIT_EXCEEDED')
  },
  90_000,
)

test('of two purchases for which one transaction is named, it pays one, and the other can be given up a day after its time', async () => {
  const named = await signedTransfer()
  told = { success: true, transaction: keccak256(named) }
  const both = [await bought(200), await bought(200)]
  await base.rpc('eth_sendRawTransaction', [named])
  await base.mine(10)
  const statuses = () => Promise.all(both.map(({ id }) => statusOf(id)))
  await eventually(async () => {
    await app.database.sql`update purchases set updated_at = now() where state = 'paid'`
    return (await statuses()).toSorted().join() === 'sent,settled'
  }, waitMs)
  const other = both[(await statuses()).indexOf('sent')]
  if (!other) throw new Error('none is left')
  const voided = () => app.send('POST', `/api/invoices/${other.id}/void`)
  expect((await voided()).status).toBe(409)
  expect((await other.buyAnother()).json.error?.code).toBe('MANDATE_LIMIT_EXCEEDED')
  await longAgo(other.id)
  expect((await voided()).status).toBe(200)
  expect((await other.buyAnother()).status).toBe(402)
}, 90_000)

test.each([
  ['has failed', (): Promise<string> => transferred({ usdcBase: 10_000_000_000n })],
  ['pays somebody else', (): Promise<string> => transferred({ to: 3 })],
])(
  'a transfer on Solana by a transaction that %s was never made, which is known once that is final',
  async (_, send) => {
    chain = 'solana'
    status = 200
    const path = `/api/x402/proxy?url=${encodeURIComponent(`${upstream.url}report?n=${made++}`)}`
    const id = (await app.send('GET', path)).headers.get('x-invoice-id') ?? ''
    const payer = node.wallet(0).publicKey.toBase58()
    const payment = JSON.stringify({ txHash: await send(), signature: '0x01', payer })
    await app.send('GET', path, undefined, { 'payment-signature': payment })
    await lookedFor(id)
    expect(await statesOf(id)).toEqual(['paid', 'paid'])
    node.advance(5)
    await reaches(id, 'expired')
    expect(await statusOf(id)).toBe('sent')
  },
  90_000,
)

/**
 * A transaction on Base, not sent yet, that pays the upstream, or another wallet, 0.01 USDC; one
 * for more fails.
 */
async function signedTransfer(usdcBase = 10_000n, to = 3): Promise<Hex> {
  const { address, privateKey } = base.wallet(1)
  await base.mint(address, 10_000n)
  return privateKeyToAccount(privateKey).signTransaction({
    type: 'eip1559',
    chainId: 8453,
    nonce: Number(await base.rpc('eth_getTransactionCount', [address, 'latest'])),
    gas: 200_000n,
    maxFeePerGas: 100_000_000_000n,
    maxPriorityFeePerGas: 1_000_000_000n,
    to: base.usdc,
    data: transferCall({ to: base.wallet(to).address, usdcBase }),
  })
}
