import { expect, test } from 'bun:test'
import { base58 } from '@scure/base'
import {
  createApproveInstruction,
  createTransferCheckedInstruction,
  getAssociatedTokenAddressSync,
} from '@solana/spl-token'
import { Connection, type Keypair, Transaction, type TransactionInstruction } from '@solana/web3.js'
import { feePayer } from '../../../src/chain/solana/message.ts'
import { anInvoice } from '../../support/app.ts'
import { noticed } from '../../support/claims.ts'
import { useFacilitator } from '../../support/facilitator.ts'
import { solanaClient, transferProof } from '../../support/solana-payer.ts'
import { eventually } from '../../support/wait.ts'
import { useWorld } from '../../support/world.ts'
import { demandIn, order, path, publicUrl } from '../../support/x402-seller.ts'

/** A facilitator that answers long after the watcher has recorded the payment. */

const caip2 = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'
const blocksUntilFinal = 40
const payer = () => node.wallet(0)
/** Called with each transaction before the facilitator answers that it has settled by it. */
let beforeAnswer: (txHash: string) => Promise<void>

const facilitator = useFacilitator()
const { app, solana: node } = useWorld({
  chains: ['solana'],
  funded: [0, 1],
  env({ solana }) {
    const settler = feePayer(base58.encode(solana.wallet(2).secretKey))
    const extra = { feePayer: settler.address }
    facilitator.kinds = [{ x402Version: 2, scheme: 'exact', network: caip2, extra }]
    facilitator.settle = async ({ payload }) => {
      const { signed, txHash } = settler.cosign(`${payload.transaction}`)
      const connection = new Connection(solana.url, 'confirmed')
      await connection.sendRawTransaction(Buffer.from(signed, 'base64'))
      await beforeAnswer(txHash)
      const about = { network: caip2, payer: payer().publicKey.toBase58() }
      return Response.json({ success: true, transaction: txHash, ...about })
    }
    return {
      PUBLIC_URL: publicUrl,
      SOLANA_START_BLOCK: '0',
      SOLANA_WALLET: solana.wallet(1).publicKey.toBase58(),
      X402_FACILITATOR_URL: facilitator.url,
    }
  },
})

async function dueInvoice(): Promise<() => Promise<string>> {
  const id = await anInvoice(app, { amount: '0.01', chain: 'solana' })
  return async () => (await app.send('GET', `/v1/invoices/${id}`)).json.data.status
}

/** The service's requirement, once the facilitator has reported what it settles. */
async function required() {
  const ask = async () => demandIn(await app.keyless('POST', path, order))
  const isSigned = ({ accepts }: Awaited<ReturnType<typeof ask>>) =>
    accepts.some(({ extra }: { extra?: { feePayer?: string } }) => extra?.feePayer)
  await eventually(async () => isSigned(await ask()))
  return ask()
}

test('what a facilitator elsewhere settles pays no invoice of its amount, however late its answer comes', async () => {
  beforeAnswer = (txHash) => {
    node.advance(blocksUntilFinal)
    return noticed(app.database.sql, txHash)
  }
  const status = await dueInvoice()
  const client = await solanaClient(node.url, payer())
  const payment = await client.createPaymentPayload(await required())
  const proof = Buffer.from(JSON.stringify(payment)).toString('base64')
  const delivered = await app.keyless('POST', path, order, { 'payment-signature': proof })
  expect(delivered.status).toBe(200)
  expect(await status()).toBe('PENDING')
})

test('a payment by a delegate, while it is being settled, is no transfer of the owner of what he sends', async () => {
  const [owner, delegate] = [node.wallet(3), payer()]
  node.mintTo(owner.publicKey, 1_000_000n)
  const source = account(owner)
  const approval = createApproveInstruction(source, delegate.publicKey, owner.publicKey, 1_000_000n)
  const approving = await transactionOf(approval)
  approving.feePayer = owner.publicKey
  approving.sign(owner)
  await new Connection(node.url, 'confirmed').sendRawTransaction(approving.serialize())
  const { accepts, ...rest } = await required()
  const [accepted] = accepts
  const move = [source, node.mint, account(node.wallet(1)), delegate.publicKey] as const
  const paying = await transactionOf(
    createTransferCheckedInstruction(...move, BigInt(accepted.amount), 6),
  )
  paying.feePayer = node.wallet(2).publicKey
  paying.partialSign(delegate)
  const transaction = paying.serialize({ requireAllSignatures: false }).toString('base64')
  const payment = { x402Version: 2, resource: rest.resource, accepted, payload: { transaction } }
  const proof = Buffer.from(JSON.stringify(payment)).toString('base64')
  let presented: number | undefined
  beforeAnswer = async (txHash) => {
    const claim = JSON.stringify(transferProof(owner, publicUrl + path, txHash))
    presented = (await app.keyless('POST', path, order, { 'payment-signature': claim })).status
  }
  const delivered = await app.keyless('POST', path, order, { 'payment-signature': proof })
  expect([presented, delivered.status]).toEqual([409, 200])
})

function account({ publicKey }: Keypair) {
  return getAssociatedTokenAddressSync(node.mint, publicKey)
}

async function transactionOf(instruction: TransactionInstruction): Promise<Transaction> {
  const transaction = new Transaction().add(instruction)
  const { blockhash } = await new Connection(node.url, 'confirmed').getLatestBlockhash()
  transaction.recentBlockhash = blockhash
  return transaction
}
