import { afterEach, describe, expect, test } from 'bun:test'
import { toHex } from 'viem'
import { toBytes } from '../../../src/storage/postgres/chain-bytes.ts'
import { lost, useFacilitator } from '../../support/facilitator.ts'
import { paywallOf } from '../../support/paywall.ts'
import { perCall, refusal } from '../../support/rpc-faults.ts'
import type { Fault } from '../../support/rpc-relay.ts'
import { permittedBy } from '../../support/x402-buyer.ts'
import { decoded, invoicesMade, useSeller } from '../../support/x402-seller.ts'

/**
 * A facilitator whose answers are lost: the payments it was asked to settle may be on chain or not.
 */

const maxRangeBlocks = 10
const facilitator = useFacilitator()
const settings = {
  ROLE: 'http',
  BASE_MAX_RANGE_BLOCKS: `${maxRangeBlocks}`,
  X402_FACILITATOR_URL: facilitator.url,
}
const seller = useSeller(facilitator.url, { env: settings })
const { app, node, relay, signed, bring } = seller

afterEach(() => relay.behave())

/** A payment whose settlement was requested and never answered. */
async function pending() {
  const made = await signed()
  expect(await made.status()).toBe(202)
  return made
}

test('a settlement without an answer is pending, found on chain, and never asked for again', async () => {
  let requests = 0
  facilitator.settle = async () => {
    requests++
    return lost()
  }
  const { payment, pay } = await signed()
  for (const { status, json } of [await pay(), await pay()])
    expect([status, json]).toEqual([
      202,
      expect.objectContaining({ status: 'settlement_pending', network: 'base' }),
    ])
  expect(requests).toBe(1)
  const txHash = await bring(payment)
  const answers = await Promise.all([pay(), pay(), pay()])
  const delivered = answers.filter(({ status }) => status === 200)
  expect(delivered.length).toBeGreaterThan(0)
  const again = await pay()
  expect(new Set([again, ...delivered].map(({ text }) => text)).size).toBe(1)
  expect(decoded(again.headers.get('payment-response')).transaction).toBe(txHash)
  expect(await invoicesMade(app)).toBe(1)
})

test('a copy of a payment that is being settled is told to ask again, not that it bought something else', async () => {
  const asked = Promise.withResolvers<void>()
  const silence = Promise.withResolvers<void>()
  facilitator.settle = async () => {
    asked.resolve()
    await silence.promise
    return lost()
  }
  const { pay } = await signed()
  const first = pay()
  await asked.promise
  const copy = await pay()
  const other = await pay({ amount: 3 })
  silence.resolve()
  expect([copy.status, copy.json.error.code]).toEqual([409, 'IDEMPOTENCY_IN_PROGRESS'])
  expect(copy.headers.get('retry-after')).toBe('1')
  expect([other.status, other.json.error.code]).toEqual([409, 'PAYMENT_REUSED'])
  expect((await first).status).toBe(202)
})

type Pending = Awaited<ReturnType<typeof pending>>

test.each<[string, number, (made: Pending) => Promise<unknown>]>([
  ['once it is on chain, after an outage of any length', 200, ({ payment }) => bring(payment)],
  [
    'by its nonce though another transaction, which no block has, is on record',
    200,
    async ({ payment }) => {
      const txHash = `0x${'7'.repeat(64)}`
      await app.database
        .sql`update x402_payments set tx_hash = ${toBytes(txHash)} where state = 'pending'`
      return bring(payment)
    },
  ],
  [
    'to have paid somebody else: it buys nothing',
    402,
    ({ payment }) => bring(payment, { to: '0x00000000000000000000000000000000000000bb' }),
  ],
  ['to have paid less: it buys nothing', 402, ({ payment }) => bring(payment, { usdcBase: 1n })],
  [
    'to be cancelled: it buys nothing',
    402,
    ({ payment }) => {
      const { reference } = permittedBy(node.wallet(1), payment)
      return node.cancelAuthorization(node.wallet(1), reference)
    },
  ],
])('a payment of unknown outcome is found %s', async (_, status, end) => {
  const made = await pending()
  await end(made)
  await node.mine(5 * maxRangeBlocks)
  const { json, ...answer } = await made.pay()
  expect([answer.status, json.x402Version]).toEqual([status, status === 402 ? 1 : undefined])
})

describe('looked for without its buyer, as a sweep does long after it was claimed,', () => {
  /** How the payment is claimed; null: it is not. */
  async function stateOf(payment: Pending['payment']): Promise<string | null> {
    const { reference } = permittedBy(node.wallet(1), payment)
    const [claim] = await app.database.sql<{ state: string }[]>`
      select state from x402_payments where key like ${`%${reference}`}`
    return claim?.state ?? null
  }

  async function reconciled(): Promise<void> {
    await app.database
      .sql`update x402_payments set created_at = created_at - interval '1 hour' where state = 'pending' and network = 'base'`
    const { reconcile } = await paywallOf(app.database, { ...settings, BASE_RPC_URL: relay.url })
    for (let sweep = 0; sweep < 3; sweep++) await reconcile()
  }

  test('what is found to be paid is delivered also where no node can be asked any more', async () => {
    const { payment, status } = await pending()
    await bring(payment)
    await reconciled()
    relay.misbehave(refusal(-32_000, 'out of order'))
    expect(await status()).toBe(200)
  })

  test('what was paid for less than its price is not taken for paid, even if something cheaper is sold', async () => {
    const { payment } = await pending()
    await bring(payment, { usdcBase: 5_000n })
    await reconciled()
    expect(await stateOf(payment)).toBeNull()
  })

  test('a payment is found however many older ones cannot be', async () => {
    const { payment, status } = await pending()
    await bring(payment)
    const { sql } = app.database
    await sql`
      insert into x402_payments (key, network, payer, payment_hash, request_hash, usdc_base, pay_to, asset, state, valid_before, created_at)
      select 'polygon:authorization:' || number, 'polygon', 'nobody', '', '', 1, '', '', 'pending', now(),
        date_trunc('second', now()) - interval '2 hours'
      from generate_series(1, 150) as number`
    await reconciled()
    expect(await stateOf(payment)).toBe('settled')
    expect(await status()).toBe(200)
  })
})

describe('a payment of unknown outcome is given up', () => {
  /** Moves the end of every pending payment into the past by our clock. */
  async function timeIsOver(): Promise<void> {
    await app.database
      .sql`update x402_payments set valid_before = now() - interval '5 minutes' where state = 'pending'`
  }

  /** A node that is an hour behind: it knows of no recent payment. */
  const anHourBehind: Fault = perCall(async (call, ask) => {
    const answer = await ask(call)
    if (call.method === 'eth_call') return { ...answer, result: `0x${'0'.repeat(64)}` }
    if (call.method !== 'eth_getBlockByNumber') return answer
    const block = answer.result as { timestamp: string }
    return { ...answer, result: { ...block, timestamp: toHex(Number(block.timestamp) - 3_600) } }
  })

  test('by no node that has not reached its end', async () => {
    const { payment, status } = await pending()
    await bring(payment)
    await timeIsOver()
    relay.misbehave(anHourBehind)
    expect(await status()).toBe(202)
    relay.behave()
    expect(await status()).toBe(200)
  })

  test('once the chain is past its end, if it never came', async () => {
    const { status } = await pending()
    expect(await status()).toBe(202)
    await timeIsOver()
    await node.mine(1)
    expect(await status()).toBe(402)
  })
})
