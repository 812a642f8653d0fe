import { expect, test } from 'bun:test'
import { loadCursor } from '../../src/storage/settlement/cursors.ts'
import { createdInvoice } from '../support/app.ts'
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

/** Creates an invoice and pays it; answers its id. */
async function paid(amount: number): Promise<string> {
  const { id, paymentDetails } = await createdInvoice(app, { amount })
  const [from, to] = [node.wallet(1).address, node.wallet(2).address]
  const { reference } = paymentDetails
  await node.transfer({ from, to, usdcBase: BigInt(amount) * 1_000_000n, reference })
  return id
}

const head = async () => Number(await node.rpc('eth_blockNumber'))
const statusOf = async (id: string) =>
  (await app.send('GET', `/v1/invoices/${id}`)).json.data.status
const wordsOf = (from: number, to: number, chain = 'base') =>
  ['backfill', chain, '--from', `${from}`, '--to', `${to}`] as const
const backfill = (from: number, to: number) => quittance(env, ...wordsOf(from, to), '--json')

test('a confirmed range settles what was paid in it; reading it again finds nothing new', async () => {
  const from = await head()
  const id = await paid(3)
  const to = await head()
  await node.mine(20)
  const found = { transfersFound: 1, invoicesChanged: 1 }
  expect(await backfill(from, to)).toMatchObject({
    code: 0,
    stderr: '',
    json: { chain: 'base', from, to, isComplete: true, ...found },
  })
  expect(await statusOf(id)).toBe('SETTLED')
  expect((await backfill(from, to)).json).toMatchObject({
    isComplete: true,
    transfersFound: 0,
    invoicesChanged: 0,
  })
  expect(await app.database.sql`select chain from cursors`).toHaveLength(0)
  const { text } = await quittance(env, ...wordsOf(from, to))
  expect(text).toStartWith(`base: read blocks ${from} to ${to}, 0 new transfer(s)`)
})

test('a range is read as far as it is confirmed, and the same command continues from there', async () => {
  const from = (await head()) + 1
  const early = await paid(4)
  await node.mine(10)
  const late = await paid(5)
  const to = await head()
  expect(await backfill(from, to)).toMatchObject({
    code: 1,
    json: { isComplete: false, nextBlock: to - 1 },
  })
  expect(await statusOf(early)).toBe('SETTLED')
  await node.mine(10)
  expect(await backfill(from, to)).toMatchObject({ code: 0, json: { isComplete: true } })
  expect(await statusOf(late)).toBe('SETTLED')
})

test('a range that ends in the future is read up to the head, even while the chain grows', async () => {
  const from = await head()
  await node.mine(5)
  const growth = setInterval(() => node.mine(1), 100)
  const { code, json } = await backfill(from, 10 ** 9)
  clearInterval(growth)
  expect([code, json.isComplete]).toEqual([1, false])
  expect(json.nextBlock).toBeGreaterThan(from)
})

test('1 and a sentence for a range of which nothing is confirmed yet', async () => {
  const from = (await head()) + 1_000
  const { code, text } = await quittance(env, ...wordsOf(from, from + 9))
  expect(code).toBe(1)
  expect(text).toStartWith(`base: none of the blocks ${from} to ${from + 9} is confirmed yet`)
})

test('a run that was interrupted days ago starts again', async () => {
  const from = await head()
  const id = await paid(7)
  await node.mine(5)
  const to = await head()
  await node.mine(20)
  await app.database.sql`
    insert into cursors (chain, next_block, checkpoints, version, updated_at)
    values (${`backfill base ${from} ${to}`}, ${to}, '[]', 1, now() - interval '2 days')`
  expect((await backfill(from, to)).json).toMatchObject({ isComplete: true })
  expect(await statusOf(id)).toBe('SETTLED')
})

test('a killed run resumes where it was', async () => {
  await node.mine(1_200)
  const id = await paid(6)
  const to = await head()
  await node.mine(10)
  const from = to - 1_100
  const provider = startRpcRelay(node.url)
  // The node answers four queries of 250 blocks, and falls silent at the next one.
  let asked = 0
  provider.misbehave(async (request, forward) => {
    const isLogs = request.some(({ method }) => method === 'eth_getLogs')
    if (isLogs && ++asked > 4) return silence()(request, forward)
    return Response.json(await forward(request))
  })
  const slow = { ...env, BASE_RPC_URL: provider.url, BASE_MAX_RANGE_BLOCKS: '250' }
  const child = startQuittance(slow, ...wordsOf(from, to))
  const cursor = () => loadCursor(app.database.sql, `backfill base ${from} ${to}`)
  await eventually(async () => ((await cursor())?.nextBlock ?? from) > from)
  child.kill('SIGKILL')
  await child.exited
  await provider.stop()
  expect((await cursor())?.nextBlock).toBe(from + 1_000)
  expect(await backfill(from, to)).toMatchObject({ code: 0, json: { isComplete: true } })
  expect(await statusOf(id)).toBe('SETTLED')
})

test('1 and the node that cannot be reached', async () => {
  const away = { ...env, BASE_RPC_URL: 'http://127.0.0.1:1' }
  const { code, stderr } = await quittance(away, ...wordsOf(1, 2))
  expect([code, stderr]).toEqual([1, expect.stringContaining('127.0.0.1:1')])
})

test('1 for a chain without a node, 2 for an unknown chain or an empty range', async () => {
  expect(await quittance(env, ...wordsOf(9, 10, 'polygon'))).toMatchObject({
    code: 1,
    stderr: 'POLYGON_RPC_URL is not set: there is no node to read\n',
  })
  for (const words of [wordsOf(9, 10, 'dogecoin'), wordsOf(9, 8)])
    expect((await quittance(env, ...words)).code).toBe(2)
})
