import { expect, test } from 'bun:test'
import type { Hex } from 'viem'
import { newEvmWallet } from '../../../src/chain/wallets.ts'
import { registry } from '../../../src/domain/registry.ts'
import { testApp, testWallet } from '../../support/app.ts'
import { startEvmNode } from '../../support/evm-node.ts'
import { startSolanaNode } from '../../support/solana-node.ts'
import { eventually } from '../../support/wait.ts'
import { signedOrder } from '../../support/x402-buyer.ts'
import { demandIn } from '../../support/x402-seller.ts'

/** Which networks a service offers for payment, and on which it sells invoices. */

const away = 'http://127.0.0.1:1'

async function demandOf(env: Record<string, string>) {
  const app = await testApp({ ROLE: 'http', ...env })
  const answer = await app.keyless('POST', '/api/x402/invoice', {})
  await app.stop()
  return { ...answer, demand: answer.status === 402 ? demandIn(answer) : null }
}

test('those with a node: of a transfer on another chain nobody would ever know', async () => {
  const { status, demand } = await demandOf({
    POLYGON_WALLET: testWallet,
    POLYGON_RPC_URL: away,
    ETHEREUM_WALLET: testWallet,
    ETHEREUM_RPC_URL: away,
  })
  const offered = demand.accepts.map(({ network }: { network: string }) => network)
  expect([status, offered, demand.network]).toEqual([402, ['eip155:137', 'eip155:1'], 'eip155:137'])
})

test('Solana comes first in the header, and last in the body, whose readers take the first entry whatever their key is of; the body leaves out networks that v1 has no name for', async () => {
  const solana = startSolanaNode()
  solana.mintTo(solana.wallet(1).publicKey, 1n)
  const { demand, json } = await demandOf({
    SOLANA_WALLET: solana.wallet(1).publicKey.toBase58(),
    SOLANA_USDC: solana.mint.toBase58(),
    SOLANA_RPC_URL: solana.url,
    BASE_WALLET: testWallet,
    BASE_RPC_URL: away,
    ARBITRUM_WALLET: testWallet,
    ARBITRUM_RPC_URL: away,
    POLYGON_WALLET: testWallet,
    POLYGON_RPC_URL: away,
  })
  await solana.stop()
  const networksIn = ({ accepts }: { accepts: readonly { network: string }[] }) =>
    accepts.map(({ network }) => network.split(':')[0])
  expect(networksIn(demand)).toEqual(['solana', 'eip155', 'eip155', 'eip155'])
  expect(networksIn(json)).toEqual(['base', 'polygon', 'solana'])
})

test('those where a payment can be settled, and /readyz says what the others lack', async () => {
  const { base, polygon } = registry
  const start = ({ chainId, usdcAddress }: typeof base) =>
    startEvmNode({ chainId: chainId ?? 0, usdcAddress: usdcAddress as Hex })
  const [funded, poor] = await Promise.all([start(base), start(polygon)])
  const { address, privateKey } = newEvmWallet()
  await funded.rpc('anvil_setBalance', [address, '0xde0b6b3a7640000'])
  const app = await testApp({
    ROLE: 'http',
    ...{ BASE_WALLET: testWallet, BASE_RPC_URL: funded.url },
    ...{ POLYGON_WALLET: testWallet, POLYGON_RPC_URL: poor.url },
    FACILITATOR_EVM_PRIVATE_KEY: privateKey,
  })
  const notes = async () => (await app.keyless('GET', '/readyz')).json.notes.join()
  await eventually(async () => (await notes()).includes('no x402 payment is settled on polygon'))
  const { accepts } = demandIn(await app.keyless('POST', '/api/x402/invoice', {}))
  await Promise.all([app.stop(), funded.stop(), poor.stop()])
  expect(accepts.map(({ network }: { network: string }) => network)).toEqual(['eip155:8453'])
})

test('without any node the price is told, and that nobody is to pay it', async () => {
  const { status, json, demand } = await demandOf({})
  expect([status, demand.price]).toEqual([402, '0.01'])
  expect(json.error).toContain('do not pay')
})

test('503 SERVICE_UNAVAILABLE where the invoice that is bought could not be paid, or nobody would notice: nobody pays for that', async () => {
  for (const wallet of ['', testWallet]) {
    const ethereum = { ETHEREUM_WALLET: testWallet, ETHEREUM_RPC_URL: away }
    const { status, json } = await demandOf({ BASE_WALLET: wallet, ...ethereum })
    expect([status, json.error.code]).toEqual([503, 'SERVICE_UNAVAILABLE'])
  }
})

test('what is sold is an invoice on a chain that is watched, not on one that has but a wallet', async () => {
  const node = await startEvmNode({
    chainId: 137,
    usdcAddress: registry.polygon.usdcAddress as Hex,
  })
  await node.mint(node.wallet(1).address, 1_000_000n)
  const app = await testApp({
    ROLE: 'http',
    BASE_WALLET: testWallet,
    POLYGON_WALLET: testWallet,
    POLYGON_RPC_URL: node.url,
    FACILITATOR_EVM_PRIVATE_KEY: node.wallet(8).privateKey,
  })
  const path = '/api/x402/invoice'
  const demand = demandIn(await app.keyless('POST', path, {}))
  const { proof } = await signedOrder(node.wallet(1), demand)
  const { status, json } = await app.keyless('POST', path, {}, { 'payment-signature': proof })
  await app.stop()
  await node.stop()
  expect([status, json.result?.paymentDetails.chain]).toEqual([200, 'polygon'])
})

test('nothing that a remote facilitator settles where no node could tell of a lost answer', async () => {
  const facilitator = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () => Response.json({ kinds: [kindOn('eip155:8453'), kindOn('eip155:137')] }),
  })
  const { status, demand } = await demandOf({
    X402_FACILITATOR_URL: facilitator.url.href,
    BASE_WALLET: testWallet,
    POLYGON_WALLET: testWallet,
    POLYGON_RPC_URL: away,
  })
  await facilitator.stop(true)
  const offered = demand.accepts.map(({ network }: { network: string }) => network)
  expect([status, offered]).toEqual([402, ['eip155:137']])
})

function kindOn(network: string) {
  return { x402Version: 2, scheme: 'exact', network }
}
