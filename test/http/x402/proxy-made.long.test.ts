import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { concat, type Hex } from 'viem'
import { payerStatement } from '../../../src/domain/settlement/payer-statement.ts'
import { installRelayer } from '../../chain/facilitator/relayer.ts'
import { refused } from '../../support/app.ts'
import { purchasesIn } from '../../support/bought.ts'
import { eventually } from '../../support/wait.ts'
import { useWorld } from '../../support/world.ts'
import { transferShown } from '../../support/x402-buyer.ts'
import { buyerIn, idIn } from '../../support/x402-proxy.ts'

/**
 * Payments by a transfer that is already on chain: whatever the upstream answers, the money is
 * spent; but only what its payer has signed for settles.
 */

const usdcBase = 10_000n
const waitMs = 30_000

const { app, node, startHere } = useWorld({
  chains: ['base'],
  funded: [1, 2],
  env: { BASE_POLL_MS: '50', BASE_CONFIRMATIONS: '2' },
})
const { allow, budgetOf, invoice, becomes, ...buyer } = buyerIn(app)
const { age, looked } = purchasesIn(app)
let agentId: string
let upstream: Bun.Server<undefined>
let isRefusing: boolean
/** What it answers to a payment that it does not refuse. */
let answered: { readonly status: number; readonly headers?: Record<string, string> }
/** How many payments the upstream has received. */
let shown: number

beforeEach(async () => {
  isRefusing = false
  answered = { status: 200 }
  shown = 0
  upstream = serve(0)
  agentId = await allow(1)
})
afterEach(() => upstream.stop(true))

function serve(port: number) {
  const recipient = node.wallet(5).address
  const required = JSON.stringify({ price: '0.01', token: 'USDC', recipient, network: 'base' })
  return Bun.serve({
    port,
    hostname: '127.0.0.1',
    fetch(request) {
      const isPaid = request.headers.has('payment-signature')
      if (isPaid) shown++
      return isPaid && !isRefusing
        ? new Response('the report', answered)
        : new Response('pay', { status: 402, headers: { 'payment-required': required } })
    },
  })
}

function buy(headers: Record<string, string> = {}, path = '') {
  return buyer.buy(`${upstream.url.href}${path}`, { 'x-agent-id': agentId, ...headers })
}

type Made = { readonly wallet?: number; readonly to?: number; readonly usdcBase?: bigint }

/** Transfers the demanded amount to the seller. */
function transfer({ wallet = 1, to = 5, usdcBase: amount = usdcBase }: Made = {}): Promise<Hex> {
  const [from, recipient] = [node.wallet(wallet).address, node.wallet(to).address]
  return node.transfer({ from, to: recipient, usdcBase: amount })
}

/** A quote, and a transfer of the demanded amount that its sender has signed for. */
async function transferred(how: Made = {}) {
  const id = idIn(await buy())
  const txHash = await transfer(how)
  return { id, txHash, payment: await transferShown(node.wallet(how.wallet ?? 1), txHash) }
}

async function expectSettled(id: string): Promise<void> {
  await node.mine(3)
  await becomes(id, 'settled')
  expect(await budgetOf(agentId)).toEqual({ spent: 1, reserved: 0 })
}

