import { beforeAll, describe, expect, setSystemTime, test } from 'bun:test'
import { base58 } from '@scure/base'
import { createTransferInstruction, getAssociatedTokenAddressSync } from '@solana/spl-token'
import {
  Connection,
  type Keypair,
  type MessageCompiledInstruction,
  type PublicKey,
  Transaction,
  VersionedTransaction,
} from '@solana/web3.js'
import { wrapFetchWithPayment } from '@x402/fetch'
import { toBytes } from '../../../src/storage/postgres/chain-bytes.ts'
import type { Answer } from '../../support/app.ts'
import { perCall } from '../../support/rpc-faults.ts'
import { solanaClient, transferProof } from '../../support/solana-payer.ts'
import { transferUsdc } from '../../support/solana-transfer.ts'
import { useWorld } from '../../support/world.ts'
import {
  decoded,
  demandIn,
  encoded,
  expectOneSale,
  invoicesMade,
  path,
  priceUsdcBase,
  publicUrl,
} from '../../support/x402-seller.ts'

const order = { recipient: 'Ada Example', email: 'ada@example.com', amount: 2.5 }
const caip2 = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'

const {
  app,
  solana: node,
  relay,
} = useWorld({
  chains: ['solana'],
  relayed: true,
  funded: [0, 1],
  env: ({ solana }) => ({
    ROLE: 'http',
    PUBLIC_URL: publicUrl,
    SOLANA_WALLET: solana.wallet(1).publicKey.toBase58(),
    FACILITATOR_SVM_PRIVATE_KEY: base58.encode(solana.wallet(2).secretKey),
  }),
})
let connection: Connection
let payer: Keypair
let merchant: PublicKey
let feePayer: Keypair

beforeAll(() => {
  connection = new Connection(node.url, 'confirmed')
  payer = node.wallet(0)
  merchant = node.wallet(1).publicKey
  feePayer = node.wallet(2)
})

/** A payment as the official client makes it from the service's requirement, changed by `over`. */
async function payment(over: Record<string, unknown> = {}, by = payer): Promise<string> {
  const demand = demandIn(await app.keyless('POST', path, order))
  const client = await solanaClient(node.url, by)
  const required = { ...demand, accepts: [{ ...demand.accepts[0], ...over }] }
  const payload = await client.createPaymentPayload(required)
  return encoded({ ...payload, accepted: demand.accepts[0] })
}

function pay(proof: string | object, body: object = order): Promise<Answer> {
  const payment = typeof proof === 'string' ? proof : JSON.stringify(proof)
  return app.keyless('POST', path, body, { 'payment-signature': payment })
}

function account(owner: PublicKey): PublicKey {
  return getAssociatedTokenAddressSync(node.mint, owner)
}

/** The transaction with its instructions changed, signed again. */
function rewritten(
  transaction: string,
  change: (instructions: MessageCompiledInstruction[]) => void,
): string {
  const read = VersionedTransaction.deserialize(Buffer.from(transaction, 'base64'))
  change(read.message.compiledInstructions)
  read.sign([payer])
  return Buffer.from(read.serialize()).toString('base64')
}

/** The transaction with another price per compute unit. */
function priced(transaction: string, microLamports: bigint): string {
  return rewritten(transaction, ([, price]) => {
    if (price)
      new DataView(price.data.buffer, price.data.byteOffset).setBigUint64(1, microLamports, true)
  })
}

async function received(): Promise<bigint> {
  return BigInt((await connection.getTokenAccountBalance(account(merchant))).value.amount)
}

function lamportsOf({ publicKey }: Keypair): Promise<number> {
  return connection.getBalance(publicKey)
}

