import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createCatchUp } from '../../../src/queues/watching/catch-up.ts'
import type { Watcher } from '../../../src/queues/watching/watch.ts'
import { transferCall } from '../../support/evm-node.ts'
import { behindAt } from '../../support/lagging-node.ts'
import {
  answeredElsewhere,
  findingNothing,
  refusal,
  refusingRanges,
  saying,
} from '../../support/rpc-faults.ts'
import { startRpcRelay } from '../../support/rpc-relay.ts'
import { startWatchStand, type WatchStand, wallet } from './stand.ts'

/**
 * The watcher of one chain behind a failing provider: every payment settles once, whatever the
 * provider does.
 */

const leastUsdcBase = 1_000_000n

let stand: WatchStand

beforeEach(async () => {
  stand = await startWatchStand()
})
afterEach(() => stand.stop())

/** Opens invoices over rising amounts, dated an hour ago. */
async function openInvoices(count: number): Promise<void> {
  const amounts = Array.from({ length: count }, (_, n) => leastUsdcBase + BigInt(n))
  await Promise.all(amounts.map((dueUsdcBase) => stand.openInvoice({ dueUsdcBase }, 3_600_000)))
}

function pay(nth: number) {
  const { node } = stand
  const usdcBase = leastUsdcBase + BigInt(nth)
  return node.transfer({ from: node.wallet(1).address, to: wallet, usdcBase })
}

function paymentCall(nth: number) {
  const { usdc, wallet: walletOf } = stand.node
  const data = transferCall({ to: wallet, usdcBase: leastUsdcBase + BigInt(nth) })
  const from = walletOf(1).address
  return { method: 'eth_sendTransaction', params: [{ from, to: usdc, gas: '0x30000', data }] }
}

const eachOnce = (count: number) => ({
  settled: count,
  receipts: count,
  events: count,
  transfers: count,
})

describe('a provider that refuses ranges', () => {
  test('of more than ten blocks is read to the head within one go, and every payment settles once', async () => {
    await openInvoices(5)
    const watch = stand.watcher({ maxRangeBlocks: 1_000 })
    await watch.step()
    for (let n = 0; n < 5; n++) {
      await pay(n)
      await stand.node.mine(100)
    }
    stand.relay.misbehave(
      refusingRanges(
        10,
        -32600,
        'Under the Free tier plan, you can make eth_getLogs requests with up to a 10 block range.',
      ),
    )
    while ((await watch.step()).isAdvancing);
    expect(await stand.standing()).toEqual(eachOnce(5))
  })
})

