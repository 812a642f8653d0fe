import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createKeyPairSignerFromBytes } from '@solana/kit'
import { x402HTTPClient } from '@x402/core/client'
import { x402Facilitator } from '@x402/core/facilitator'
import {
  decodePaymentSignatureHeader,
  encodePaymentRequiredHeader,
  encodePaymentResponseHeader,
} from '@x402/core/http'
import type { PaymentRequirements } from '@x402/core/types'
import { toFacilitatorSvmSigner } from '@x402/svm'
import { ExactSvmScheme } from '@x402/svm/exact/facilitator'
import { solanaClient } from '../../support/solana-payer.ts'
import { eventually } from '../../support/wait.ts'
import { useWorld } from '../../support/world.ts'

const { solana: node, app } = useWorld({ chains: ['solana'], funded: [0, 1] })
let upstream: ReturnType<typeof Bun.serve>

const network = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'

beforeAll(async () => {
  upstream = await startUpstream()
  await app.send('PUT', '/api/budget/agent-7', { limit: 100 })
})

afterAll(() => upstream.stop(true))

/**
 * A server of a paid resource that settles with the official packages: 0.01 USDC, payable to wallet
 * 1.
 */
async function startUpstream() {
  const signer = toFacilitatorSvmSigner(
    await createKeyPairSignerFromBytes(node.wallet(2).secretKey),
    { defaultRpcUrl: node.url },
  )
  const facilitator = new x402Facilitator().register(network, new ExactSvmScheme(signer))
  const accepted: PaymentRequirements = {
    scheme: 'exact',
    network,
    amount: '10000',
    asset: node.mint.toBase58(),
    payTo: node.wallet(1).publicKey.toBase58(),
    maxTimeoutSeconds: 60,
    extra: { feePayer: node.wallet(2).publicKey.toBase58() },
  }
  return Bun.serve({
    port: 0,
    async fetch(request) {
      const paid = request.headers.get('payment-signature')
      if (paid === null) {
        const resource = { url: request.url, description: 'A report', mimeType: 'text/plain' }
        const required = encodePaymentRequiredHeader({
          x402Version: 2,
          resource,
          accepts: [accepted],
        })
        return new Response('{}', { status: 402, headers: { 'payment-required': required } })
      }
      const settled = await facilitator.settle(decodePaymentSignatureHeader(paid), accepted)
      const headers = { 'payment-response': encodePaymentResponseHeader(settled) }
      return new Response('the report', { status: settled.success ? 200 : 402, headers })
    },
  })
}

test('what is bought on Solana by the official client is paid, confirmed on chain, and counted once', async () => {
  const agent = { 'x-agent-id': 'agent-7' }
  const path = `/api/x402/proxy?url=${encodeURIComponent(`${upstream.url}report`)}`
  const unpaid = await app.send('GET', path, undefined, agent)
  expect(unpaid.status).toBe(402)
  const id = unpaid.headers.get('x-invoice-id') ?? ''
  const client = new x402HTTPClient(await solanaClient(node.url, node.wallet(0)))
  const required = client.getPaymentRequiredResponse((name) => unpaid.headers.get(name), undefined)
  const payment = client.encodePaymentSignatureHeader(await client.createPaymentPayload(required))
  const paid = await app.send('GET', path, undefined, { ...agent, ...payment })
  expect([paid.status, paid.text]).toEqual([200, 'the report'])
  const invoice = async () => (await app.send('GET', `/api/invoices/${id}`)).json
  expect((await invoice()).status).toBe('paid')
  await eventually(async () => {
    node.advance(1)
    await Bun.sleep(50)
    return (await invoice()).status === 'settled'
  })
  const { transaction } = JSON.parse(
    Buffer.from(paid.headers.get('payment-response') ?? '', 'base64').toString(),
  )
  expect((await invoice()).paymentDetails).toMatchObject({
    txHash: transaction,
    amountReceived: '0.01',
    from: node.wallet(0).publicKey.toBase58(),
  })
  const { spent, reserved } = (await app.send('GET', '/api/budget/agent-7')).json.data
  expect({ spent, reserved }).toEqual({ spent: 1, reserved: 0 })
})
