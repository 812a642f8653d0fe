import { expect, test } from 'bun:test'
import { Connection } from '@solana/web3.js'
import { createdInvoice } from '../support/app.ts'
import { quittance } from '../support/cli.ts'
import { transferUsdc } from '../support/solana-transfer.ts'
import { useWorld } from '../support/world.ts'

/** An invoice was paid while no watcher ran. */

const world = useWorld({
  chains: ['solana'],
  funded: [1],
  env: ({ solana }) => ({ ROLE: 'http', SOLANA_WALLET: solana.wallet(2).publicKey.toBase58() }),
})
const { app, solana: node, env } = world

test('a range of slots settles what was paid in it; reading it again finds nothing new', async () => {
  const invoice = await createdInvoice(app, { amount: 3, chain: 'solana' })
  const connection = new Connection(node.url, 'finalized')
  const from = await connection.getSlot()
  await transferUsdc(new Connection(node.url, 'confirmed'), node.wallet(1), {
    mint: node.mint,
    to: node.wallet(2).publicKey.toBase58(),
    usdcBase: 3_000_000n,
    memo: invoice.paymentDetails.reference,
  })
  node.advance(10)
  const to = await connection.getSlot()
  const words = ['backfill', 'solana', '--from', `${from}`, '--to', `${to}`, '--json']
  const first = await quittance(env, ...words)
  expect([first.code, first.stderr]).toEqual([0, ''])
  expect(first.json).toMatchObject({ isComplete: true, transfersFound: 1, invoicesChanged: 1 })
  const { json: now } = await app.send('GET', `/v1/invoices/${invoice.id}`)
  expect(now.data.status).toBe('SETTLED')
  expect((await quittance(env, ...words)).json).toMatchObject({
    isComplete: true,
    transfersFound: 0,
    invoicesChanged: 0,
  })
})
