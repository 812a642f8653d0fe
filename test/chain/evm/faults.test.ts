import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { Chain } from '../../../src/chain/chain.ts'
import { evmChain } from '../../../src/chain/evm/evm.ts'
import { createRpc } from '../../../src/chain/rpc/rpc.ts'
import { startEvmNode, usdcOnBase } from '../../support/evm-node.ts'
import {
  answeredElsewhere,
  perCall,
  refusal,
  refusingLongAnswers,
  silence,
} from '../../support/rpc-faults.ts'
import { type RpcRelay, startRpcRelay } from '../../support/rpc-relay.ts'
import { useWorld } from '../../support/world.ts'
import { faultOf } from '../subject.ts'

const base = { network: 'base', chainId: 8453, usdc: usdcOnBase } as const
const ours = ['0x00000000000000000000000000000000000000a1'] as const

const { node } = useWorld({ chains: ['base'], funded: [1], service: 'no database' })
let provider: RpcRelay
let chain: Chain
let range: { from: number; to: number }

beforeAll(async () => {
  const payer = node.wallet(1).address
  await node.transfer({ from: payer, to: ours[0], usdcBase: 1n })
  await node.transfer({ from: payer, to: ours[0], usdcBase: 2n })
  const to = Number(await node.rpc('eth_blockNumber'))
  range = { from: to - 1, to }
})
beforeEach(() => {
  provider = startRpcRelay(node.url)
  chain = chainAt(provider.url)
})
afterEach(() => provider.stop())

test('a chain without finality has no final block, a node in trouble is not taken for one', async () => {
  provider.misbehave(refusal(-32602, "invalid block tag 'finalized'"))
  expect(await chain.finalizedNumber()).toBe(null)
  provider.misbehave(() => new Response('', { status: 503 }))
  expect(await faultOf(chain.finalizedNumber())).toBe('unreachable')
  provider.misbehave(refusal(-32603, 'Internal error'))
  expect(await faultOf(chain.finalizedNumber())).toBe('unreachable')
  provider.misbehave(refusal(-32600, 'Must be authenticated!', { status: 401 }))
  expect(await faultOf(chain.finalizedNumber())).toBe('invalid_answer')
})

test('a first node whose final block has no number is passed over', async () => {
  const result = { hash: `0x${'f'.repeat(64)}`, timestamp: '0x1' }
  provider.misbehave(
    perCall((call, ask) =>
      call.params?.[0] === 'finalized' ? { id: call.id, result } : ask(call),
    ),
  )
  const both = evmChain({ ...base, rpcUrls: [provider.url, node.url] })
  expect(await both.finalizedNumber()).toBe(await chainAt(node.url).finalizedNumber())
})

describe('what is not proven', () => {
  test('an empty answer of a node that has not seen the last block is lagging', async () => {
    const to = range.to + 3
    provider.edit((answer, method) =>
      method === 'eth_getLogs' ? { id: answer.id, result: [] } : answer,
    )
    expect(await faultOf(chain.transfers({ from: to, to }, ours))).toBe('lagging')
  })

  test('logs of a node on another fork are lagging, never a payment', async () => {
    const [own, fork] = await Promise.all([
      startEvmNode({ chainId: 8453 }),
      startEvmNode({ chainId: 8453 }),
    ])
    const payer = fork.wallet(1).address
    await fork.mint(payer, 1_000n)
    await fork.transfer({ from: payer, to: ours[0], usdcBase: 7n })
    await fork.mine(1)
    const to = Number(await fork.rpc('eth_blockNumber'))
    // Installing the token takes a varying number of blocks: this node must be as long as the fork.
    await own.mine(to)
    provider.connect(own.url)
    provider.misbehave(answeredElsewhere(['eth_getLogs'], fork.url))
    expect(await faultOf(chain.transfers({ from: 0, to }, ours))).toBe('lagging')
    await Promise.all([own.stop(), fork.stop()])
  })

  test('a log of the last block with another hash than the block is lagging', async () => {
    editLogs((log) => ({ ...log, blockHash: `0x${'b'.repeat(64)}` }))
    expect(await faultOf(chain.transfers(range, ours))).toBe('lagging')
  })

  test.each([
    ['taken back', { removed: true }],
    ['of another contract', { address: `0x${'c'.repeat(40)}` }],
    ['of nothing', { data: `0x${'0'.repeat(64)}` }],
    ['to somebody else', { topics: [transferTopic(), padded('d'), padded('e')] }],
  ])('a log %s never counts', async (_, lie) => {
    editLogs((log, at) => (at === 0 ? { ...log, ...lie } : log))
    const { transfers } = await chain.transfers(range, ours)
    expect(transfers.map(({ usdcBase }) => usdcBase)).toEqual([2n])
  })

  test('logs that come twice and out of order count once and in order', async () => {
    provider.edit((answer, method) => {
      if (method !== 'eth_getLogs') return answer
      const logs = answer.result as object[]
      return { ...answer, result: [...logs.toReversed(), ...logs] }
    })
    const { transfers } = await chain.transfers(range, ours)
    expect(transfers.map(({ usdcBase }) => usdcBase)).toEqual([1n, 2n])
  })

  test.each([
    ['no list', 'logs'],
    ['no logs', [null]],
    [
      'without numbers',
      [{ address: base.usdc, topics: [transferTopic(), '', padded('a1')], data: '0x1' }],
    ],
  ])('an answer that is %s rejects with invalid_answer', async (_, result) => {
    provider.edit((answer, method) => (method === 'eth_getLogs' ? { ...answer, result } : answer))
    expect(await faultOf(chain.transfers(range, ours))).toBe('invalid_answer')
  })
})

