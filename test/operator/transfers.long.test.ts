import { expect, test } from 'bun:test'
import { settlingChainOf } from '../../src/chain/chains.ts'
import { toBytes } from '../../src/storage/postgres/chain-bytes.ts'
import { createdInvoice } from '../support/app.ts'
import { quittance } from '../support/cli.ts'
import { usdcOnBase } from '../support/evm-node.ts'
import { useWorld } from '../support/world.ts'

const wallet = '0x00000000000000000000000000000000000000aa'

const { app, node, env, sql } = useWorld({
  chains: ['base'],
  funded: [1],
  env: { ROLE: 'http', BASE_WALLET: wallet, BASE_CONFIRMATIONS: '1' },
})

/** Sends money, and records it as held; answers the transaction. */
async function held(usdcBase: bigint, reference?: string): Promise<string> {
  const from = node.wallet(1).address
  const sent = await node.transfer({ from, to: wallet, usdcBase, ...(reference && { reference }) })
  const block = Number(await node.rpc('eth_blockNumber'))
  const chain = settlingChainOf({ network: 'base', rpcUrls: [node.url], usdc: usdcOnBase })
  const { transfers } = await chain.transfers({ from: block, to: block }, [wallet])
  const [found] = transfers
  await sql`insert into transfers (chain, tx_hash, position, block_number, block_hash, block_time, from_address, to_address, usdc_base, state, held_as, created_at)
    values ('base', ${toBytes(sent)}, ${found?.position ?? 0}, ${block}, ${toBytes(found?.blockHash ?? '')}, now(), ${toBytes(from)}, ${toBytes(wallet)}, ${usdcBase}, 'confirmed', 'unmatched', now())`
  await node.mine(2)
  return sent
}

const settleHeld = (...words: string[]) =>
  quittance(env, 'transfers', 'settle-held', '--since', '2026-01-01', ...words)
const statusOf = async (id: string) =>
  (await app.send('GET', `/v1/invoices/${id}`)).json.data.status

test('settle-held lists what references name, and credits it only when it is told to', async () => {
  const [due, twin] = [
    await createdInvoice(app, { amount: 3 }),
    await createdInvoice(app, { amount: 3 }),
  ]
  const gone = await createdInvoice(app, { amount: 5 })
  const paid = await held(3_000_000n, due.paymentDetails.reference)
  await held(9_000_000n)
  const lost = await held(5_000_000n, gone.paymentDetails.reference)
  await sql`update invoices set id = gen_random_uuid() where id = ${gone.id}`

  const lines = (first: string) =>
    `${first}  base  ${paid}/0  3.00 USDC  ${due.id}\nmissing  base  ${lost}/0  5.00 USDC  ${gone.id}\n`
  for (const words of [[], ['--dry-run']])
    expect(await settleHeld(...words)).toMatchObject({ code: 0, text: lines('due') })
  expect(await statusOf(due.id)).toBe('PENDING')
  expect((await settleHeld('--apply')).text).toBe(lines('credited'))
  expect([await statusOf(due.id), await statusOf(twin.id)]).toEqual(['SETTLED', 'PENDING'])
  expect((await settleHeld('--json')).json).toMatchObject([
    { chain: 'base', txHash: lost, amount: '5.00', invoiceId: gone.id, outcome: 'missing' },
  ])
  expect((await settleHeld('--apply', '--dry-run')).code).toBe(2)
})