describe('a node that leaves out what it has not indexed yet', () => {
  test('is asked again for it before the block counts as confirmed', async () => {
    await openInvoices(1)
    const watch = stand.watcher()
    await watch.step()
    await pay(0)
    stand.relay.misbehave(findingNothing(['eth_getLogs'], []))
    await watch.step()
    stand.relay.behave()
    await stand.node.mine(3)
    await watch.step()
    expect(await stand.standing()).toEqual(eachOnce(1))
  })

  /** A watcher behind whose cursor a node left out a payment; half a minute has passed since. */
  async function overlooked(isRefused = () => false) {
    await openInvoices(1)
    const watch = stand.watcher({
      confirmations: 1,
      instead: (store) => ({
        commit: async (step) => !isRefused() && store.commit(step),
      }),
    })
    await watch.step()
    await pay(0)
    stand.relay.misbehave(findingNothing(['eth_getLogs'], []))
    await watch.step()
    stand.relay.behave()
    await stand.node.mine(20)
    await watch.step()
    expect(await stand.standing()).toEqual(eachOnce(0))
    stand.wait(30_000)
    await stand.node.mine(1)
    return watch
  }

  test('for so long that the block has been passed is asked again within half a minute', async () => {
    const watch = await overlooked()
    await watch.step()
    expect(await stand.standing()).toEqual(eachOnce(1))
  })

  test('is asked again within half a minute, though the clock of the worker was an hour ahead until then', async () => {
    stand.setClock(3_600_000)
    const watch = await overlooked()
    stand.setClock(0)
    await watch.step()
    expect(await stand.standing()).toEqual(eachOnce(1))
  })

  test.each([
    ['in the first blocks that are ever read', async () => {}],
    [
      'in blocks that replaced all that were read',
      async (watch: Watcher) => {
        await stand.node.mine(3)
        await watch.step()
        await stand.node.reorg(3)
      },
    ],
  ] as const)('%s is asked again within half a minute', async (_, before) => {
    await openInvoices(1)
    const watch = stand.watcher({ confirmations: 1 })
    await before(watch)
    await pay(0)
    await stand.node.mine(4)
    stand.relay.misbehave(findingNothing(['eth_getLogs'], []))
    await watch.step()
    stand.relay.behave()
    stand.wait(30_000)
    await stand.node.mine(1)
    await watch.step()
    expect(await stand.standing()).toEqual(eachOnce(1))
  })

  test('is asked again soon if another worker was faster than the commit of that', async () => {
    let isRefused = false
    const watch = await overlooked(() => isRefused)
    isRefused = true
    await watch.step()
    isRefused = false
    stand.wait(2_000)
    await watch.step()
    expect(await stand.standing()).toEqual(eachOnce(1))
  })

  test('is asked again soon if it failed at that, but reads on meanwhile', async () => {
    const watch = await overlooked()
    stand.relay.misbehave(async (request, forward) => {
      const isLogs = request.some(({ method }) => method === 'eth_getLogs')
      return isLogs ? new Response('', { status: 503 }) : Response.json(await forward(request))
    })
    for (let failures = 0; failures < 2; failures++) {
      stand.wait(2_000)
      await expect(watch.step()).rejects.toMatchObject({ fault: 'unreachable' })
    }
    stand.relay.behave()
    const { headBlock } = await watch.step()
    expect(await watch.step()).toMatchObject({ fromBlock: headBlock + 1 })
    expect(await stand.standing()).toEqual(eachOnce(0))
    stand.wait(5_000)
    await stand.node.mine(1)
    await watch.step()
    expect(await stand.standing()).toEqual(eachOnce(1))
  })

  test('and breaks off when asked again for old blocks is heard, and asked again soon', async () => {
    await openInvoices(1)
    const watch = stand.watcher({ confirmations: 1, maxRangeBlocks: 5 })
    await watch.step()
    await stand.node.mine(40)
    while ((await watch.step()).isAdvancing);
    stand.wait(30_000)
    await pay(0)
    let asked = 0
    stand.relay.misbehave(async (request, forward) => {
      const isLogs = request.some(({ method }) => method === 'eth_getLogs')
      return isLogs && ++asked === 3
        ? new Response('', { status: 503 })
        : Response.json(await forward(request))
    })
    await expect(watch.step()).rejects.toMatchObject({ fault: 'unreachable' })
    stand.relay.behave()
    stand.wait(2_000)
    await watch.step()
    expect(await stand.standing()).toEqual(eachOnce(1))
  })

  test('never takes back what is on record', async () => {
    await openInvoices(1)
    const watch = stand.watcher({ confirmations: 1 })
    await watch.step()
    await pay(0)
    await watch.step()
    stand.relay.misbehave(findingNothing(['eth_getLogs'], []))
    stand.wait(30_000)
    await stand.node.mine(1)
    await expect(watch.step()).rejects.toMatchObject({ fault: 'invalid_answer' })
    await stand.node.mine(1)
    await watch.step()
    expect(await stand.standing()).toEqual(eachOnce(1))
  })
})

