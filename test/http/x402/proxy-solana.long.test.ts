import { beforeEach, describe, expect, test } from 'bun:test'
import { ed25519 } from '@noble/curves/ed25519.js'
import { base58 } from '@scure/base'
import { Connection } from '@solana/web3.js'
import { refused } from '../../support/app.ts'
import { signedTransfer } from '../../support/solana-transfer.ts'
import { eventually } from '../../support/wait.ts'
import { useWorld } from '../../support/world.ts'
import { buyerIn, demand, idIn, option as onBase, useServer } from '../../support/x402-proxy.ts'

/** What is bought with a message signed on Solana, which the upstream sends. */

const price = 20_000n
const waitMs = 30_000

/** What the upstream does with a payment. */
let deed: 'delivers' | 'takes and fails' | 'delivers and says nothing' | 'takes nothing' | 'fails'
/** The payments that have reached the upstream. */
let received: string[] = []
let made = 0
let agentId: string

const { app, solana: node } = useWorld({ chains: ['solana'], funded: [0, 1] })
const { buy, invoice, allow, budgetOf, agreedFor, boundTo } = buyerIn(app)
const upstream = useServer(answer)

beforeEach(() => {
  agentId = `agent-${made++}`
  deed = 'delivers'
  received = []
})

/** Version 1 under `/v1`, where half the price is asked for on Base first. */
async function answer({ url, headers }: Request): Promise<Response> {
  const isFirst = new URL(url).pathname === '/v1'
  const sent = headers.get(isFirst ? 'x-payment' : 'payment-signature')
  if (sent === null)
    return isFirst ? Response.json(offerV1(), { status: 402 }) : demand([accepted()])
  received.push(sent)
  if (deed === 'fails') return new Response('no', { status: 500 })
  if (deed === 'takes nothing') return new Response('the report')
  const { transaction } = JSON.parse(atob(sent)).payload
  const txHash = await sendRaw(transaction)
  if (deed === 'takes and fails') return new Response('no', { status: 500 })
  if (deed === 'delivers and says nothing') return new Response('the report')
  const settled = btoa(JSON.stringify({ success: true, transaction: txHash }))
  const name = isFirst ? 'x-payment-response' : 'payment-response'
  return new Response('the report', { headers: { [name]: settled } })
}

function accepted() {
  const [asset, payTo] = [node.mint.toBase58(), node.wallet(1).publicKey.toBase58()]
  const network = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'
  return { scheme: 'exact', network, amount: `${price}`, asset, payTo, maxTimeoutSeconds: 60 }
}

function offerV1() {
  const { asset, payTo } = accepted()
  const terms = { scheme: 'exact', maxAmountRequired: `${price}` }
  const cheap = { ...terms, maxAmountRequired: `${price / 2n}`, network: 'base' }
  const accepts = [
    { ...cheap, asset: onBase.asset, payTo: onBase.payTo },
    { ...terms, network: 'solana', asset, payTo },
  ]
  return { x402Version: 1, error: 'pay', accepts }
}

async function sendRaw(transaction: string): Promise<string> {
  const options = { encoding: 'base64', skipPreflight: true }
  const call = { jsonrpc: '2.0', id: 1, method: 'sendTransaction', params: [transaction, options] }
  const answered = await fetch(node.url, { method: 'POST', body: JSON.stringify(call) })
  return ((await answered.json()) as { result: string }).result
}

async function signed(usdcBase = price): Promise<string> {
  const [payer, to] = [node.wallet(0), node.wallet(1).publicKey.toBase58()]
  const order = { mint: node.mint, to, usdcBase, memo: `payment ${made++}` }
  const transaction = await signedTransfer(new Connection(node.url), payer, order)
  return transaction.toString('base64')
}

async function inV2(transaction?: string): Promise<Record<string, string>> {
  const payload = { transaction: transaction ?? (await signed()) }
  const payment = { x402Version: 2, accepted: accepted(), payload }
  return { 'payment-signature': btoa(JSON.stringify(payment)) }
}

async function inV1(transaction?: string): Promise<Record<string, string>> {
  const payload = { transaction: transaction ?? (await signed()) }
  const payment = { x402Version: 1, scheme: 'exact', network: 'solana', payload }
  return { 'x-payment': btoa(JSON.stringify(payment)) }
}

function get(path: string, headers: Record<string, string> = {}) {
  return buy(`${upstream.url.origin}${path}?${agentId}`, { 'x-agent-id': agentId, ...headers })
}

