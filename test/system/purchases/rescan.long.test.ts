import { expect, test } from 'bun:test'
import type { App } from '../../../src/app.ts'
import { useUpstream } from '../../support/bought.ts'
import { behindAt } from '../../support/lagging-node.ts'
import { findingNothing, withoutLogs } from '../../support/rpc-faults.ts'
import type { Fault } from '../../support/rpc-relay.ts'
import { eventually } from '../../support/wait.ts'

const waitMs = 30_000
const { app, node, relay, startHere, buy, becomes, statusOf } = useUpstream({
  relayed: true,
  env: { ROLE: 'http', BASE_CONFIRMATIONS: '1' },
})

/** Starts a worker. A new one reads some blocks again. */
function startWorker(rpcUrls = relay.url): Promise<App> {
  return startHere({ ROLE: 'worker', BASE_RPC_URL: rpcUrls })
}

async function settledPurchase(): Promise<string> {
  const worker = await startWorker()
  const { id } = await buy()
  await becomes(id, 'settled')
  await worker.drain()
  return id
}

async function settlementsOf(id: string): Promise<string[]> {
  const rows = await app.database.sql<{ type: string }[]>`
    select type from trail_steps where subject_id = ${id} order by sequence`
  return rows.map(({ type }) => type).filter((type) => type.startsWith('settlement.'))
}

/** Two nodes behind one address: requests for receipts reach one that is `blocks` behind. */
function receiptsBehind(blocks: number): Fault {
  return async (request, forward) => {
    if (request.every(({ method }) => method !== 'eth_getTransactionReceipt'))
      return Response.json(await forward(request))
    const head = Number(await node.rpc('eth_blockNumber'))
    return behindAt(head - blocks)(request, forward)
  }
}

/** Has a new worker read blocks again, with this fault until it has asked for a transaction. */
async function rescanned(fault: Fault, rpcUrls?: string): Promise<void> {
  await node.mine(1)
  relay.misbehave(fault)
  const before = relay.requests.length
  const worker = await startWorker(rpcUrls)
  const asked = () => relay.requests.slice(before).flat()
  await eventually(() => asked().includes('eth_getTransactionReceipt'), waitMs)
  relay.behave()
  await node.mine(1)
  const head = Number(await node.rpc('eth_blockNumber'))
  await eventually(async () => {
    const [cursor] = await app.database.sql`select next_block from cursors where chain = 'base'`
    return cursor?.next_block > head
  }, waitMs)
  await worker.drain()
}

test.each<[string, Fault]>([
  ['has not come to its block', receiptsBehind(2)],
  ['has its block and not yet its receipts', findingNothing(['eth_getTransactionReceipt'])],
])(
  'a settled purchase stays settled while a node that %s does not know its transaction',
  async (_, fault) => {
    const id = await settledPurchase()
    await rescanned(fault)
    expect(await settlementsOf(id)).toEqual(['settlement.confirmed'])
    expect(await statusOf(id)).toBe('settled')
  },
)

test('a settled purchase stays settled while one of two nodes shows its transaction without what it pays', async () => {
  const id = await settledPurchase()
  await rescanned(withoutLogs(), `${relay.url},${node.url}`)
  expect(await settlementsOf(id)).toEqual(['settlement.confirmed'])
  expect(await statusOf(id)).toBe('settled')
})
