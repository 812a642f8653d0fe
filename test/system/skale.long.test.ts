import { expect, test } from 'bun:test'
import { x402Client } from '@x402/core/client'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { privateKeyToAccount } from 'viem/accounts'
import { registry } from '../../src/domain/registry.ts'
import { verifyReceipt } from '../../src/verify/verify-receipt.ts'
import { createdInvoice } from '../support/app.ts'
import { eventually } from '../support/wait.ts'
import { useWorld } from '../support/world.ts'
import { demandIn } from '../support/x402-seller.ts'

const wallet = '0x00000000000000000000000000000000000000aa'
/** Keys of accounts that never had any coin. */
const [anchorKey, facilitatorKey] = [`0x${'5a'.repeat(32)}`, `0x${'5b'.repeat(32)}`] as const

const { node, app } = useWorld({
  chains: ['skale'],
  funded: [1],
  anchored: { privateKey: anchorKey },
  env: { SKALE_WALLET: wallet, FACILITATOR_EVM_PRIVATE_KEY: facilitatorKey },
})

async function priceOf(txHash: string) {
  const transaction = await node.rpc<Record<string, string>>('eth_getTransactionByHash', [txHash])
  const { gasPrice, from } = transaction
  return { gasPrice, coins: await node.rpc('eth_getBalance', [from, 'latest']) }
}

const free = { gasPrice: '0x0', coins: '0x0' }

test('an invoice is settled one block deep, and its receipt anchored by a sender without any coin', async () => {
  const { id, paymentDetails } = await createdInvoice(app, { chain: 'skale' })
  const { reference, paymentAddress: to } = paymentDetails
  const from = node.wallet(1).address
  await node.transfer({ from, to, usdcBase: 12_500_000n, reference })
  const read = async () => (await app.send('GET', `/api/invoices/${id}`)).json
  await eventually(async () => JSON.stringify(await read()).includes('"completed"'))
  const invoice = (await app.send('GET', `/v1/invoices/${id}`)).json.data
  expect(invoice.paymentDetails).toMatchObject({ confirmations: 1, matchedBy: 'reference' })
  const bundle = (await app.keyless('GET', `/v1/public/receipts/${invoice.receiptId}/bundle`)).json
  const { anchor } = (await app.keyless('GET', '/.well-known/quittance')).json
  expect(await verifyReceipt(bundle, node.url, anchor)).toMatchObject({ ok: true })
  expect(await priceOf(bundle.anchor.txHash)).toEqual(free)
})

test('an x402 payment is brought on chain by a facilitator without any coin', async () => {
  const path = '/api/x402/invoice'
  const order = { recipient: 'Ada Example', email: 'ada@example.com', amount: 2.5 }
  const demand = demandIn(await app.keyless('POST', path, order))
  const accepted = demand.accepts.find(
    ({ network }: { network: string }) => network === `eip155:${registry.skale.chainId}`,
  )
  // The client's spend controls only know the tokens it ships with.
  const client = x402Client.fromConfig({ schemes: [], spendControls: false })
  const payer = privateKeyToAccount(node.wallet(1).privateKey)
  client.register('eip155:*', new ExactEvmScheme(payer))
  const payload = await client.createPaymentPayload({ ...demand, accepts: [accepted] })
  const proof = Buffer.from(JSON.stringify({ ...payload, accepted })).toString('base64')
  const paid = await app.keyless('POST', path, order, { 'payment-signature': proof })
  expect([paid.status, paid.text]).toEqual([200, expect.stringContaining('"success":true')])
  const response = JSON.parse(
    Buffer.from(paid.headers.get('payment-response') ?? '', 'base64').toString(),
  )
  expect(await priceOf(response.transaction)).toEqual(free)
})
