import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import {
  type Answer,
  type Block,
  type BlockRange,
  type Chain,
  ChainError,
  OutOfTime,
  type Transfer,
} from '../../../src/chain/chain.ts'
import { evmChain } from '../../../src/chain/evm/evm.ts'
import { createCatchUp, notingProgress } from '../../../src/queues/watching/catch-up.ts'
import type { Watcher } from '../../../src/queues/watching/watch.ts'
import { transferCall } from '../../support/evm-node.ts'
import { behindAt } from '../../support/lagging-node.ts'
import {
  answeredElsewhere,
  errorOf,
  findingNothing,
  perCall,
  refusal,
  refusingMoreThan,
  refusingRanges,
  saying,
} from '../../support/rpc-faults.ts'
import { type RpcRequest, startRpcRelay } from '../../support/rpc-relay.ts'
import { eventually } from '../../support/wait.ts'
import { baseBy } from '../../support/watcher.ts'
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

/** A watcher of five payments it has not read, with so many blocks after each. */
async function paidApart(blocks: number): Promise<Watcher> {
  await openInvoices(5)
  const watch = stand.watcher({ maxRangeBlocks: 1_000 })
  await watch.step()
  for (let n = 0; n < 5; n++) {
    await pay(n)
    await stand.node.mine(blocks)
  }
  return watch
}

const isOfLogs = (request: RpcRequest) => request.some(({ method }) => method === 'eth_getLogs')
const leaveOutLogs = () => stand.relay.misbehave(findingNothing(['eth_getLogs'], []))

const eachOnce = (count: number) => ({
  settled: count,
  receipts: count,
  events: count,
  transfers: count,
})

test('payments of blocks that nobody read are settled by a provider that takes fewer calls a second than they need', async () => {
  const count = 24
  await openInvoices(count)
  const watcher = stand.watcher({ confirmations: 1 })
  await watcher.step()
  for (let nth = 0; nth < count; nth++) await pay(nth)
  stand.relay.misbehave(refusingMoreThan(8))
  await eventually(async () => {
    await watcher.step().catch(() => {})
    return (await stand.standing()).settled === count
  }, 100_000)
  expect(await stand.standing()).toMatchObject(eachOnce(count))
})

