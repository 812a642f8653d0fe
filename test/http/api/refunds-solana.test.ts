import { expect, test } from 'bun:test'
import { Connection } from '@solana/web3.js'
import { createdInvoice, refused } from '../../support/app.ts'
import { credited } from '../../support/credit-notes.ts'
import { transferUsdc } from '../../support/solana-transfer.ts'
import { eventually } from '../../support/wait.ts'
import { useWorld } from '../../support/world.ts'

const { app, solana } = useWorld({
  chains: ['solana'],
  funded: [1, 2, 5],
  env: ({ solana }) => ({ SOLANA_WALLET: solana.wallet(5).publicKey.toBase58() }),
})

const addressOf = (wallet: number) => solana.wallet(wallet).publicKey.toBase58()

async function pay(from: number, to: string, usdcBase: bigint, memo = 'hello'): Promise<string> {
  const order = { mint: solana.mint, to, usdcBase, memo }
  return transferUsdc(new Connection(solana.url), solana.wallet(from), order)
}

async function aNote(amount: string, usdcBase: bigint) {
  const { id, paymentDetails } = await createdInvoice(app, { amount, chain: 'solana' })
  await pay(1, addressOf(5), usdcBase, paymentDetails.reference)
  await eventually(async () => {
    solana.advance(1)
    return (await app.send('GET', `/v1/invoices/${id}`)).json.data.status === 'SETTLED'
  })
  return (await credited(app, id, { reason: 'Returned' })).json
}

async function read(noteId: string) {
  return (await app.send('GET', `/api/credit-notes/${noteId}`)).json
}

function prove(noteId: string, txHash: string) {
  return app.send('POST', `/api/credit-notes/${noteId}/refund`, { txHash })
}

test('on Solana a refund is found once it is final, from the wallet that was paid alone', async () => {
  const note = await aNote('8.50', 8_500_000n)
  const [{ payer, paymentUri }] = note.refunds
  expect([payer, paymentUri]).toEqual([
    addressOf(1),
    `solana:${addressOf(1)}?amount=8.50&spl-token=${solana.mint.toBase58()}`,
  ])
  const others = await pay(2, addressOf(1), 8_500_000n)
  const less = await pay(5, addressOf(1), 8_499_999n)
  solana.advance(4)
  for (const [txHash, why] of [
    [others, 'It was sent by'],
    [less, 'It sends 8.499999 USDC, not exactly 8.50'],
  ] as const) {
    const answer = await prove(note.id, txHash)
    expect(refused(answer)).toEqual([409, 'REFUND_NOT_PROVEN'])
    expect(answer.json.error.message).toStartWith(why)
  }
  const txHash = await pay(5, addressOf(1), 8_500_000n)
  await eventually(async () => {
    solana.advance(1)
    return (await read(note.id)).status === 'refunded'
  })
  expect((await read(note.id)).refunds[0].txHash).toBe(txHash)
})

test('on Solana a transaction proves one refund, also of twenty at once', async () => {
  const note = await aNote('9.25', 9_250_000n)
  const other = await aNote('9.25', 9_250_000n)
  const txHash = await pay(5, addressOf(1), 9_250_000n)
  solana.advance(5)
  await eventually(async () => (await prove(note.id, txHash)).status === 200)
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) => prove(n % 2 ? note.id : other.id, txHash)),
  )
  expect(answers.map(({ status }) => status)).toEqual(answers.map((_, n) => (n % 2 ? 200 : 409)))
  expect((await read(other.id)).status).toBe('issued')
})
