import { afterAll, beforeAll, expect, test } from 'bun:test'
import { base58 } from '@scure/base'
import { type TestApp, testApp } from '../../support/app.ts'
import { callTool } from '../../support/mcp.ts'
import { type SolanaNode, startSolanaNode } from '../../support/solana-node.ts'
import { solanaClient } from '../../support/solana-payer.ts'

let node: SolanaNode
let app: TestApp
const wanted = { issuer: 'Agent A', recipient: 'Agent B', amount: 12.5 }

beforeAll(async () => {
  node = startSolanaNode()
  const [payer, merchant, feePayer] = [0, 1, 2].map(node.wallet)
  for (const wallet of [payer, merchant]) if (wallet) node.mintTo(wallet.publicKey, 1_000_000n)
  app = await testApp({
    ROLE: 'http',
    SOLANA_RPC_URL: node.url,
    SOLANA_WALLET: `${merchant?.publicKey}`,
    FACILITATOR_SVM_PRIVATE_KEY: base58.encode(feePayer?.secretKey ?? new Uint8Array()),
  })
})
afterAll(async () => {
  await app.stop()
  await node.stop()
})

test('a paid tool on Solana delivers once for the proof of the official client', async () => {
  const unpaid = await callTool(app, 'service_create_invoice', wanted)
  expect(unpaid).toMatchObject({ isError: true, structuredContent: { price: '0.01' } })
  const client = await solanaClient(node.url, node.wallet(0))
  const proof = await client.createPaymentPayload(unpaid.structuredContent as never)
  const x_payment = Buffer.from(JSON.stringify(proof)).toString('base64')
  const paid = await callTool(app, 'service_create_invoice', { ...wanted, x_payment })
  expect(paid.structuredContent).toMatchObject({
    success: true,
    capability: 'invoice',
    result: { amount: 12.5 },
  })
  expect(paid._meta['x402/payment-response']).toMatchObject({
    success: true,
    network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
    payer: node.wallet(0).publicKey.toBase58(),
  })
  expect(await callTool(app, 'service_create_invoice', { ...wanted, x_payment })).toEqual(paid)
  const other = await callTool(app, 'service_create_invoice', { x_payment })
  expect(other.isError).toBe(true)
})