describe('a node that lags', () => {
  test('while another one tells the head: the cursor never passes what it has not shown', async () => {
    await openInvoices(30)
    const lagging = startRpcRelay(stand.node.url)
    const head = Number(await stand.node.rpc('eth_blockNumber'))
    stand.relay.misbehave(answeredElsewhere(['eth_getLogs'], lagging.url))
    const watch = stand.watcher({ confirmations: 1 })
    for (let n = 0; n < 30; n++) {
      lagging.misbehave(behindAt(Math.max(head, head + n - 20)))
      await pay(n)
      await watch.step()
    }
    lagging.behave()
    stand.wait(30_000)
    await stand.node.mine(1)
    await watch.step()
    expect(await stand.standing()).toEqual(eachOnce(30))
    await lagging.stop()
  })

  test('behind the cursor waits for it, and settles nothing twice', async () => {
    await openInvoices(2)
    const watch = stand.watcher({ confirmations: 1 })
    await watch.step()
    await pay(0)
    await watch.step()
    const behind = Number(await stand.node.rpc('eth_blockNumber')) - 1
    await pay(1)
    stand.relay.misbehave(behindAt(behind))
    await watch.step().catch(() => {})
    expect(await stand.standing()).toEqual(eachOnce(1))
    stand.relay.behave()
    await watch.step()
    expect(await stand.standing()).toEqual(eachOnce(2))
  })
})

/**
 * More than an hour of Base, read with a fifth of the usual range, because anvil gets ever slower.
 * `bench/catch-up.ts` has six hours.
 */
test('after an outage each of 200 payments in 2,100 blocks settles once, and the log tells how far it is', async () => {
  await openInvoices(200)
  const watch = stand.watcher({ confirmations: 5, maxRangeBlocks: 200 })
  await watch.step()
  stand.relay.misbehave(saying('', { status: 503 }))
  await expect(watch.step()).rejects.toMatchObject({ fault: 'unreachable' })
  await stand.node.rpc('anvil_autoImpersonateAccount', [true])
  await stand.node.rpc('evm_setAutomine', [false])
  for (let block = 0; block < 100; block++) {
    await stand.node.batch([2 * block, 2 * block + 1].map(paymentCall))
    await stand.node.mine(21)
  }
  // Once the node is back, it refuses ranges that are too long, and fails some requests at random.
  let asked = 0
  const limited = refusingRanges(140, -32614, 'eth_getLogs is limited to a 140 range')
  const confused = refusal(-32000, 'header not found')
  stand.relay.misbehave((request, forward) =>
    ++asked % 15 === 0 ? confused(request, forward) : limited(request, forward),
  )
  const lines: Record<string, unknown>[] = []
  const log = {
    info: (line: object, message: string) => void lines.push({ ...line, message }),
  }
  const steadyMs = () => performance.now()
  const catchUp = createCatchUp(watch, { network: 'base', log, steadyMs })
  let goes = 0
  for (let isDone = false; !isDone && goes < 50; goes++) {
    isDone = await catchUp().then(
      () => true,
      () => false,
    )
  }
  expect(await stand.standing()).toEqual(eachOnce(200))
  const [first, last] = [lines[0], lines.at(-1)]
  expect(first).toMatchObject({ network: 'base', message: 'catching up' })
  expect(first?.percent).toBeWithin(1, 100)
  expect(last).toMatchObject({ network: 'base', message: 'caught up', blocks: expect.any(Number) })
}, 120_000)

describe('what was settled in blocks that are read again', () => {
  let from: number[]
  const refused = async (block: number) => {
    from.push(block)
    throw new Error('canceling statement due to statement timeout')
  }

  beforeEach(() => {
    from = []
  })

  test('and cannot be looked at does not keep the blocks from being read', async () => {
    await openInvoices(1)
    const watch = stand.watcher({ confirmations: 1, onReread: refused })
    await watch.step()
    await stand.node.mine(3)
    await watch.step()
    stand.wait(30_000)
    await pay(0)
    await watch.step()
    expect(from).toHaveLength(1)
    expect(await stand.standing()).toEqual(eachOnce(1))
  })

  test('after a reorganisation is looked at before anything else is read', async () => {
    const watch = stand.watcher({ confirmations: 1, onReread: refused })
    await watch.step()
    await stand.node.mine(3)
    await watch.step()
    await stand.node.reorg(2)
    await stand.node.mine(3)
    await expect(watch.step()).rejects.toThrow('statement timeout')
    await expect(watch.step()).rejects.toThrow('statement timeout')
    expect(from).toHaveLength(2)
  })
})