async function becomes(id: string | null, status: string): Promise<void> {
  await eventually(async () => {
    node.advance(1)
    await Bun.sleep(50)
    return (await invoice(id)).status === status
  }, waitMs)
}

async function stateOf(id: string | null): Promise<string> {
  const [row] = await app.database.sql`select state from purchases where invoice_id = ${id}`
  return row?.state
}

/** Moves the payment of a purchase, and its next look, into the past. */
async function grewOld(id: string | null, minutes: number): Promise<void> {
  await app.database.sql`
    update purchases set forwarded_at = forwarded_at - make_interval(mins => ${minutes}), first_forwarded_at = first_forwarded_at - make_interval(mins => ${minutes}),
      due_at = now()
    where invoice_id = ${id}`
}

describe('a payment of version 1, which names neither amount nor seller', () => {
  test('pays what its message moves: more than the budget allows is 402 BUDGET_EXCEEDED and is not forwarded, whatever is due elsewhere', async () => {
    await allow(1, agentId)
    expect((await get('/v1')).json.invoice.amount).toBe(10_000)
    const answer = await get('/v1', await inV1())
    expect([...refused(answer), received]).toEqual([402, 'BUDGET_EXCEEDED', []])
  })

  test('does not fit into a mandate over less', async () => {
    const under = { 'x-mandate-id': await agreedFor('0.01') }
    expect((await get('/v1', under)).status).toBe(402)
    const answer = await get('/v1', { ...under, ...(await inV1()) })
    expect([...refused(answer), received]).toEqual([403, 'MANDATE_LIMIT_EXCEEDED', []])
  })

  test('buys unasked, is paid on its own chain, counted once, and sent again without being counted', async () => {
    await allow(100, agentId)
    const payment = await inV1()
    const paid = await get('/v1', payment)
    const id = paid.headers.get('x-invoice-id')
    expect([paid.status, paid.text]).toEqual([200, 'the report'])
    expect((await invoice(id)).paymentDetails).toMatchObject({ chain: 'solana', amountDue: '0.02' })
    await becomes(id, 'settled')
    const again = await get('/v1', payment)
    expect([again.status, again.headers.get('x-invoice-id')]).toEqual([200, id])
    expect(await budgetOf(agentId)).toEqual({ spent: 2, reserved: 0 })
  })

  test('for what nobody demands is answered with what is demanded', async () => {
    const { status, json } = await get('/v1', await inV1(await signed(price + 1n)))
    expect([status, json.invoice.amount, received]).toEqual([402, 10_000, []])
  })

  test('that cannot be read is 400 and is not forwarded', async () => {
    const answer = await get('/v1', await inV1('AAAA'))
    expect([...refused(answer), received]).toEqual([400, 'INVALID_REQUEST', []])
  })
})

test('a payment that moves more than it says is 400 and is not forwarded', async () => {
  await get('/v2')
  const { status } = await get('/v2', await inV2(await signed(price + 1n)))
  expect([status, received]).toEqual([400, []])
})

test('a payment that its payer has not signed is 400 and is not forwarded, and nobody is looked for by it', async () => {
  await get('/v2')
  const wire = Buffer.from(await signed(), 'base64')
  wire.fill(0, 1, 65)
  const known = () => app.database.sql`select count(*) from purchases where message is not null`
  const before = await known()
  const { status } = await get('/v2', await inV2(wire.toString('base64')))
  expect([status, received, await known()]).toEqual([400, [], before])
})

test('a transfer made before, which its payer has signed for, settles', async () => {
  await allow(2, agentId)
  const id = idIn(await get('/v2'))
  const txHash = await sendRaw(await signed())
  const payer = node.wallet(0)
  const signature = base58.encode(ed25519.sign(Buffer.from(txHash), payer.secretKey.slice(0, 32)))
  deed = 'takes nothing'
  const proof = { txHash, signature, payer: payer.publicKey.toBase58() }
  const paid = await get('/v2', { 'payment-signature': JSON.stringify(proof) })
  expect([paid.text, idIn(paid)]).toEqual(['the report', id])
  await becomes(id, 'settled')
  expect(await budgetOf(agentId)).toEqual({ spent: 2, reserved: 0 })
})

test('a message buys one thing, however it is written: for another resource it is 409 and is not forwarded', async () => {
  const transaction = await signed()
  expect((await get('/v2', await inV2(transaction))).status).toBe(200)
  await get('/v1')
  const again = await get('/v1', await inV1(transaction))
  expect([...refused(again), received.length]).toEqual([409, 'INVALID_STATE', 1])
})

