import { afterAll, beforeAll, expect, test } from 'bun:test'
import { x402Client } from '@x402/core/client'
import { x402Facilitator } from '@x402/core/facilitator'
import { toFacilitatorEvmSigner } from '@x402/evm'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { ExactEvmScheme as FacilitatorScheme } from '@x402/evm/exact/facilitator'
import { createWalletClient, http, publicActions } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { base } from 'viem/chains'
import { type TestApp, testApp } from '../../support/app.ts'
import { type EvmNode, startEvmNode } from '../../support/evm-node.ts'
import { eventually } from '../../support/wait.ts'

/** A facilitator somewhere else, made of the official package, that settles on Base alone. */

const path = '/api/x402/invoice'
const network = 'eip155:8453'

let node: EvmNode
let app: TestApp
let facilitator: Bun.Server<undefined>
const asked: string[] = []
/** What it says of a settlement beside what is so. */
let told = {}
/** The status of what it says about an invalid payment. */
let invalidStatus = 200

beforeAll(async () => {
  node = await startEvmNode({ chainId: 8453 })
  await node.mint(node.wallet(1).address, 1_000_000n)
  facilitator = startFacilitator()
  app = await testApp({
    ROLE: 'http',
    BASE_RPC_URL: node.url,
    POLYGON_RPC_URL: node.url,
    POLYGON_WALLET: node.wallet(3).address,
    BASE_WALLET: node.wallet(3).address,
    X402_FACILITATOR_URL: facilitator.url.href,
  })
  // What it settles is known once it has been asked.
  await eventually(async () => asked.includes('/supported'))
})

afterAll(async () => {
  await app.stop()
  await facilitator.stop(true)
  await node.stop()
})

function startFacilitator(): Bun.Server<undefined> {
  const account = privateKeyToAccount(node.wallet(6).privateKey)
  const client = createWalletClient({ account, chain: base, transport: http(node.url) }).extend(
    publicActions,
  )
  const signer = toFacilitatorEvmSigner({ ...client, address: account.address } as never)
  const settling = new x402Facilitator().register(network, new FacilitatorScheme(signer))
  return Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { pathname } = new URL(request.url)
      asked.push(pathname)
      if (pathname === '/supported') return Response.json(settling.getSupported())
      const { paymentPayload, paymentRequirements } = (await request.json()) as never
      const outcome =
        pathname === '/verify'
          ? await settling.verify(paymentPayload, paymentRequirements)
          : { ...(await settling.settle(paymentPayload, paymentRequirements)), ...told }
      const status = 'isValid' in outcome && !outcome.isValid ? invalidStatus : 200
      return Response.json(outcome, { status })
    },
  })
}

async function aPayment(): Promise<string> {
  const { json } = await app.keyless('POST', path, {})
  const client = new x402Client().register(
    'eip155:*',
    new ExactEvmScheme(privateKeyToAccount(node.wallet(1).privateKey)),
  )
  const payload = await client.createPaymentPayload({ ...json, error: undefined })
  return Buffer.from(JSON.stringify(payload)).toString('base64')
}

async function balance(): Promise<bigint> {
  const data = `0x70a08231${node.wallet(1).address.slice(2).padStart(64, '0')}`
  return BigInt(await node.rpc<string>('eth_call', [{ to: node.usdc, data }, 'latest']))
}

test('only what it settles is offered', async () => {
  const { json } = await app.keyless('POST', path, {})
  expect(json.accepts.map((one: { network: string }) => one.network)).toEqual([network])
})

test('five copies of one payment at once are settled once, and deliver one thing', async () => {
  const before = await balance()
  const proof = await aPayment()
  const pay = () => app.keyless('POST', path, {}, { 'payment-signature': proof })
  const answers = await Promise.all(Array.from({ length: 5 }, pay))
  const delivered = answers.filter(({ status }) => status === 200)
  expect(answers.filter(({ status }) => status !== 200 && status !== 409)).toEqual([])
  const again = await pay()
  expect(again.status).toBe(200)
  expect(new Set([again, ...delivered].map(({ text }) => text)).size).toBe(1)
  expect(before - (await balance())).toBe(10_000n)
  expect(asked.filter((one) => one === '/settle')).toHaveLength(1)
})

test.each([
  [{ transaction: 'pending' }],
  [{ success: false, errorReason: 'later', transaction: 'pending' }],
  [{ success: false, errorReason: 'later', transaction: '5'.repeat(88) }],
])('what it settles and tells as %j is found on chain', async (said) => {
  told = said
  const proof = await aPayment()
  const paid = await app.keyless('POST', path, {}, { 'payment-signature': proof })
  told = {}
  expect(paid.status).toBe(200)
  const { transaction } = JSON.parse(atob(paid.headers.get('payment-response') ?? ''))
  expect(transaction).toMatch(/^0x[0-9a-f]{64}$/)
})

async function payInvalid() {
  const payload = JSON.parse(Buffer.from(await aPayment(), 'base64').toString())
  payload.payload.signature = `0x${'11'.repeat(65)}`
  return app.keyless('POST', path, {}, { 'payment-signature': JSON.stringify(payload) })
}

test.each([200, 400, 402, 422])(
  'a payment that it finds invalid, and says so with %i, is refused with a fresh demand, and not settled',
  async (status) => {
    invalidStatus = status
    const settled = asked.filter((one) => one === '/settle').length
    const refused = await payInvalid()
    expect([refused.status, refused.json.accepts.length]).toEqual([402, 1])
    expect(asked.filter((one) => one === '/settle')).toHaveLength(settled)
  },
)

test.each([429, 503])(
  'a facilitator that answers %i has not looked at the payment: nothing is said about it',
  async (status) => {
    invalidStatus = status
    const unsaid = await payInvalid()
    expect([unsaid.status, unsaid.headers.get('retry-after')]).toEqual([503, '5'])
  },
)
