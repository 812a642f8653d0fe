import { describe, expect, test } from 'bun:test'
import { base58 } from '@scure/base'
import { toBytes, toText } from '../../../src/storage/postgres/chain-bytes.ts'
import { noticed } from '../../support/claims.ts'
import { solanaClient } from '../../support/solana-payer.ts'
import { useWorld } from '../../support/world.ts'
import {
  demandIn,
  encoded,
  expectOneSale,
  invoicesMade,
  order,
  path,
  publicUrl,
  sellerIn,
  settledBy,
} from '../../support/x402-seller.ts'

const world = useWorld({
  chains: ['base', 'solana'],
  funded: [0, 1],
  env: ({ node, solana }) => ({
    ...settledBy(node.wallet(8)),
    PUBLIC_URL: publicUrl,
    BASE_CONFIRMATIONS: '1',
    SOLANA_WALLET: solana.wallet(1).publicKey.toBase58(),
    FACILITATOR_SVM_PRIVATE_KEY: base58.encode(solana.wallet(2).secretKey),
  }),
})
const { app, solana, sql } = world
const { pay, signed, bring } = sellerIn(world)

const buys = { base: onBase, solana: onSolana } as const

async function onBase() {
  return (await signed()).pay
}

async function onSolana() {
  const demand = demandIn(await app.keyless('POST', path, order))
  const accepted = demand.accepts.find(({ network }: { network: string }) =>
    /^solana/.test(network),
  )
  const client = await solanaClient(solana.url, solana.wallet(0))
  const payload = await client.createPaymentPayload({ ...demand, accepts: [accepted] })
  const proof = encoded({ ...payload, accepted })
  return (body?: object) => pay(proof, body)
}

/** As if the database were of before the sale, and the watcher had read the blocks since. */
async function restore(): Promise<void> {
  solana.advance(40)
  const [sold] = await sql`select tx_hash from x402_payments where tx_hash is not null`
  await noticed(sql, toText('solana', sold?.tx_hash))
  await sql`delete from idempotency_keys`
  await sql`delete from transfer_uses`
  await sql`delete from x402_payments`
  await sql`update transfers set is_used = false`
}

describe('after a restore', () => {
  test.each(['base', 'solana'] as const)(
    'a signed payment on %s that the chain shows settled buys once more, and only once',
    async (network) => {
      const payAgain = await buys[network]()
      expect((await payAgain()).status).toBe(200)
      await restore()
      const made = await invoicesMade(app)
      await expectOneSale(payAgain)
      expect(await invoicesMade(app)).toBe(made + 1)
      expect((await payAgain({ amount: 7 })).status).toBe(409)
    },
  )

  test('a payment that has paid an invoice, or was of another amount, buys nothing', async () => {
    const { payment, status } = await signed()
    const txHash = await bring(payment)
    await noticed(sql, txHash)
    await sql`insert into transfer_uses (chain, tx_hash, position, kind, account_id, subject_id)
      select chain, tx_hash, position, 'invoice', gen_random_uuid(), gen_random_uuid() from transfers where tx_hash = ${toBytes(txHash)}`
    expect(await status()).toBe(409)
    const other = await signed()
    await noticed(sql, await bring(other.payment, { usdcBase: 20_000n }))
    expect(await other.status()).toBe(402)
  })
})
