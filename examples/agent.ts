/**
 * An example agent: it reads the prices, pays for an invoice with USDC on Base, opens and signs a
 * mandate, and disputes it. `QUITTANCE_URL` is the service; `QUITTANCE_KEY` and `SIGNING_SECRET`
 * come from `quittance account create`, `PAYER_PRIVATE_KEY` from a wallet with some USDC.
 */
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { createClient } from '@quittance/client'
import { signMandate } from '@quittance/client/mandates'
import { x402Client } from '@x402/core/client'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { privateKeyToAccount } from 'viem/accounts'

type PaymentRequired = Parameters<x402Client['createPaymentPayload']>[0]

const { QUITTANCE_URL = 'http://localhost:3000', QUITTANCE_KEY = '' } = process.env
const { SIGNING_SECRET = '', PAYER_PRIVATE_KEY = '' } = process.env

const quittance = createClient({ url: QUITTANCE_URL, key: QUITTANCE_KEY })

const tools = new Client({ name: 'example-agent', version: '1.0.0' })
const transport = new StreamableHTTPClientTransport(new URL('/agent-tools/mcp', QUITTANCE_URL))
// The SDK's own types disagree about an optional session id.
await tools.connect(transport as Parameters<typeof tools.connect>[0])

const pricing = await call('service_get_pricing')
console.log('prices', JSON.stringify(pricing.tools))

const wanted = { recipient: 'Agent B', amount: 12.5 }
const x_payment = await payFor(await priceOf('service_create_invoice', wanted))
const { result: invoice } = await call('service_create_invoice', { ...wanted, x_payment })
console.log('invoice', invoice.id, invoice.total, invoice.currency)

const mandateId = await openMandate()
const { state } = await call('service_query_mandate', { mandate_id: mandateId })
console.log('mandate', mandateId, state)

const reason = 'The summary is missing half of the documents'
const dispute = { mandate_id: mandateId, reason, api_key: QUITTANCE_KEY }
console.log('dispute', (await call('service_dispute_open', dispute)).status)
await tools.close()

// biome-ignore lint/suspicious/noExplicitAny: what a tool answers is said by its output schema
async function call(name: string, args: Record<string, unknown> = {}): Promise<any> {
  const { isError, structuredContent } = await tools.callTool({ name, arguments: args })
  if (isError) throw new Error(`${name} refused: ${JSON.stringify(structuredContent)}`)
  return structuredContent
}

/** The payment requirement that a paid tool answers when called without payment. */
async function priceOf(name: string, args: Record<string, unknown>) {
  const { structuredContent } = await tools.callTool({ name, arguments: args })
  const required = structuredContent as PaymentRequired | undefined
  if (!required?.accepts) throw new Error(`${name} refused: ${JSON.stringify(structuredContent)}`)
  return required
}

/** Signs the payment that is asked for. Nothing is on chain before the service settles it. */
async function payFor(requirement: PaymentRequired) {
  const signer = privateKeyToAccount(PAYER_PRIVATE_KEY as `0x${string}`)
  const payer = new x402Client().register('eip155:*', new ExactEvmScheme(signer))
  const payment = await payer.createPaymentPayload(requirement)
  return Buffer.from(JSON.stringify(payment)).toString('base64')
}

/** Proposes a mandate and signs it for both parties, like an integrator that represents both. */
async function openMandate(): Promise<string> {
  const proposed = await quittance.POST('/v1/mandates', {
    body: {
      proposer: 'agent_a',
      counterparty: 'agent_b',
      scope: 'Summarise 100 documents',
      terms: { amount: 50, currency: 'USDC' },
      expiry: new Date(Date.now() + 86_400_000).toISOString(),
    },
  })
  const params = { path: { id: proposed.data.data.mandate_id } }
  const { data } = await quittance.GET('/v1/mandates/{id}', { params })
  const signature = await signMandate(data.data, SIGNING_SECRET)
  for (const signer of ['proposer', 'counterparty'] as const)
    await quittance.POST('/v1/mandates/{id}/sign', { params, body: { signer, signature } })
  return params.path.id
}
