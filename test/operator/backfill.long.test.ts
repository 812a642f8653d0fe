import { describe, expect, test } from 'bun:test'
import { loadCursor } from '../../src/storage/settlement/cursors.ts'
import { quittance, startQuittance } from '../support/cli.ts'
import { silence } from '../support/rpc-faults.ts'
import { startRpcRelay } from '../support/rpc-relay.ts'
import { eventually } from '../support/wait.ts'
import { useWorld } from '../support/world.ts'

/** Invoices were paid while no watcher ran. */

const { app, node, env } = useWorld({
  chains: ['base'],
  funded: [1],
  env: ({ node }) => ({
    ROLE: 'http',
    BASE_WALLET: node.wallet(2).address,
    BASE_CONFIRMATIONS: '3',
  }),
})

async function anInvoice(amount: number) {
  const { json } = await app.send('POST', '/v1/invoices', {
    amount,
    currency: 'USDC',
    customerName: 'Ada Example',
    customerEmail: 'ada@example.com',
  })
  return json.data
}

async function pay(amount: number, { paymentDetails }: { paymentDetails: { reference: string } }) {
  const from = node.wallet(1).address
  const usdcBase = BigInt(amount) * 1_000_000n
  await node.transfer({
    from,
    to: node.wallet(2).address,
    usdcBase,
    reference: paymentDetails.reference,
  })
}

const head = async () => Number(await node.rpc('eth_blockNumber'))
const statusOf = async (id: string) =>
  (await app.send('GET', `/v1/invoices/${id}`)).json.data.status
const backfill = (from: number, to: number) =>
  quittance(env, 'backfill', 'base', '--from', `${from}`, '--to', `${to}`, '--json')

describe('a range that is confirmed', () => {
  test('settles what was paid in it; once more finds nothing new', async () => {
    const invoice = await anInvoice(3)
    const from = await head()
    await pay(3, invoice)
    const to = await head()
    await node.mine(20)
    const first = await backfill(from, to)
    expect([first.code, first.stderr]).toEqual([0, ''])
    expect(first.json).toMatchObject({
      chain: 'base',
      from,
      to,
      isComplete: true,
      transfersFound: 1,
      invoicesChanged: 1,
    })
    expect(await statusOf(invoice.id)).toBe('SETTLED')
    expect((await backfill(from, to)).json).toMatchObject({
      isComplete: true,
      transfersFound: 0,
      invoicesChanged: 0,
    })
    expect(await app.database.sql`select chain from cursors`).toHaveLength(0)
    const range = ['--from', `${from}`, '--to', `${to}`]
    const { text } = await quittance(env, 'backfill', 'base', ...range)
    expect(text).toStartWith(`base: read blocks ${from} to ${to}, 0 new transfer(s)`)
  })
})

describe('a range that reaches into what is not confirmed', () => {
  test('is read as far as it is confirmed, and the same command goes on from there', async () => {
    const from = (await head()) + 1
    const early = await anInvoice(4)
    await pay(4, early)
    await node.mine(10)
    const late = await anInvoice(5)
    await pay(5, late)
    const to = await head()
    const first = await backfill(from, to)
    expect(first.code).toBe(1)
    expect(first.json).toMatchObject({ isComplete: false, nextBlock: to - 1 })
    expect(await statusOf(early.id)).toBe('SETTLED')
    await node.mine(10)
    const second = await backfill(from, to)
    expect([second.code, second.json.isComplete]).toEqual([0, true])
    expect(await statusOf(late.id)).toBe('SETTLED')
  })
})

test('a range that ends where the chain will be one day is read as far as the chain goes, though that goes on', async () => {
  const from = await head()
  await node.mine(5)
  const growth = setInterval(() => node.mine(1), 100)
  const { code, json } = await backfill(from, 10 ** 9)
  clearInterval(growth)
  expect([code, json.isComplete]).toEqual([1, false])
  expect(json.nextBlock).toBeGreaterThan(from)
}, 30_000)

test('a range of which nothing is confirmed yet is said to be that', async () => {
  const from = (await head()) + 1_000
  const range = ['--from', `${from}`, '--to', `${from + 9}`]
  const { code, text } = await quittance(env, 'backfill', 'base', ...range)
  expect(code).toBe(1)
  expect(text).toStartWith(`base: none of the blocks ${from} to ${from + 9} is confirmed yet`)
}, 30_000)

test('one that was given up days ago begins anew', async () => {
  const invoice = await anInvoice(7)
  const from = await head()
  await pay(7, invoice)
  await node.mine(5)
  const to = await head()
  await node.mine(20)
  await app.database.sql`
    insert into cursors (chain, next_block, checkpoints, version, updated_at)
    values (${`backfill base ${from} ${to}`}, ${to}, '[]', 1, now() - interval '2 days')`
  expect((await backfill(from, to)).json).toMatchObject({ isComplete: true })
  expect(await statusOf(invoice.id)).toBe('SETTLED')
}, 30_000)

test('one that was killed goes on where it was', async () => {
  const invoice = await anInvoice(6)
  await node.mine(1_200)
  await pay(6, invoice)
  const to = await head()
  await node.mine(10)
  const from = to - 1_100
  const words = ['backfill', 'base', '--from', `${from}`, '--to', `${to}`]
  const provider = startRpcRelay(node.url)
  // The node answers four queries of 250 blocks, and falls silent at the next one.
  let asked = 0
  provider.misbehave(async (request, forward) => {
    const isLogs = request.some(({ method }) => method === 'eth_getLogs')
    if (isLogs && ++asked > 4) return silence()(request, forward)
    return Response.json(await forward(request))
  })
  const child = startQuittance(
    { ...env, BASE_RPC_URL: provider.url, BASE_MAX_RANGE_BLOCKS: '250' },
    ...words,
  )
  const cursor = () => loadCursor(app.database.sql, `backfill base ${from} ${to}`)
  await eventually(async () => ((await cursor())?.nextBlock ?? from) > from, 20_000)
  child.kill('SIGKILL')
  await child.exited
  await provider.stop()
  expect((await cursor())?.nextBlock).toBe(from + 1_000)
  const { code, json } = await quittance(env, ...words, '--json')
  expect([code, json.isComplete]).toEqual([0, true])
  expect(await statusOf(invoice.id)).toBe('SETTLED')
}, 60_000)

test('1 and which node is out of reach', async () => {
  const words = ['backfill', 'base', '--from', '1', '--to', '2']
  const { code, stderr } = await quittance({ ...env, BASE_RPC_URL: 'http://127.0.0.1:1' }, ...words)
  expect(code).toBe(1)
  expect(stderr).toContain('127.0.0.1:1')
})

test('1 for a chain without a node, 2 for one that is none and for an empty range', async () => {
  const range = ['--from', '9', '--to', '10']
  const unwatched = await quittance(env, 'backfill', 'polygon', ...range)
  expect([unwatched.code, unwatched.stderr]).toEqual([
    1,
    'POLYGON_RPC_URL is not set: there is no node to read\n',
  ])
  expect((await quittance(env, 'backfill', 'dogecoin', ...range)).code).toBe(2)
  expect((await quittance(env, 'backfill', 'base', '--from', '9', '--to', '8')).code).toBe(2)
})
