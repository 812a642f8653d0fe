import { describe, expect, test } from 'bun:test'
import { testWallet } from '../../support/app.ts'
import { useFacilitator } from '../../support/facilitator.ts'
import { paywallOf } from '../../support/paywall.ts'
import { order, path, publicUrl, transferPayload, useSeller } from '../../support/x402-seller.ts'

/** Payments made before the operator changed or removed the receiving wallet. */

const anotherWallet = `0x${'77'.repeat(20)}`
const anotherToken = `0x${'66'.repeat(20)}`

const facilitator = useFacilitator()
const settings = { ROLE: 'http', PUBLIC_URL: publicUrl, X402_FACILITATOR_URL: facilitator.url }
const seller = useSeller(facilitator.url, { env: settings })
const { app, node, relay, signed, bring, pay, startHere } = seller

const changed = [
  ['has changed', { BASE_WALLET: anotherWallet }],
  ['and its token have changed', { BASE_WALLET: anotherWallet, BASE_USDC: anotherToken }],
  ['is gone', { BASE_WALLET: '', POLYGON_WALLET: anotherWallet }],
] as const

/** The answer to a payment by the same service, started again with other settings. */
async function afterRestart(over: Record<string, string>, payment: object) {
  const restarted = await startHere(over)
  const response = await fetch(`${restarted.url}${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'payment-signature': JSON.stringify(payment),
    },
    body: JSON.stringify(order),
  })
  const answer = { status: response.status, text: await response.text() }
  await restarted.drain()
  return answer
}

/** A payment that was sent to be settled, and mined after the process that sent it was gone. */
async function minedSince(usdcBase?: bigint): Promise<object> {
  const { payment, status } = await signed()
  expect(await status()).toBe(202)
  await bring(payment, usdcBase === undefined ? {} : { usdcBase })
  return payment
}

/** Looks up what is open, as a sweep does a minute after it was claimed. */
async function reconciled(over: Record<string, string>): Promise<void> {
  await app.database
    .sql`update x402_payments set created_at = created_at - interval '1 hour' where state = 'pending'`
  const env = { ...settings, BASE_RPC_URL: relay.url, ...over }
  await (await paywallOf(app.database, env)).reconcile()
}

async function claims(): Promise<{ open: number; settled: number }> {
  const rows = await app.database.sql`select state from x402_payments`
  const settled = rows.filter(({ state }) => state === 'settled').length
  return { open: rows.length - settled, settled }
}

describe.each(changed)('a signed payment to a wallet that %s since', (_, over) => {
  test('buys, once it is mined', async () => {
    const payment = await minedSince()
    expect((await afterRestart(over, payment)).status).toBe(200)
  })

  test('is found to be settled without its buyer, and buys when the buyer comes back', async () => {
    const payment = await minedSince()
    const before = await claims()
    await reconciled(over)
    expect(await claims()).toEqual({ open: before.open - 1, settled: before.settled + 1 })
    expect((await afterRestart(over, payment)).status).toBe(200)
  })

  test('is given up when it paid too little', async () => {
    await minedSince(9_999n)
    const before = await claims()
    await reconciled(over)
    expect(await claims()).toEqual({ open: before.open - 1, settled: before.settled })
  })

  test('is answered as before when it has bought', async () => {
    const payment = await minedSince()
    const first = await pay(payment)
    expect(first.status).toBe(200)
    expect(await afterRestart(over, payment)).toEqual({ status: 200, text: first.text })
  })
})

test('a transfer that has bought is answered as before when the wallet it was made to is gone', async () => {
  const payer = node.wallet(1)
  const made = { from: payer.address, to: testWallet, usdcBase: 10_000n }
  const payment = await transferPayload(await node.transfer(made), payer)
  const first = await pay(payment)
  expect(first.status).toBe(200)
  const gone = { BASE_WALLET: '', POLYGON_WALLET: anotherWallet }
  expect(await afterRestart(gone, payment)).toEqual({ status: 200, text: first.text })
})
