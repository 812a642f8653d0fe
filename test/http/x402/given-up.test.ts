import { afterAll, beforeAll, expect, test } from 'bun:test'
import { toHex } from 'viem'
import { startLostFacilitator } from '../../support/lost-facilitator.ts'
import { perCall } from '../../support/rpc-faults.ts'
import type { Fault } from '../../support/rpc-relay.ts'
import { permittedBy, signedOrder } from '../../support/x402-buyer.ts'
import { type Seller, startSeller } from '../../support/x402-seller.ts'

/**
 * When a payment with an unknown outcome is given up: after its end by the chain's clock, as told
 * by the same node that finds no payment.
 */

const path = '/api/x402/invoice'
const order = { amount: 2.5 }

let seller: Seller

const facilitator = startLostFacilitator()

beforeAll(async () => {
  seller = await startSeller(facilitator.url.href)
})

afterAll(async () => {
  await facilitator.stop(true)
  await seller.stop()
})

/** A payment whose settlement was requested and never answered. */
async function pending() {
  const { json } = await seller.app.keyless('POST', path, order)
  const { payment, proof } = await signedOrder(seller.payer, json)
  const pay = async () => {
    const answer = await seller.app.keyless('POST', path, order, { 'payment-signature': proof })
    return answer.status
  }
  expect(await pay()).toBe(202)
  const settle = () => seller.node.transferWithAuthorization(permittedBy(seller.payer, payment))
  return { pay, settle }
}

/** Moves the end of every pending payment into the past by our clock. */
async function timeIsOver(): Promise<void> {
  await seller.app.database.sql`
    update x402_payments set valid_before = now() - interval '5 minutes' where state = 'pending'`
}

/** A node that is an hour behind: it knows of no recent payment. */
const anHourBehind: Fault = perCall(async (call, ask) => {
  const answer = await ask(call)
  if (call.method === 'eth_call') return { ...answer, result: `0x${'0'.repeat(64)}` }
  if (call.method !== 'eth_getBlockByNumber') return answer
  const block = answer.result as { timestamp: string }
  return { ...answer, result: { ...block, timestamp: toHex(Number(block.timestamp) - 3_600) } }
})

test('a pending payment is not given up by a node that has not reached its end', async () => {
  const { pay, settle } = await pending()
  await settle()
  await timeIsOver()
  seller.relay.misbehave(anHourBehind)
  expect(await pay()).toBe(202)
  seller.relay.behave()
  expect(await pay()).toBe(200)
})

test('one that never came is given up once the chain is past its end', async () => {
  const { pay } = await pending()
  expect(await pay()).toBe(202)
  await timeIsOver()
  await seller.node.mine(1)
  expect(await pay()).toBe(402)
})
