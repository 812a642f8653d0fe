import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { privateKeyToAccount } from 'viem/accounts'
import { startApp } from '../../../src/app.ts'
import { type Config, readConfig } from '../../../src/config/config.ts'
import { payerStatement } from '../../../src/domain/settlement/payer-statement.ts'
import { createLog } from '../../../src/telemetry/log.ts'
import { type TestApp, testApp, testEnv, testWallet } from '../../support/app.ts'
import { type EvmNode, startEvmNode } from '../../support/evm-node.ts'
import { startLostFacilitator } from '../../support/lost-facilitator.ts'
import { paywallOf } from '../../support/paywall.ts'
import { permittedBy, signedOrder } from '../../support/x402-buyer.ts'

/** Payments made before the operator changed or removed the receiving wallet. */

const path = '/api/x402/invoice'
const order = { amount: 2.5 }
const anotherWallet = `0x${'77'.repeat(20)}`
const anotherToken = `0x${'66'.repeat(20)}`

let node: EvmNode
let app: TestApp

const facilitator = startLostFacilitator()

const payer = () => node.wallet(1)
const env = (over: Record<string, string> = {}) => ({
  ROLE: 'http',
  PUBLIC_URL: 'https://pay.test',
  BASE_RPC_URL: node.url,
  X402_FACILITATOR_URL: facilitator.url.href,
  ...over,
})

beforeAll(async () => {
  node = await startEvmNode({ chainId: 8453 })
  await node.mint(payer().address, 1_000_000n)
  app = await testApp(env())
})

afterAll(async () => {
  await facilitator.stop(true)
  await app.stop()
  await node.stop()
})

const changed = [
  ['has changed', { BASE_WALLET: anotherWallet }],
  ['and its token have changed', { BASE_WALLET: anotherWallet, BASE_USDC: anotherToken }],
  ['is gone', { BASE_WALLET: '', POLYGON_WALLET: anotherWallet }],
] as const

/** The configuration of the same service, started again with other settings. */
function configOf(over: Record<string, string>): Config {
  return readConfig(testEnv(app.database.url, env(over)))
}

/** The answer to a proof by the same service, started again with other settings. */
async function afterRestart(over: Record<string, string>, proof: string) {
  const config = configOf(over)
  const restarted = await startApp(config, createLog(config.logLevel))
  const response = await fetch(`${restarted.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'payment-signature': proof },
    body: JSON.stringify(order),
  })
  const answer = { status: response.status, text: await response.text() }
  await restarted.drain()
  return answer
}

const pay = (proof: string) => app.keyless('POST', path, order, { 'payment-signature': proof })

/** A payment that was sent to be settled, and mined after the process that sent it was gone. */
async function minedSince(usdcBase?: bigint): Promise<string> {
  const { json } = await app.keyless('POST', path, order)
  const { payment, proof } = await signedOrder(payer(), json)
  expect((await pay(proof)).status).toBe(202)
  const permitted = permittedBy(payer(), payment)
  await node.transferWithAuthorization({ ...permitted, ...(usdcBase && { usdcBase }) })
  return proof
}

/** Looks up what is open, as a sweep does a minute after it was claimed. */
async function reconciled(over: Record<string, string>): Promise<void> {
  await app.database
    .sql`update x402_payments set created_at = created_at - interval '1 hour' where state = 'pending'`
  await (await paywallOf(app.database, env(over))).reconcile()
}

async function claims(): Promise<{ open: number; settled: number }> {
  const rows = await app.database.sql`select state from x402_payments`
  const settled = rows.filter(({ state }) => state === 'settled').length
  return { open: rows.length - settled, settled }
}

describe.each(changed)('a signed payment to a wallet that %s since', (_, over) => {
  test('buys, once it is mined', async () => {
    const proof = await minedSince()
    expect((await afterRestart(over, proof)).status).toBe(200)
  })

  test('is found to be settled without its buyer, and buys when the buyer comes back', async () => {
    const proof = await minedSince()
    const before = await claims()
    await reconciled(over)
    expect(await claims()).toEqual({ open: before.open - 1, settled: before.settled + 1 })
    expect((await afterRestart(over, proof)).status).toBe(200)
  })

  test('is given up when it paid too little', async () => {
    await minedSince(9_999n)
    const before = await claims()
    await reconciled(over)
    expect(await claims()).toEqual({ open: before.open - 1, settled: before.settled })
  })

  test('is answered as before when it has bought', async () => {
    const proof = await minedSince()
    const first = await pay(proof)
    expect(first.status).toBe(200)
    expect(await afterRestart(over, proof)).toEqual({ status: 200, text: first.text })
  })
})

test('a transfer that has bought is answered as before when the wallet it was made to is gone', async () => {
  const from = payer().address
  const txHash = await node.transfer({ from, to: testWallet, usdcBase: 10_000n })
  const subject = { resource: `https://pay.test${path}` }
  const message = payerStatement({ subject, chain: 'base', txHash })
  const signature = await privateKeyToAccount(payer().privateKey).signMessage({ message })
  const proof = JSON.stringify({ txHash, signature, payer: from })
  const first = await pay(proof)
  expect(first.status).toBe(200)
  const gone = { BASE_WALLET: '', POLYGON_WALLET: anotherWallet }
  expect(await afterRestart(gone, proof)).toEqual({ status: 200, text: first.text })
})
