import { afterAll, beforeAll, expect, test } from 'bun:test'
import { base58 } from '@scure/base'
import { solanaRpc } from '../../src/chain/solana.ts'
import { solanaFacilitator } from '../../src/chain/solana-facilitator.ts'
import { solanaAuthorization } from '../../src/chain/solana-message.ts'
import type { Requirement } from '../../src/domain/x402.ts'
import { type RpcRelay, startRpcRelay } from '../support/rpc-relay.ts'
import { type SolanaNode, startSolanaNode } from '../support/solana-node.ts'
import { solanaClient } from '../support/solana-payer.ts'

let node: SolanaNode
let relay: RpcRelay

beforeAll(() => {
  node = startSolanaNode()
  relay = startRpcRelay(node.url)
  for (const index of [0, 1]) node.mintTo(node.wallet(index).publicKey, 1_000_000n)
})

afterAll(async () => {
  await relay.stop()
  await node.stop()
})

test('a payment that others see to by the time its signature is noted is not sent', async () => {
  const rpc = solanaRpc({ rpcUrls: [relay.url] })
  const privateKey = base58.encode(node.wallet(2).secretKey)
  const { feePayer, settle } = solanaFacilitator(rpc, { privateKey, settleWithinMs: 5_000 })
  const requirement: Requirement = {
    scheme: 'exact',
    network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
    amount: '10000',
    asset: node.mint.toBase58(),
    payTo: node.wallet(1).publicKey.toBase58(),
    maxTimeoutSeconds: 60,
    extra: { feePayer },
  }
  const client = await solanaClient(node.url, node.wallet(0))
  const { payload } = await client.createPaymentPayload({
    x402Version: 2,
    resource: { url: 'https://pay.example/thing', description: 'A thing', mimeType: '' },
    accepts: [requirement],
  })
  const authorization = solanaAuthorization(payload, new Date())!
  expect(await settle(authorization, requirement, async () => false)).toEqual({ kind: 'unknown' })
  expect(relay.requests.flat()).toEqual([])
  expect(await settle(authorization, requirement, async () => true)).toMatchObject({
    kind: 'settled',
  })
  expect(relay.requests.flat()).toContain('sendTransaction')
})