test('a range that a lone node cannot answer in time is refused as too long', async () => {
  provider.misbehave(silence())
  const rpc = createRpc({ urls: [provider.url], expectedChainId: 8453 })
  const call = { method: 'eth_blockNumber', params: [] }
  expect(await faultOf(rpc.ask([call], AbortSignal.timeout(50)))).toBe('range_refused')
})

describe('what a step costs', () => {
  test('a quiet range is one request of two calls, however many addresses', async () => {
    await chain.head()
    const many = Array.from(
      { length: 500 },
      (_, at) => `0x${(at + 4096).toString(16).padStart(40, '0')}`,
    )
    const before = provider.requests.length
    await chain.transfers(range, many)
    expect(provider.requests.slice(before)).toEqual([['eth_getBlockByNumber', 'eth_getLogs']])
  })

  test('recipients too many to name are found among all transfers, by the same two calls', async () => {
    await chain.head()
    const before = provider.requests.length
    const asked: (readonly string[])[] = []
    const found = await chain.transfers(range, async (recipients) => {
      asked.push(recipients)
      return [...ours, '0x00000000000000000000000000000000000000a2']
    })
    const [first, ...others] = provider.requests.slice(before)
    expect(first).toEqual(['eth_getBlockByNumber', 'eth_getLogs'])
    expect(others.flat()).not.toContain('eth_getLogs')
    expect(asked).toEqual([ours])
    expect(found).toEqual(await chain.transfers(range, ours))
    expect((await chain.transfers(range, async () => [])).transfers).toEqual([])
  })

  test('the time of a block is asked for where logs lack it', async () => {
    const truth = await chain.transfers(range, ours)
    editLogs(({ blockTimestamp: _, ...log }) => log)
    expect(await chain.transfers(range, ours)).toEqual(truth)
    editLogs((log) => ({ ...log, blockTimestamp: '0x0' }))
    expect(await chain.transfers(range, ours)).toEqual(truth)
  })
})

test('transactions are read whose answers are too long together', async () => {
  const payer = node.wallet(1).address
  const filled = { from: payer, to: ours[0], usdcBase: 1n, reference: `0x${'00'.repeat(4_000)}` }
  for (let n = 0; n < 3; n++) await node.transfer(filled)
  const to = Number(await node.rpc('eth_blockNumber'))
  provider.misbehave(refusingLongAnswers(4_000))
  const { transfers } = await chain.transfers({ from: to - 2, to }, ours)
  expect(transfers).toHaveLength(3)
})

function chainAt(url: string): Chain {
  return evmChain({ ...base, rpcUrls: [url] })
}

function editLogs(change: (log: Record<string, unknown>, at: number) => object): void {
  provider.edit((answer, method) => {
    if (method !== 'eth_getLogs') return answer
    return { ...answer, result: (answer.result as Record<string, unknown>[]).map(change) }
  })
}

function transferTopic(): string {
  return '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
}

function padded(digits: string): string {
  return `0x${digits.padStart(64, '0')}`
}