describe('402', () => {
  test('offers Solana with who pays the fee, and not the chains nobody could settle', async () => {
    const answer = await app.keyless('POST', path, order)
    const demand = demandIn(answer)
    expect(answer.status).toBe(402)
    expect(demand).toMatchObject({
      accepts: [
        {
          scheme: 'exact',
          network: caip2,
          amount: '10000',
          asset: node.mint.toBase58(),
          payTo: merchant.toBase58(),
          maxTimeoutSeconds: 120,
          extra: { feePayer: feePayer.publicKey.toBase58() },
        },
      ],
      network: caip2,
      recipient: merchant.toBase58(),
    })
    expect(demand.accepts).toHaveLength(1)
  })

  test('for a payment of too little, to somebody else, or that is no transaction', async () => {
    const before = await received()
    const { payload: _, ...rest } = decoded(await payment())
    node.mintTo(node.wallet(3).publicKey, 1n)
    const proofs = [
      await payment({ amount: '9999' }),
      await payment({ payTo: node.wallet(3).publicKey.toBase58() }),
      await payment({ extra: { feePayer: node.wallet(4).publicKey.toBase58() } }),
      encoded({ ...rest, payload: { transaction: 'AAAA' } }),
      encoded({ ...rest, payload: { transaction: 5 } }),
    ]
    for (const proof of proofs) expect((await pay(proof)).status).toBe(402)
    expect(await received()).toBe(before)
  })

  test('for a payment that would cost the service more than a little', async () => {
    const proof = decoded(await payment())
    const payAt = (microLamports: bigint) => {
      const transaction = priced(proof.payload.transaction, microLamports)
      return pay(encoded({ ...proof, payload: { transaction } }))
    }
    expect((await payAt(5_000_000n)).status).toBe(402)
    expect((await payAt(50_000n)).status).toBe(200)
  })

  test('for a payment that hands the signature of the fee payer to a program, and nothing is sent', async () => {
    const before = { money: await received(), lamports: await lamportsOf(feePayer) }
    const proof = decoded(await payment())
    const transaction = rewritten(proof.payload.transaction, (instructions) => {
      // A program that is called with this account may take lamports from it, as rent for an
      // account it creates.
      instructions.at(-1)?.accountKeyIndexes.push(0)
    })
    expect((await pay(encoded({ ...proof, payload: { transaction } }))).status).toBe(402)
    expect(await received()).toBe(before.money)
    expect(await lamportsOf(feePayer)).toBe(before.lamports)
    expect((await pay(encoded(proof))).status).toBe(200)
  })
})

test('of a payer who takes his tokens away meanwhile nothing more is sent, and of others it is', async () => {
  const poor = node.wallet(5)
  node.mintTo(poor.publicKey, priceUsdcBase)
  const [taken, next, other] = [await payment({}, poor), await payment({}, poor), await payment()]
  const all = { mint: node.mint, to: payer.publicKey.toBase58(), usdcBase: priceUsdcBase }
  relay.misbehave(
    perCall(async (call, ask) => {
      if (call.method === 'sendTransaction' && (await pricesOf(poor)) > 0n)
        await transferUsdc(connection, poor, { ...all, memo: 'elsewhere' })
      return ask(call)
    }),
  )
  expect((await pay(taken)).status).toBeOneOf([202, 402])
  relay.behave()
  node.mintTo(poor.publicKey, 10n * priceUsdcBase)
  const before = await lamportsOf(feePayer)
  expect((await pay(next)).status).toBe(402)
  expect(await lamportsOf(feePayer)).toBe(before)
  expect((await pay(other)).status).toBe(200)
})

/** For how many orders a payer has tokens. */
async function pricesOf({ publicKey }: Keypair): Promise<bigint> {
  const { value } = await connection.getTokenAccountBalance(account(publicKey))
  return BigInt(value.amount) / priceUsdcBase
}

