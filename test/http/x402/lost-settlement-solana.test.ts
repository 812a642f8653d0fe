import { expect, test } from 'bun:test'
import { base58 } from '@scure/base'
import { Connection } from '@solana/web3.js'
import { feePayer } from '../../../src/chain/solana/message.ts'
import { testWallet } from '../../support/app.ts'
import { useFacilitator } from '../../support/facilitator.ts'
import { perCall } from '../../support/rpc-faults.ts'
import { solanaClient } from '../../support/solana-payer.ts'
import { eventually } from '../../support/wait.ts'
import { useWorld } from '../../support/world.ts'
import { demandIn, order, path } from '../../support/x402-seller.ts'

/**
 * A facilitator whose answers are lost: the payments it was asked to settle may be on chain or not.
 */

const caip2 = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'
const payer = () => node.wallet(0)
const settler = () => feePayer(base58.encode(node.wallet(2).secretKey))
const blocksUntilStale = 151

/** Nobody pays on the EVM chains here. */
const nowhere = 'http://127.0.0.1:1'

const facilitator = useFacilitator()
const {
  app,
  solana: node,
  relay,
} = useWorld({
  chains: ['solana'],
  relayed: true,
  funded: [0, 1],
  env({ solana }) {
    const evm = { x402Version: 2, scheme: 'exact', network: 'eip155:8453' }
    const fees = feePayer(base58.encode(solana.wallet(2).secretKey))
    facilitator.kinds = [evm, { ...evm, network: caip2, extra: { feePayer: fees.address } }]
    return {
      ROLE: 'http',
      BASE_RPC_URL: nowhere,
      POLYGON_RPC_URL: nowhere,
      POLYGON_WALLET: testWallet,
      SOLANA_WALLET: solana.wallet(1).publicKey.toBase58(),
      X402_FACILITATOR_URL: facilitator.url,
    }
  },
})

const networksOf = (json: { accepts: { network: string }[] }) =>
  json.accepts.map(({ network }) => network)

/** Moves the payments without an outcome seven minutes into the past. */
async function growOld(): Promise<void> {
  await app.database.sql`
    update x402_payments set valid_before = valid_before - interval '7 minutes', created_at = created_at - interval '7 minutes'
    where state = 'pending'`
}

async function payment(change: (transaction: string) => string = (transaction) => transaction) {
  const demand = demandIn(await app.keyless('POST', path, order))
  const client = await solanaClient(node.url, payer())
  const made = await client.createPaymentPayload({
    ...demand,
    accepts: demand.accepts.filter(({ network }: { network: string }) => network === caip2),
  })
  const transaction = change((made.payload as { transaction: string }).transaction)
  const proof = Buffer.from(JSON.stringify({ ...made, payload: { transaction } })).toString(
    'base64',
  )
  return {
    transaction,
    pay: () => app.keyless('POST', path, order, { 'payment-signature': proof }),
  }
}

/** Settles a payment as the facilitator would have. */
async function bring(transaction: string): Promise<string> {
  const { signed, txHash } = settler().cosign(transaction)
  await new Connection(node.url, 'confirmed').sendRawTransaction(Buffer.from(signed, 'base64'))
  return txHash
}

test('what the facilitator says it settles is accepted, and nothing else', async () => {
  await eventually(async () => {
    const demand = demandIn(await app.keyless('POST', path, order))
    return networksOf(demand).includes(caip2)
  })
  const demand = demandIn(await app.keyless('POST', path, order))
  expect(networksOf(demand)).toEqual([caip2, 'eip155:8453'])
  expect(demand.accepts[0].extra).toEqual({ feePayer: settler().address })
})

test('a payment that its payer has not signed is refused, whatever the facilitator says: whom it names is not held up by it', async () => {
  const { pay } = await payment((transaction) => {
    const wire = Buffer.from(transaction, 'base64')
    // One byte that tells how many signatures follow: the fee payer's, and the payer's.
    return wire.fill(0, 1, 1 + 2 * 64).toString('base64')
  })
  const { status, json } = await pay()
  expect([status, json.error]).toEqual([
    402,
    'The payment cannot be read, is not signed by its payer, or is for a network that is not accepted',
  ])
  expect(await app.database.sql`select 1 from x402_payments`).toHaveLength(0)
})

test('a settlement without an answer is pending, found among what its payer did, and never asked for again', async () => {
  const { transaction, pay } = await payment()
  for (const answer of [await pay(), await pay()]) {
    expect(answer.status).toBe(202)
    expect(answer.json).toMatchObject({ status: 'settlement_pending', network: 'solana' })
  }
  // Another transaction of the same payer in between.
  node.mintTo(payer().publicKey, 1n)
  const txHash = await bring(transaction)
  const answers = await Promise.all([pay(), pay(), pay()])
  expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(0)
  const receipt = (await pay()).headers.get('payment-response') ?? ''
  expect(JSON.parse(Buffer.from(receipt, 'base64').toString()).transaction).toBe(txHash)
})

test('a settlement without an answer is found though the clock of the process that received it is an hour slow', async () => {
  // What the payer did long before, which is later than that clock tells.
  node.mintTo(payer().publicKey, 1n)
  node.advance(1_001)
  const { transaction, pay } = await payment()
  expect((await pay()).status).toBe(202)
  await app.database.sql`
    update x402_payments set valid_before = valid_before - interval '1 hour' where state = 'pending'`
  await bring(transaction)
  node.advance(blocksUntilStale)
  expect((await pay()).status).toBe(200)
})

test('a payment that never came is given up once its time is over and no block can take it', async () => {
  const { pay } = await payment()
  expect((await pay()).status).toBe(202)
  await growOld()
  expect((await pay()).status).toBe(202)
  node.advance(blocksUntilStale)
  expect((await pay()).status).toBe(402)
})

test('a pending payment is not given up by a node that has not reached its end', async () => {
  const { transaction, pay } = await payment()
  expect((await pay()).status).toBe(202)
  await bring(transaction)
  await app.database.sql`
    update x402_payments set valid_before = now() - interval '5 minutes', created_at = created_at - interval '7 minutes'
    where state = 'pending'`
  // A node that has seen neither the blockhash nor the payment.
  const nothing: Readonly<Record<string, (slot: number) => unknown>> = {
    isBlockhashValid: (slot) => ({ context: { slot: slot - 100 }, value: false }),
    getBlockTime: () => Math.floor(Date.now() / 1000) - 3_600,
    getTransaction: () => null,
    getSignaturesForAddress: () => [],
  }
  relay.misbehave(
    perCall(async (call, ask) => {
      const { result } = await ask({ id: call.id, method: 'getSlot', params: [] })
      const answer = nothing[call.method]
      return answer ? { id: call.id, result: answer(Number(result)) } : ask(call)
    }),
  )
  expect((await pay()).status).toBe(202)
  relay.behave()
  expect((await pay()).status).toBe(200)
})
