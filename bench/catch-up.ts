/**
 * How fast does the watcher catch up after an outage? `bun bench/catch-up.ts [payments]` lets a
 * real node make six hours of Base (10,800 blocks with 500 payments) while the service is cut off
 * from it. Then the blocks are read in two ways:
 *
 * - (a) bare: one `eth_getLogs` after the other, over 1,000 blocks each;
 * - (b) by the watcher: in parallel ranges, with references read, payments matched, settled and
 *   committed (to a test database, without fsync).
 *
 * Each runs once against a node that answers at once, and once against one 50 ms away, as providers
 * are. The watcher then runs alone against a node that refuses ranges of more than 10 blocks.
 * Prints blocks per second, and the ratio. The node takes a minute or two to make its blocks.
 */
import { createCatchUp } from '../src/queues/watching/catch-up.ts'
import { startWatchStand, type WatchStand, wallet } from '../test/queues/watching/stand.ts'
import { transferCall } from '../test/support/evm-node.ts'
import { refusingRanges } from '../test/support/rpc-faults.ts'
import type { Fault } from '../test/support/rpc-relay.ts'
import { report } from './results.ts'

const payments = Number(process.argv[2] ?? 500)
/** Of every five payments, two are followed by 21 blocks and three by 22. */
const blocks = Math.floor(payments * 21.6)
const rangeBlocks = 1_000
const leastUsdcBase = 1_000_000n
const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

const atOnce: Fault = async (request, forward) => Response.json(await forward(request))
const far: Fault = async (request, forward) => {
  await Bun.sleep(50)
  return Response.json(await forward(request))
}
const tight = refusingRanges(10, -32600, 'eth_getLogs requests with up to a 10 block range')

const stand = await startWatchStand()
try {
  const from = Number(await stand.node.rpc('eth_blockNumber')) + 1
  await openInvoices(stand)
  // Sets the watcher's cursor to the block at which the outage starts.
  await stand.watcher({ confirmations: 5, maxRangeBlocks: rangeBlocks }).step()
  await sixHours(stand)
  console.log('node                 bare blocks/s  watched blocks/s   ratio   seconds   settled')
  for (const [name, behaviour] of [
    ['answers at once', atOnce],
    ['50 ms away', far],
    ['at most 10 blocks', tight],
  ] as const) {
    stand.relay.misbehave(behaviour)
    const bareSeconds = behaviour === tight ? null : await bare(stand, from)
    const seconds = await watched(stand)
    const { settled } = await stand.standing()
    const columns = [
      name.padEnd(18),
      (bareSeconds === null ? '-' : (blocks / bareSeconds).toFixed(0)).padStart(15),
      (blocks / seconds).toFixed(0).padStart(17),
      (bareSeconds === null ? '-' : (bareSeconds / seconds).toFixed(2)).padStart(7),
      seconds.toFixed(1).padStart(9),
      String(settled).padStart(9),
    ]
    console.log(columns.join(' '))
    if (bareSeconds !== null) {
      report({
        [`catching up, node ${name}: over reading bare`]: (bareSeconds / seconds).toFixed(2),
      })
    }
    await backToTheOutage(stand, from)
  }
} finally {
  await stand.stop()
}
process.exit()

async function openInvoices({ openInvoice }: WatchStand): Promise<void> {
  for (let n = 0; n < payments; n++) {
    await openInvoice({ dueUsdcBase: leastUsdcBase + BigInt(n) }, 3_600_000)
  }
}

async function sixHours({ node }: WatchStand): Promise<void> {
  const from = node.wallet(1).address
  await node.rpc('anvil_autoImpersonateAccount', [true])
  await node.rpc('evm_setAutomine', [false])
  for (let n = 0; n < payments; n++) {
    const data = transferCall({ to: wallet, usdcBase: leastUsdcBase + BigInt(n) })
    await node.submit({ from, to: node.usdc, data })
    await node.mine(n % 5 < 2 ? 21 : 22)
  }
}

async function bare({ node, relay }: WatchStand, from: number): Promise<number> {
  const topics = [transferTopic, null, [`0x${wallet.slice(2).padStart(64, '0')}`]]
  const started = performance.now()
  for (let start = from; start < from + blocks; start += rangeBlocks) {
    const [fromBlock, toBlock] = [start, Math.min(start + rangeBlocks, from + blocks) - 1]
    const filter = {
      fromBlock: `0x${fromBlock.toString(16)}`,
      toBlock: `0x${toBlock.toString(16)}`,
      address: node.usdc,
      topics,
    }
    const call = { jsonrpc: '2.0', id: 1, method: 'eth_getLogs', params: [filter] }
    const init = { method: 'POST', body: JSON.stringify([call]) }
    await (await fetch(relay.url, init)).json()
  }
  return (performance.now() - started) / 1_000
}

async function watched({ watcher }: WatchStand): Promise<number> {
  const started = performance.now()
  const log = { info() {} }
  const steadyMs = () => performance.now()
  const watch = watcher({ confirmations: 5, maxRangeBlocks: rangeBlocks })
  await createCatchUp(watch, { network: 'base', log, steadyMs })()
  return (performance.now() - started) / 1_000
}

/** Deletes what was read, so that the outage can be read again. */
async function backToTheOutage({ database: { sql } }: WatchStand, from: number): Promise<void> {
  await sql`truncate transfers, receipts cascade`
  await sql`truncate invoices cascade`
  await openInvoices(stand)
  await sql`update cursors set next_block = ${from}, checkpoints = '[]'`
}