test('a provider that refuses more than ten blocks is read to the head within one go, and every payment settles once', async () => {
  const watch = await paidApart(100)
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

test('a lone node that runs out of time over more than ten blocks is asked for ever fewer, and every payment settles once', async () => {
  const watch = await paidApart(20)
  stand.relay.misbehave(refusingRanges(10, -32002, 'request timed out'))
  const faults: string[] = []
  for (let isAdvancing = true; isAdvancing && faults.length < 20; ) {
    isAdvancing = await watch.step().then(
      (stepped) => stepped.isAdvancing,
      ({ fault }) => faults.push(fault) > 0,
    )
  }
  expect(new Set(faults)).toEqual(new Set(['unreachable']))
  expect(await stand.standing()).toEqual(eachOnce(5))
})

describe('a node that leaves out what it has not indexed yet', () => {
  test('is asked again for it before the block counts as confirmed', async () => {
    await openInvoices(1)
    const watch = stand.watcher()
    await watch.step()
    await pay(0)
    leaveOutLogs()
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
      during: { commit: () => isRefused() && stand.otherIsFaster() },
    })
    await watch.step()
    await pay(0)
    leaveOutLogs()
    await watch.step()
    stand.relay.behave()
    await stand.node.mine(20)
    await watch.step()
    expect(await stand.standing()).toEqual(eachOnce(0))
    stand.wait(30_000)
    await stand.node.mine(1)
    return watch
  }

  test.each([
    ['', 0],
    [', though the clock of the worker was an hour ahead until then', 3_600_000],
  ])(
    'for so long that the block has been passed is asked again within half a minute%s',
    async (_, aheadMs) => {
      stand.setClock(aheadMs)
      const watch = await overlooked()
      stand.setClock(0)
      await watch.step()
      expect(await stand.standing()).toEqual(eachOnce(1))
    },
  )

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
    leaveOutLogs()
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
      return isOfLogs(request)
        ? new Response('', { status: 503 })
        : Response.json(await forward(request))
    })
    for (let failures = 0; failures < 2; failures++) {
      stand.wait(2_000)
      await expect(watch.step()).rejects.toMatchObject({ fault: 'unreachable' })
    }
    stand.relay.behave()
    const { head } = await watch.step()
    expect(await watch.step()).toMatchObject({ fromBlock: head.number + 1 })
    expect(await stand.standing()).toEqual(eachOnce(0))
    stand.wait(5_000)
    await stand.node.mine(1)
    await watch.step()
    expect(await stand.standing()).toEqual(eachOnce(1))
  })

  test('is not asked again at once if it took longer to fail at that than the pause is', async () => {
    const watch = await overlooked()
    stand.relay.misbehave(async (request, forward) => {
      if (!isOfLogs(request)) return Response.json(await forward(request))
      stand.wait(40_000)
      return new Response('', { status: 503 })
    })
    stand.wait(2_000)
    await expect(watch.step()).rejects.toMatchObject({ fault: 'unreachable' })
    stand.relay.behave()
    await watch.step()
    expect(await stand.standing()).toEqual(eachOnce(0))
    stand.wait(5_000)
    await stand.node.mine(1)
    await watch.step()
    expect(await stand.standing()).toEqual(eachOnce(1))
  })

  test('and fails at old blocks each time keeps neither purchases nor overdue invoices waiting', async () => {
    const { node, relay, database } = stand
    const watch = notingProgress(stand.watcher({ confirmations: 1 }), {
      sql: database.sql,
      network: 'base',
      steadyMs: () => performance.now(),
    })
    let followed = 0
    const turn = createCatchUp(watch, {
      network: 'base',
      log: { info() {} },
      steadyMs: () => performance.now(),
      onCaughtUp: async () => void followed++,
    })
    const noted = async () => ({ ...(await database.sql`select * from chain_watches`)[0] })
    await turn()
    const before = await noted()
    followed = 0
    for (let turns = 1; turns <= 3; turns++) {
      stand.wait(60_000)
      await node.mine(1)
      const newest = Number(await node.rpc('eth_blockNumber'))
      relay.misbehave(
        perCall((call, ask) => {
          const [filter] = call.params as [{ fromBlock: string }]
          const isOld = call.method === 'eth_getLogs' && Number(filter.fromBlock) < newest
          return isOld ? errorOf(call.id, -32000, 'header not found') : ask(call)
        }),
      )
      await expect(turn()).rejects.toBeInstanceOf(ChainError)
      expect(followed).toBe(turns)
    }
    const after = await noted()
    expect(after).toMatchObject({ fault: expect.any(String), polled_at: before.polled_at })
    expect(Number(after.caught_up_at)).toBeGreaterThan(Number(before.caught_up_at))
    expect(Number(after.head_number)).toBeGreaterThan(Number(before.head_number))
  })

  test('and fails half-way through a rescan reports the failure, and is asked again soon', async () => {
    await openInvoices(1)
    const watch = stand.watcher({ confirmations: 1, maxRangeBlocks: 5 })
    await watch.step()
    await stand.node.mine(40)
    while ((await watch.step()).isAdvancing);
    stand.wait(30_000)
    await pay(0)
    let asked = 0
    stand.relay.misbehave(async (request, forward) => {
      return isOfLogs(request) && ++asked === 3
        ? new Response('', { status: 503 })
        : Response.json(await forward(request))
    })
    expect(await watch.step()).toMatchObject({ failure: { fault: 'unreachable' } })
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
    leaveOutLogs()
    stand.wait(30_000)
    await stand.node.mine(1)
    expect(await watch.step()).toMatchObject({ failure: { fault: 'invalid_answer' } })
    await stand.node.mine(1)
    await watch.step()
    expect(await stand.standing()).toEqual(eachOnce(1))
  })
})

describe('a first node whose index of logs stands still', () => {
  let heard: string[]
  let watch: Watcher

  beforeEach(async () => {
    const { node, relay } = stand
    heard = []
    await openInvoices(1)
    const chain = evmChain({
      network: 'base',
      chainId: 8453,
      rpcUrls: [relay.url, node.url],
      usdc: node.usdc,
      onNode: ({ host, fault }) => heard.push(`${host} ${fault}`),
    })
    watch = stand.watcher({ chain })
    await watch.step()
  })

  test('loses no payment that is on record, and is named once it leaves out what two have shown', async () => {
    await pay(0)
    await watch.step()
    leaveOutLogs()
    await stand.node.mine(3)
    await watch.step()
    expect(await stand.standing()).toEqual(eachOnce(1))
    expect(heard).toEqual([])
    for (let rescans = 0; rescans < 2; rescans++) {
      stand.wait(30_000)
      await watch.step()
    }
    expect(heard).toContain(`${new URL(stand.relay.url).host} invalid_answer`)
    expect(await stand.standing()).toEqual(eachOnce(1))
  })

  test('loses no payment that the next one has: blocks are read again there within a minute', async () => {
    leaveOutLogs()
    await pay(0)
    await stand.node.mine(20)
    await watch.step()
    expect(await stand.standing()).toEqual(eachOnce(0))
    for (let halfMinutes = 0; halfMinutes < 2; halfMinutes++) {
      stand.wait(30_000)
      await stand.node.mine(1)
      await watch.step()
    }
    expect(await stand.standing()).toEqual(eachOnce(1))
  })
})