describe('a transfer settles its purchase', () => {
  const texts = {
    'its hash': (txHash: string) => txHash,
    'the lines that name its invoice': (txHash: string, invoiceId: string) =>
      payerStatement({ subject: { invoiceId }, chain: 'base', txHash }),
    'the lines that name its URL': (txHash: string) =>
      payerStatement({ subject: { resource: upstream.url.href }, chain: 'base', txHash }),
  }
  test.each(Object.entries(texts))('whose payer has signed %s', async (_, textOf) => {
    const { id, txHash } = await transferred()
    const paid = await buy(await transferShown(node.wallet(1), txHash, textOf(txHash, id)))
    expect([paid.status, paid.text, idIn(paid)]).toEqual([200, 'the report', id])
    await expectSettled(id)
    expect((await invoice(id)).receiptId).toStartWith('drs_')
  })

  test('that the upstream refuses at first and accepts later', async () => {
    const { id, payment } = await transferred()
    isRefusing = true
    const { status, json } = await buy(payment)
    expect([status, json.error.details]).toEqual([
      502,
      { invoiceId: id, payment: 'taken', upstreamStatus: 402 },
    ])
    isRefusing = false
    expect((await buy(payment)).text).toBe('the report')
    await expectSettled(id)
  })

  test('that never reaches the upstream', async () => {
    const { id, payment } = await transferred()
    const port = Number(upstream.port)
    await upstream.stop(true)
    const unsent = await buy(payment)
    expect([unsent.status, unsent.json.error.details]).toEqual([
      502,
      { invoiceId: id, payment: 'pending' },
    ])
    upstream = serve(port)
    expect((await buy(payment)).text).toBe('the report')
    await expectSettled(id)
  })

  test.each([200, 500])('whatever other transaction an answer with %d names', async (status) => {
    const { id, payment } = await transferred()
    const other = await transfer({ to: 4 })
    const told = btoa(JSON.stringify({ success: true, transaction: other }))
    answered = { status, headers: { 'payment-response': told } }
    await buy(payment)
    await expectSettled(id)
    expect((await invoice(id)).paymentDetails.txHash).not.toBe(other)
  })

  test('of more than the price', async () => {
    const { id, payment } = await transferred({ usdcBase: usdcBase + 1n })
    expect((await buy(payment)).status).toBe(200)
    await expectSettled(id)
  })
})

describe('accepted by the upstream, a transfer is paid by its word alone, counts for a day and never settles', () => {
  const signedBy = (wallet: number, of?: Hex) => async (txHash: Hex) => {
    const { 'payment-signature': proof = '' } = await transferShown(
      node.wallet(wallet),
      of ?? txHash,
    )
    const { signature } = JSON.parse(proof)
    return JSON.stringify({ txHash, signature, payer: node.wallet(1).address })
  }
  const junk = (signature: string) => async (txHash: Hex) =>
    JSON.stringify({ txHash, signature, payer: node.wallet(1).address })
  const other = `0x${'a5'.repeat(32)}` as const
  const cases: readonly (readonly [string, Made, (txHash: Hex) => Promise<string>])[] = [
    ['with the signature 0x5e', {}, junk('0x5e')],
    ['with a signature of zeros', {}, junk(`0x${'00'.repeat(65)}`)],
    ['that somebody else has signed', {}, signedBy(2)],
    ['whose payer has signed another hash', {}, signedBy(1, other)],
    ['that somebody else has made', { wallet: 2 }, signedBy(1)],
    ['of less', { usdcBase: usdcBase - 1n }, signedBy(1)],
    ['to somebody else', { to: 4 }, signedBy(1)],
  ]
  test.each(cases)('%s', async (_, how, prove) => {
    const id = idIn(await buy())
    const proof = await prove(await transfer(how))
    const paid = await buy({ 'payment-signature': proof })
    expect([paid.status, paid.text]).toEqual([200, 'the report'])
    await node.mine(4)
    await looked(id, 3)
    expect((await invoice(id)).status).toBe('paid')
    expect(await budgetOf(agentId)).toEqual({ spent: 1, reserved: 0 })
    await age(id, '2 days')
    await becomes(id, 'sent')
    expect((await invoice(id)).receiptId ?? null).toBeNull()
    expect(await budgetOf(agentId)).toEqual({ spent: 0, reserved: 0 })
  })

  test('that was made before the quote', async () => {
    const txHash = await transfer()
    await Bun.sleep(2_000)
    const id = idIn(await buy())
    const paid = await buy(await transferShown(node.wallet(1), txHash))
    expect([paid.status, idIn(paid)]).toEqual([200, id])
    await node.mine(4)
    await looked(id, 3)
    expect((await invoice(id)).status).toBe('paid')
  })

  test('that nobody has made', async () => {
    const id = idIn(await buy())
    await buy(await transferShown(node.wallet(1), other))
    await node.mine(4)
    await looked(id, 3)
    await age(id, '2 days')
    await becomes(id, 'sent')
  })
})

