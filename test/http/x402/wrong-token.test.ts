import { afterAll, beforeAll, expect, test } from 'bun:test'
import { privateKeyToAccount } from 'viem/accounts'
import { payerStatement } from '../../../src/domain/settlement/payer-statement.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { type EvmNode, startEvmNode } from '../../support/evm-node.ts'
import { eventually } from '../../support/wait.ts'

/** A service configured with a token other than USDC, which has 18 decimals like most tokens. */

let node: EvmNode
let app: TestApp

beforeAll(async () => {
  node = await startEvmNode({ chainId: 8453 })
  const other = `0x${'22'.repeat(20)}`
  await node.rpc('anvil_setCode', [other, '0x601260005260206000f3'])
  app = await testApp({ BASE_RPC_URL: node.url, BASE_USDC: other, BASE_POLL_MS: '100' })
})
afterAll(async () => {
  await app.stop()
  await node.stop()
})

test('serves, says which chain is not watched and why, and sells nothing for that token', async () => {
  const readiness = async () => (await app.keyless('GET', '/readyz')).json
  const note = 'base is out of reach: wrong_token'
  await eventually(async () => (await readiness()).notes.includes(note), 20_000)
  expect((await readiness()).status).toBe('ready')

  const path = '/api/x402/invoice'
  const order = { recipient: 'Ada Example', email: 'ada@example.com', amount: 2.5 }
  const payer = privateKeyToAccount(node.wallet(1).privateKey)
  const txHash = `0x${'33'.repeat(32)}`
  const subject = { resource: `${app.url}${path}` }
  const message = payerStatement({ subject, chain: 'base', txHash })
  const signature = await payer.signMessage({ message })
  const proof = JSON.stringify({ txHash, signature, payer: payer.address })
  const { status } = await app.keyless('POST', path, order, { 'payment-signature': proof })
  expect(status).toBe(503)
})