describe('a second node that blocks are read again at', () => {
  /** Asked by the watcher on its own: the first node. In odd turns, `second` answers instead. */
  function withSecond(second: (truth: Answer, range: BlockRange) => Answer) {
    const base = baseBy(stand.node)
    const asked: number[] = []
    const askedAgain: number[] = []
    const chain: Chain = {
      ...base,
      urls: 2,
      async transfers(range, recipients, look) {
        const isSecond = (look?.turn ?? 0) % 2 === 1
        if (look?.turn === undefined) asked.push(range.to - range.from + 1)
        else askedAgain.push(look.turn)
        const truth = await base.transfers(range, recipients, look)
        return isSecond ? second(truth, range) : truth
      },
    }
    return { asked, askedAgain, chain }
  }

  /** A payment of the first invoice in this block. */
  function paymentIn({ number, hash, timestampMs }: Block): Transfer {
    return {
      chain: 'base',
      txHash: `0x${'ab'.repeat(32)}`,
      position: 0,
      blockNumber: number,
      blockHash: hash,
      blockTimeMs: timestampMs,
      from: stand.node.wallet(1).address.toLowerCase(),
      to: wallet,
      usdcBase: leastUsdcBase,
      references: [],
    }
  }

  /** The faults of those re-readings that failed. */
  async function throughRereads(watch: Watcher, times: number): Promise<readonly string[]> {
    const faults: string[] = []
    for (let halfMinutes = 0; halfMinutes < times; halfMinutes++) {
      stand.wait(30_000)
      await stand.node.mine(1)
      faults.push(...(await faultsOfStep(watch)))
    }
    return faults
  }

  async function faultsOfStep(watch: Watcher): Promise<readonly string[]> {
    const { failure } = await watch.step()
    if (failure !== null) expect(failure).toBeInstanceOf(ChainError)
    return failure instanceof ChainError ? [failure.fault] : []
  }

  test('does not make the first one be asked for fewer blocks where it takes fewer', async () => {
    let refused = 0
    const { asked, chain } = withSecond((truth, { from, to }) => {
      if (to - from < 10) return truth
      refused++
      throw new ChainError('range_refused', 'ten blocks at most')
    })
    const watch = stand.watcher({ chain })
    await watch.step()
    await stand.node.mine(60)
    await watch.step()
    expect(await throughRereads(watch, 2)).toEqual([])
    expect(refused).toBePositive()
    asked.length = 0
    await stand.node.mine(60)
    await watch.step()
    expect(asked).toHaveLength(1)
  })

  test('and that has no time for that holds up what is paid since for one question, and is asked less in its next turns, unlike the first one', async () => {
    await openInvoices(2)
    const { askedAgain, chain } = withSecond((truth, { from, to }) => {
      if (to - from < 16) return truth
      throw new OutOfTime()
    })
    const watch = stand.watcher({ chain, confirmations: 1 })
    await watch.step()
    await stand.node.mine(60)
    await watch.step()
    const faults: string[] = []
    for (const nth of [0, 1]) {
      stand.wait(30_000)
      await pay(nth)
      askedAgain.length = 0
      faults.push(...(await faultsOfStep(watch)))
      expect(askedAgain).toHaveLength(1)
      expect(await stand.standing()).toEqual(eachOnce(nth + 1))
    }
    expect(faults).toEqual(['range_refused'])
    // It has four turns among them.
    expect((await throughRereads(watch, 8)).length).toBeWithin(1, 4)
  })

  test('and that follows a branch the chain has left for some of them only settles nothing by these', async () => {
    await openInvoices(1)
    const { node } = stand
    const base = baseBy(node)
    let told = 0
    const chain: Chain = {
      ...base,
      urls: 2,
      async transfers(range, recipients, look) {
        const truth = await base.transfers(range, recipients, look)
        if ((look?.turn ?? 0) % 2 === 0) return truth
        if (range.to - range.from > 4) throw new ChainError('range_refused', 'five blocks at most')
        if (told++ > 0) return truth
        const hash = `0x${'1e'.repeat(32)}`
        const last = { ...truth.last, hash }
        return { last, transfers: [paymentIn(last)] }
      },
    }
    const watch = stand.watcher({ chain })
    await watch.step()
    await node.mine(20)
    await watch.step()
    expect(await throughRereads(watch, 2)).toEqual(['lagging'])
    expect(told).toBeGreaterThan(1)
    expect(await stand.standing()).toEqual(eachOnce(0))
  })
})

test('a node that once does not show its head does not end the reading before it', async () => {
  await openInvoices(1)
  const base = baseBy(stand.node)
  let [head, hidden] = [0, 0]
  const chain: Chain = {
    ...base,
    block: async (number, ...more) =>
      number === head && hidden-- > 0 ? null : base.block(number, ...more),
  }
  const watch = stand.watcher({ chain, maxRangeBlocks: 5 })
  await watch.step()
  await pay(0)
  await stand.node.mine(100)
  head = (await base.head()).number
  hidden = 1
  while ((await watch.step()).isAdvancing);
  expect(hidden).toBeLessThanOrEqual(0)
  expect(await stand.standing()).toEqual(eachOnce(1))
  expect(await watch.step()).toMatchObject({ fromBlock: head - 1 })
})

describe('a node that lags', () => {
  test('while another one names the head: the cursor never passes blocks it has not shown', async () => {
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
test('after an outage each of 200 payments in 2,100 blocks settles once, and progress is logged', async () => {
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
  const log = { info: (line: object, message: string) => void lines.push({ ...line, message }) }
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
})

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
