import { expect, test } from 'bun:test'
import { base58 } from '@scure/base'
import { callTool } from '../../support/mcp.ts'
import { solanaClient } from '../../support/solana-payer.ts'
import { useWorld } from '../../support/world.ts'

const wanted = { issuer: 'Agent A', recipient: 'Agent B', amount: 12.5 }

const { app, solana: node } = useWorld({
  chains: ['solana'],
  funded: [0, 1],
  env: ({ solana }) => ({
    ROLE: 'http',
    SOLANA_WALLET: solana.wallet(1).publicKey.toBase58(),
    FACILITATOR_SVM_PRIVATE_KEY: base58.encode(solana.wallet(2).secretKey),
  }),
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