describe('for a budget without room', () => {
  test('a transfer goes nowhere, and nothing lets it through later: not the chain, not a worker, not itself', async () => {
    const { id, payment } = await transferred()
    await allow(0, agentId)
    const worker = await startHere({ ROLE: 'worker' })
    await node.mine(4)
    for (let n = 0; n < 3; n++) {
      expect(refused(await buy(payment))).toEqual([402, 'BUDGET_EXCEEDED'])
      await Bun.sleep(2_000)
    }
    await worker.drain()
    expect(shown).toBe(0)
    expect((await invoice(id)).status).toBe('sent')
    expect(await budgetOf(agentId)).toEqual({ spent: 0, reserved: 0 })
    await allow(1, agentId)
    expect((await buy(payment)).text).toBe('the report')
    await expectSettled(id)
  })
})

describe('one transfer', () => {
  test('buys one thing of an account: for another resource it is 409', async () => {
    const { payment } = await transferred()
    await buy({}, 'other')
    expect((await buy(payment)).status).toBe(200)
    expect(refused(await buy(payment, 'other'))).toEqual([409, 'INVALID_STATE'])
    expect(shown).toBe(1)
  })

  test('that two accounts show settles for one of them', async () => {
    const id = idIn(await buy())
    const others = { 'x-api-key': app.other.v1Key, 'x-agent-id': 'theirs' }
    const theirs = idIn(await buy(others))
    const shownBy = await transferShown(node.wallet(1), await transfer())
    for (const headers of [shownBy, { ...others, ...shownBy }])
      expect((await buy(headers)).status).toBe(200)
    await node.mine(4)
    const statuses = async () => [
      (await invoice(id)).status,
      (await app.send('GET', `/api/invoices/${theirs}`, undefined, others)).json.status,
    ]
    await eventually(async () => (await statuses()).includes('settled'), waitMs)
    await looked((await statuses())[0] === 'settled' ? theirs : id, 3)
    expect((await statuses()).toSorted()).toEqual(['paid', 'settled'])
  })

  test('of two by one transaction buys for its sender, has an invoice of its own, and counts', async () => {
    await allow(2, agentId)
    const payers = [node.wallet(1), node.wallet(2)]
    const ids = [idIn(await buy({}, 'a')), idIn(await buy({}, 'b'))]
    const to = node.wallet(5).address
    const calls = payers.map((from, n) =>
      node.signedAuthorization({ from, to, usdcBase, reference: `0x${`${n}`.padStart(64, '7')}` }),
    )
    const data = concat(await Promise.all(calls))
    const relayer = await installRelayer(node)
    const txHash = await node.send({ from: node.wallet(7).address, to: relayer, data })
    for (const [n, path] of ['a', 'b'].entries()) {
      const paid = await buy(await transferShown(payers[n] as never, txHash), path)
      expect([paid.text, idIn(paid)]).toEqual(['the report', ids[n] as string])
    }
    await node.mine(3)
    for (const id of ids) await becomes(id, 'settled')
    expect(await budgetOf(agentId)).toEqual({ spent: 2, reserved: 0 })
  })
})

test('a transfer on another kind of chain than its payer’s is 400, and goes nowhere', async () => {
  const { id } = (await buy()).json.invoice as { id: string }
  const proof = { txHash: '5'.repeat(88), signature: '0x5e', payer: node.wallet(1).address }
  const answer = await buy({ 'payment-signature': JSON.stringify(proof) })
  expect([...refused(answer), shown]).toEqual([400, 'INVALID_REQUEST', 0])
  expect((await invoice(id)).status).toBe('sent')
})
