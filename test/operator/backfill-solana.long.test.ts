import { afterAll, beforeAll, expect, test } from 'bun:test'
import { Connection } from '@solana/web3.js'
import { type TestApp, testApp, testEnv } from '../support/app.ts'
import { quittance } from '../support/cli.ts'
import { type SolanaNode, startSolanaNode } from '../support/solana-node.ts'
import { transferUsdc } from '../support/solana-transfer.ts'

/** An invoice was paid while no watcher ran. */

let node: SolanaNode
let app: TestApp
let env: Record<string, string>

beforeAll(async () => {
  node = startSolanaNode()
  const wallet = { SOLANA_WALLET: node.wallet(2).publicKey.toBase58() }
  app = await testApp({ ROLE: 'http', ...wallet })
  env = testEnv(app.database.url, { SOLANA_RPC_URL: node.url, ...wallet })
  node.mintTo(node.wallet(1).publicKey, 1_000_000_000n)
})
afterAll(async () => {
  await app.stop()
  await node.stop()
})

test('settles what was paid in a range of slots; once more finds nothing new', async () => {
  const { json } = await app.send('POST', '/v1/invoices', {
    amount: 3,
    currency: 'USDC',
    chain: 'solana',
    customerName: 'Ada Example',
    customerEmail: 'ada@example.com',
  })
  const connection = new Connection(node.url, 'finalized')
  const from = await connection.getSlot()
  await transferUsdc(new Connection(node.url, 'confirmed'), node.wallet(1), {
    mint: node.mint,
    to: node.wallet(2).publicKey.toBase58(),
    usdcBase: 3_000_000n,
    memo: json.data.paymentDetails.reference,
  })
  node.advance(10)
  const to = await connection.getSlot()
  const words = ['backfill', 'solana', '--from', `${from}`, '--to', `${to}`, '--json']
  const first = await quittance(env, ...words)
  expect([first.code, first.stderr]).toEqual([0, ''])
  expect(first.json).toMatchObject({ isComplete: true, transfersFound: 1, invoicesChanged: 1 })
  const { json: now } = await app.send('GET', `/v1/invoices/${json.data.id}`)
  expect(now.data.status).toBe('SETTLED')
  expect((await quittance(env, ...words)).json).toMatchObject({
    isComplete: true,
    transfersFound: 0,
    invoicesChanged: 0,
  })
})