test('an upstream that takes the payment and then fails, naming no transaction, is 502 `taken`: the budget is spent, and holds', async () => {
  await allow(3, agentId)
  deed = 'takes and fails'
  const { headers } = await get('/v2')
  const id = headers.get('x-invoice-id')
  const { status, json } = await get('/v2', await inV2())
  expect([status, json.error.details]).toEqual([
    502,
    { invoiceId: id, payment: 'taken', upstreamStatus: 500 },
  ])
  expect(await budgetOf(agentId)).toEqual({ spent: 2, reserved: 0 })
  await get('/v2')
  const another = await get('/v2', await inV2())
  expect([another.json.error.code, received.length]).toEqual(['BUDGET_EXCEEDED', 1])
  await becomes(id, 'settled')
})

describe('a payment that was taken settles and is counted', () => {
  test('where the upstream accepts it and names no transaction', async () => {
    await allow(100, agentId)
    deed = 'delivers and says nothing'
    const { headers } = await get('/v2')
    const id = headers.get('x-invoice-id')
    await get('/v2', await inV2())
    await becomes(id, 'settled')
    expect(await budgetOf(agentId)).toEqual({ spent: 2, reserved: 0 })
  })

  test('where the process died before it noted the answer', async () => {
    await allow(100, agentId)
    const { headers } = await get('/v2')
    const id = headers.get('x-invoice-id')
    deed = 'delivers and says nothing'
    const payment = await inV2()
    // What a process leaves behind that dies between sending the payment and noting what came.
    const { sql } = app.database
    await sql`create or replace function ends() returns trigger language plpgsql as $$ begin raise 'lost'; end $$`
    await sql`create trigger ends before update of state on purchases for each row when (old.is_forwarding) execute function ends()`
    await get('/v2', payment)
    expect(await stateOf(id)).toBe('held')
    await sql`drop trigger ends on purchases`
    await grewOld(id, 2)
    await becomes(id, 'settled')
    expect(await budgetOf(agentId)).toEqual({ spent: 2, reserved: 0 })
  })
})

test('a payment that was not taken counts against its mandate until the chain takes its blockhash no more', async () => {
  const mandateId = await agreedFor('0.02')
  const under = { 'x-mandate-id': mandateId }
  deed = 'fails'
  const { headers } = await get('/v2', under)
  const id = headers.get('x-invoice-id')
  expect((await get('/v2', { ...under, ...(await inV2()) })).status).toBe(500)
  await grewOld(id, 3)
  await lookedFor(id)
  expect([await stateOf(id), await boundTo(mandateId)]).toEqual(['held', 20_000])
  expect((await get('/v2-another', under)).json.error.code).toBe('MANDATE_LIMIT_EXCEEDED')
  node.advance(200)
  await eventually(async () => {
    await grewOld(id, 0)
    return (await stateOf(id)) === 'replaced'
  }, waitMs)
  expect(await boundTo(mandateId)).toBe(0)
})

test('a payment that left is not given up by the word of a node that has lost its block', async () => {
  const connection = new Connection(node.url, 'confirmed')
  deed = 'fails'
  const { headers } = await get('/v2')
  const id = headers.get('x-invoice-id')
  const transaction = await signed()
  expect((await get('/v2', await inV2(transaction))).status).toBe(500)
  const { sql } = app.database
  // So that nothing looks for it.
  await sql`update purchases set due_at = 'infinity', version = version + 1 where invoice_id = ${id}`
  await sendRaw(transaction)
  const slot = await connection.getSlot()
  // What is watched besides has been read by the time that the block is lost.
  await eventually(async () => {
    node.advance(1)
    await Bun.sleep(50)
    const [cursor] = await sql`select next_block from cursors where chain = 'solana'`
    return Number(cursor?.next_block) > slot + 1
  }, waitMs)
  node.lose(slot, slot)
  node.advance(200)
  await grewOld(id, 3)
  await lookedFor(id)
  expect(await stateOf(id)).toBe('held')
})

/** Waits until the payment, due now, has been looked for from start to end. */
async function lookedFor(id: string | null): Promise<void> {
  const isDue = async () => {
    const [row] = await app.database
      .sql`select due_at <= now() as is_due from purchases where invoice_id = ${id}`
    return row?.is_due
  }
  // When it is looked for the second time, the first look has come to its end.
  for (let look = 1; look <= 2; look++) {
    await grewOld(id, 0)
    await eventually(async () => !(await isDue()), waitMs)
  }
}