describe('200', () => {
  test('the unmodified official client pays, and gets its invoice and a receipt', async () => {
    const before = await received()
    const paying = wrapFetchWithPayment(fetch, await solanaClient(node.url, payer))
    const response = await paying(app.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(order),
    })
    expect(response.status).toBe(200)
    const { transaction, ...receipt } = decoded(response.headers.get('payment-response'))
    expect(receipt).toEqual({ success: true, network: caip2, payer: payer.publicKey.toBase58() })
    const { value } = await connection.getSignatureStatus(transaction)
    expect(value?.err).toBeNull()
    expect(await response.json()).toMatchObject({
      success: true,
      capability: 'invoice',
      result: { status: 'PENDING', amount: 2.5 },
    })
    expect((await received()) - before).toBe(priceUsdcBase)
  })

  test('five copies at once are one payment and one invoice; later the first answer is repeated', async () => {
    const before = { money: await received(), invoices: await invoicesMade(app) }
    const proof = await payment()
    await expectOneSale(() => pay(proof))
    expect((await pay(proof, { ...order, amount: 3 })).json.error.code).toBe('PAYMENT_REUSED')
    expect(await invoicesMade(app)).toBe(before.invoices + 1)
    expect((await received()) - before.money).toBe(priceUsdcBase)
  })

  test('after a crash between money and answer, when the same payment comes again', async () => {
    const before = { money: await received(), invoices: await invoicesMade(app) }
    const proof = await payment()
    const first = await pay(proof)
    const { transaction } = decoded(first.headers.get('payment-response'))
    await app.database.sql`delete from transfer_uses where tx_hash = ${toBytes(transaction)}`
    await app.database.sql`
      update x402_payments set state = 'claimed', position = null, status = null, body = null, created_at = created_at - interval '2 minutes'
      where tx_hash = ${toBytes(transaction)}`
    expect((await pay(proof)).text).toBe(first.text)
    expect(await invoicesMade(app)).toBe(before.invoices + 1)
    expect((await received()) - before.money).toBe(priceUsdcBase)
  })

  test('X-PAYMENT of version 1 and x_payment in the body are payments too', async () => {
    const { payload } = decoded(await payment())
    const v1 = encoded({ x402Version: 1, scheme: 'exact', network: 'solana', payload })
    expect((await app.keyless('POST', path, order, { 'x-payment': v1 })).status).toBe(200)
    const x_payment = await payment()
    expect((await app.keyless('POST', path, { ...order, x_payment })).status).toBe(200)
  })
})

describe('a transfer that was made already', () => {
  const resource = publicUrl + path

  async function transfer(usdcBase: bigint, to = merchant): Promise<string> {
    const { publicKey } = payer
    const transaction = new Transaction().add(
      createTransferInstruction(account(publicKey), account(to), publicKey, usdcBase),
    )
    const { blockhash } = await connection.getLatestBlockhash()
    transaction.recentBlockhash = blockhash
    transaction.sign(payer)
    const txHash = await connection.sendRawTransaction(transaction.serialize())
    // After another slot, an equal transfer is a different transaction.
    node.advance(1)
    return txHash
  }

  test('buys once, raw or in base64, and again answers the same', async () => {
    const proof = transferProof(payer, resource, await transfer(priceUsdcBase))
    const first = await pay(proof)
    expect(first.status).toBe(200)
    expect((await pay(encoded(proof))).text).toBe(first.text)
    expect((await pay(encoded(proof), { amount: 7 })).status).toBe(409)
  })

  test('buys within the hour, also where the clock of the process is two hours ahead', async () => {
    const proof = transferProof(payer, resource, await transfer(priceUsdcBase))
    setSystemTime(new Date(Date.now() + 7_200_000))
    const { status } = await pay(proof)
    setSystemTime()
    expect(status).toBe(200)
  })

  test('buys nothing when it is too little, to somebody else, or not signed by its payer', async () => {
    const stranger = node.wallet(3)
    node.mintTo(stranger.publicKey, 1n)
    const proofs = [
      transferProof(payer, resource, await transfer(priceUsdcBase - 1n)),
      transferProof(payer, resource, await transfer(priceUsdcBase, stranger.publicKey)),
      transferProof(stranger, resource, await transfer(priceUsdcBase)),
      transferProof(payer, 'https://pay.test/other', await transfer(priceUsdcBase)),
      transferProof(payer, resource, 'no transaction'),
    ]
    for (const proof of proofs) expect((await pay(proof)).status).toBe(402)
  })

  test('is pending while no node has it', async () => {
    const txHash = base58.encode(new Uint8Array(64).fill(7))
    const early = await pay(transferProof(payer, resource, txHash))
    expect([early.status, early.headers.get('retry-after')]).toEqual([202, '5'])
    expect(early.json).toMatchObject({ status: 'settlement_pending', network: 'solana', txHash })
  })

  test('is no second payment when it is how a signed payment was settled', async () => {
    const paid = await pay(await payment())
    const { transaction } = decoded(paid.headers.get('payment-response'))
    expect((await pay(transferProof(payer, resource, transaction))).status).toBe(409)
  })
})
