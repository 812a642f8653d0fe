import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import type { Hex } from 'viem'
import { type AskNode, errorOf, perCall } from '../../support/rpc-faults.ts'
import type { RpcAnswer, RpcCall } from '../../support/rpc-relay.ts'
import { permittedBy, signedOrder } from '../../support/x402-buyer.ts'
import { type Seller, startSeller } from '../../support/x402-seller.ts'

/** Payments that this service sent and that came to nothing, as far as it can see: what was sent is public, and anybody's copy is as good. */

const path = '/api/x402/invoice'
const order = { amount: 2.5 }

let seller: Seller

beforeAll(async () => {
  seller = await startSeller()
})

afterEach(() => seller.relay.behave())

afterAll(async () => {
  await seller.stop()
})

/** A payment that the official client signed; each call of `pay` brings the same, and `bring` is what somebody else does who has read it. */
async function signed() {
  const { json } = await seller.app.keyless('POST', path, order)
  const { payment, proof } = await signedOrder(seller.payer, json)
  return {
    async pay() {
      const { status } = await seller.app.keyless('POST', path, order, {
        'payment-signature': proof,
      })
      return status
    },
    bring: () => seller.node.transferWithAuthorization(permittedBy(seller.payer, payment)),
  }
}

/** What is sent meets with this; from then on the node that is asked what the chain holds has not got past the blocks before. */
async function onSending(
  answer: (call: RpcCall, ask: AskNode) => Promise<RpcAnswer>,
): Promise<void> {
  const before = await seller.node.rpc<Hex>('eth_blockNumber')
  let isSent = false
  seller.relay.misbehave(
    perCall((call, ask) => {
      if (call.method === 'eth_sendRawTransaction') {
        isSent = true
        return answer(call, ask)
      }
      const isBehind = isSent && call.method === 'eth_call'
      return ask(isBehind ? { ...call, params: [call.params[0], before] } : call)
    }),
  )
}

test('one that failed as another copy was faster is not asked for again by a node that has seen neither', async () => {
  const { pay, bring } = await signed()
  await onSending(async (call, ask) => {
    await bring()
    return ask(call)
  })
  expect(await pay()).toBe(202)
  expect(await pay()).toBe(202)
  seller.relay.behave()
  expect(await pay()).toBe(200)
})

test('nor is one that a node took while another called its price too low', async () => {
  const { pay } = await signed()
  await onSending(async (call, ask) => {
    await ask(call)
    return errorOf(call.id, -32000, 'replacement transaction underpriced')
  })
  expect(await pay()).toBe(202)
  seller.relay.behave()
  expect(await pay()).toBe(200)
})

test('one that no node took, as others with the same key were faster, is settled when it comes again', async () => {
  const { pay } = await signed()
  await onSending(async ({ id }) => {
    const from = seller.node.wallet(8).address
    await seller.node.send({ from, to: from, data: '0x' })
    return errorOf(id, -32000, 'Pending transaction with same nonce already exists')
  })
  expect(await pay()).toBe(202)
  seller.relay.behave()
  expect(await Promise.all([pay(), pay()])).toContain(200)
  expect(await pay()).toBe(200)
})
