import { expect, test } from 'bun:test'
import { Connection } from '@solana/web3.js'
import { quittance } from '../support/cli.ts'
import { transferUsdc } from '../support/solana-transfer.ts'
import { useWorld } from '../support/world.ts'

/** An invoice was paid while no watcher ran. */

const {
  app,
  solana: node,
  env,
} = useWorld({
  chains: ['solana'],
  funded: [1],
  env: ({ solana }) => ({
    ROLE: 'http',
    SOLANA_WALLET: solana.wallet(2).publicKey.toBase58(),
  }),
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
