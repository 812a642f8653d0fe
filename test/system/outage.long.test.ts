import { beforeAll, expect, test } from 'bun:test'
import { createdInvoice } from '../support/app.ts'
import { saying } from '../support/rpc-faults.ts'
import type { Service } from '../support/service.ts'
import { eventually } from '../support/wait.ts'
import { useWorld } from '../support/world.ts'

const wallet = '0x00000000000000000000000000000000000000aa'
const limitMs = 40_000

const { node, relay, sql, send, start } = useWorld({
  chains: ['base'],
  funded: [1],
  relayed: true,
  service: 'apart',
  env: {
    BASE_WALLET: wallet,
    BASE_CONFIRMATIONS: '3',
    BASE_MAX_RANGE_BLOCKS: '25',
    LOG_LEVEL: 'info',
  },
})
let service: Service

beforeAll(async () => {
  service = await start()
})

const logged = (message: string) => service.lines.filter(({ msg }) => msg === message)

test('while its node is away a chain waits, and all that was paid meanwhile settles once it is back, with a line in the log', async () => {
  const invoices = []
  for (const amount of [1, 2, 3]) invoices.push(await createdInvoice({ send }, { amount }))
  await eventually(async () => (await sql`select 1 from cursors`).length > 0, limitMs)
  relay.misbehave(saying('', { status: 503 }))
  await eventually(() => logged('a node of the chain fails').length > 0, limitMs)
  for (const { total, paymentDetails } of invoices) {
    const usdcBase = BigInt(Math.round(Number(total) * 1e6))
    const { reference } = paymentDetails
    await node.transfer({ from: node.wallet(1).address, to: wallet, usdcBase, reference })
    await node.mine(150)
  }
  expect((await send('GET', `/v1/invoices/${invoices[0].id}`)).json.data.status).toBe('PENDING')
  const { chains } = (await send('GET', '/readyz')).json
  expect(chains.find(({ chain }: { chain: string }) => chain === 'base').fault).toBe('unreachable')
  relay.behave()
  for (const { id } of invoices) {
    const isSettled = async () =>
      (await send('GET', `/v1/invoices/${id}`)).json.data.status === 'SETTLED'
    await eventually(isSettled, limitMs)
  }
  await eventually(() => logged('caught up').length > 0, limitMs)
  expect(logged('catching up')[0]).toMatchObject({ network: 'base', percent: expect.any(Number) })
  await eventually(() => logged('a node of the chain has recovered').length === 1)
})
