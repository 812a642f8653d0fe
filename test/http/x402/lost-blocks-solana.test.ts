import { beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { createReconciliation } from '../../../src/actors/paywall/reconciliation.ts'
import { solanaPaymentReader } from '../../../src/chain/solana/payments.ts'
import { solanaRpc } from '../../../src/chain/solana/solana.ts'
import { toBytes } from '../../../src/storage/postgres/chain-bytes.ts'
import { createLog } from '../../../src/telemetry/log.ts'
import { paywallOf } from '../../support/paywall.ts'
import { refusal } from '../../support/rpc-faults.ts'
import { useWorld } from '../../support/world.ts'

/** A signed payment without an outcome, where the only node lacks the blocks of before it. */

const {
  database: db,
  solana: node,
  relay,
} = useWorld({ chains: ['solana'], relayed: true, service: 'none' })
let key: string

beforeAll(() => {
  node.advance(10)
  node.lose(0, 5)
})

beforeEach(async () => {
  const { sql } = db
  const [payer, recipient] = [0, 1].map((index) => node.wallet(index).publicKey.toBase58())
  key = `solana:authorization:${payer}:${'11'.repeat(64)}`
  await sql`delete from x402_payments`
  await sql`
    insert into x402_payments (key, network, payer, payment_hash, request_hash, usdc_base, pay_to, asset, state, valid_before, created_at)
    values (${key}, 'solana', ${toBytes(payer ?? '')}, '', '', 1, ${toBytes(recipient ?? '')}, ${toBytes(node.mint.toBase58())}, 'pending', now(), now())`
})

async function isAged(ms: number): Promise<void> {
  const before = db.sql`now() - ${ms} * interval '1 millisecond'`
  await db.sql`update x402_payments set created_at = ${before}, valid_before = ${before}`
}

/** Whether `reconcile` asks the chain; it resolves nothing. */
async function looks(reconcile: () => Promise<number>): Promise<boolean> {
  const before = relay.requests.length
  expect(await reconcile()).toBe(0)
  return relay.requests.length > before
}

function reconciliation(steadyMs: () => number): () => Promise<number> {
  const rpc = solanaRpc({ rpcUrls: [relay.url] })
  const reader = solanaPaymentReader(rpc)
  const network = { network: 'solana', facilitator: undefined, reader } as const
  const none = {
    option: () => null,
    lack: () => null,
    readPayment: () => null,
    isSignedByKey: async () => false,
  }
  const networks = [{ ...network, ...none }]
  return createReconciliation({ sql: db.sql, networks, steadyMs, log: { warn() {} } }).reconcile
}

describe('a payment of which no node can tell', () => {
  test('is told with its name, and not looked for again by the next sweep', async () => {
    const wallet = node.wallet(1).publicKey.toBase58()
    const env = { SOLANA_RPC_URL: relay.url, SOLANA_WALLET: wallet }
    const lines: object[] = []
    const log = { ...createLog('silent'), warn: (line: object) => void lines.push(line) }
    const { reconcile } = await paywallOf(db, env, log)
    await isAged(3_600_000)
    expect(await looks(reconcile)).toBe(true)
    expect(await looks(reconcile)).toBe(false)
    expect(lines).toEqual([{ err: expect.objectContaining({ fault: 'lagging' }), key }])
  })

  test('is put off as well where the node refuses what would show it', async () => {
    relay.misbehave(refusal(-32602, 'Slot range too large'))
    await isAged(3_600_000)
    const reconcile = reconciliation(() => 0)
    expect(await looks(reconcile)).toBe(true)
    expect(await looks(reconcile)).toBe(false)
    relay.behave()
  })

  test('is looked for the less often the older it is', async () => {
    const hourMs = 3_600_000
    let nowMs = 0
    const reconcile = reconciliation(() => nowMs)
    for (const hours of [8, 16, 80]) {
      await isAged(hours * hourMs)
      nowMs += 10 * hourMs
      expect(await looks(reconcile)).toBe(true)
      nowMs += (hours / 8 - 0.1) * hourMs
      expect(await looks(reconcile)).toBe(false)
    }
  })
})
