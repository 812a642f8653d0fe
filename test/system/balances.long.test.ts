import { expect, test } from 'bun:test'
import { toBytes } from '../../src/storage/postgres/chain-bytes.ts'
import { createdInvoice } from '../support/app.ts'
import { eventually } from '../support/wait.ts'
import { useWorld } from '../support/world.ts'

const { node, app, sql, start } = useWorld({
  chains: ['base'],
  funded: [1],
  env: ({ node }) => ({ ROLE: 'http', BASE_WALLET: node.wallet(2).address }),
})

test('a worker finds a payment in blocks it has read long ago and settles the invoice, with a line in the log', async () => {
  const { id, paymentDetails } = await createdInvoice(app, { amount: 3 })
  const before = await node.rpc<{ number: string; hash: string }>('eth_getBlockByNumber', [
    'latest',
    false,
  ])
  const [from, to] = [node.wallet(1).address, node.wallet(2).address]
  await node.transfer({ from, to, usdcBase: 3_000_000n, reference: paymentDetails.reference })
  await node.mine(10)
  const [agreed, next] = [Number(before.number), Number(before.number) + 10]
  await sql`update payment_addresses set agreed_block = ${agreed}, agreed_hash = ${toBytes(before.hash)}, agreed_base = 0`
  await sql`insert into cursors values ('base', ${next}, '[]', 0, now())`
  const { lines } = await start({ ROLE: 'worker', BASE_CONFIRMATIONS: '1', LOG_LEVEL: 'info' })
  const status = async () => (await app.send('GET', `/v1/invoices/${id}`)).json.data.status
  await eventually(async () => (await status()) === 'SETTLED')
  const logged = () => lines.find(({ msg }) => String(msg).startsWith('balances disagreed'))
  await eventually(() => logged() !== undefined)
  expect(logged()).toMatchObject({ network: 'base', from: agreed + 1, count: 1, transfers: 1 })
})
