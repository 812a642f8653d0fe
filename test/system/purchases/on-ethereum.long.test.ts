import { expect, test } from 'bun:test'
import { registry } from '../../../src/domain/registry.ts'
import { purchasesIn } from '../../support/bought.ts'
import { useWorld } from '../../support/world.ts'
import { permittedBy, signedPayment } from '../../support/x402-buyer.ts'
import { requiring, through, useServer } from '../../support/x402-proxy.ts'

const { node, app } = useWorld({
  chains: ['ethereum'],
  funded: [1],
  env: { ETHEREUM_POLL_MS: '50', ETHEREUM_CONFIRMATIONS: '2' },
})
const { becomes, invoice } = purchasesIn(app)
const option = {
  scheme: 'exact',
  network: 'eip155:1',
  asset: registry.ethereum.usdcAddress,
  amount: '10000',
  payTo: `0x${'5e'.repeat(20)}`,
  maxTimeoutSeconds: 60,
  extra: registry.ethereum.usdcDomain,
}
const resource = { url: 'https://example.com', description: 'a report', mimeType: 'text/plain' }

const { url } = useServer(async ({ headers }) => {
  const header = headers.get('payment-signature')
  if (header === null) {
    const required = requiring([option], { resource })
    return new Response('{}', { status: 402, headers: { 'payment-required': required } })
  }
  const permitted = permittedBy(node.wallet(1), JSON.parse(atob(header)))
  const transaction = await node.transferWithAuthorization(permitted)
  const said = { success: true, transaction, network: option.network }
  return new Response('the report', { headers: { 'payment-response': btoa(JSON.stringify(said)) } })
})

test('what is bought on Ethereum is settled there, with its receipt', async () => {
  const path = through(url.href)
  const { headers } = await signedPayment(node.wallet(1), await app.send('GET', path))
  const bought = await app.send('GET', path, undefined, headers)
  expect([bought.status, bought.text]).toEqual([200, 'the report'])
  const id = bought.headers.get('x-invoice-id')
  await node.mine(2)
  await becomes(id, 'settled')
  const { chain, from, confirmations } = (await invoice(id)).paymentDetails
  expect([chain, from.toLowerCase()]).toEqual(['ethereum', node.wallet(1).address.toLowerCase()])
  expect(confirmations).toBeGreaterThanOrEqual(2)
  expect((await invoice(id)).receiptId).toStartWith('drs_')
})
