import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { Chain, ChainFault } from '../../src/chain/chain.ts'
import { evmChain } from '../../src/chain/evm.ts'
import { type EvmNode, startEvmNode, usdcOnBase } from '../support/evm-node.ts'
import { faultOf } from './conformance.ts'
import { type Provider, refusal, startProvider } from './provider.ts'

const base = { network: 'base', chainId: 8453, usdc: usdcOnBase } as const
const ours = ['0x00000000000000000000000000000000000000a1'] as const

let node: EvmNode
let provider: Provider
let chain: Chain
let range: { from: number; to: number }

beforeAll(async () => {
  node = await startEvmNode({ chainId: 8453 })
  const payer = node.wallet(1).address
  await node.mint(payer, 1_000n)
  await node.transfer({ from: payer, to: ours[0], usdcBase: 1n })
  await node.transfer({ from: payer, to: ours[0], usdcBase: 2n })
  const to = Number(await node.rpc('eth_blockNumber'))
  range = { from: to - 1, to }
})
afterAll(() => node?.stop())
beforeEach(() => {
  provider = startProvider(node.url)
  chain = chainAt(provider.url)
})
afterEach(() => provider.stop())

describe('a refusal is understood', () => {
  const texts: readonly (readonly [ChainFault, number, string])[] = [
    [
      'range_refused',
      -32602,
      'Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range and no limit on the response size, or you can request any block range with a cap of 10K logs in the response.',
    ],
    [
      'range_refused',
      -32600,
      'Under the Free tier plan, you can make eth_getLogs requests with up to a 10 block range.',
    ],
    [
      'range_refused',
      -32005,
      'query returned more than 10000 results. Try with this block range [0x1, 0x2].',
    ],
    ['range_refused', -32614, 'eth_getLogs is limited to a 10,000 range'],
    ['range_refused', -32062, 'Block range is too large'],
    ['range_refused', -32701, 'exceed maximum block range: 50000'],
    ['range_refused', -32005, 'limit exceeded'],
    ['range_refused', 35, 'ranges over 10000 blocks are not supported on freetier'],
    ['range_refused', -32602, 'query exceeds max results 20000, retry with the range 1-2'],
    ['range_refused', -32000, 'requested too many blocks from 1 to 20000, maximum is set to 2048'],
    ['rate_limited', 429, 'Your app has exceeded its compute units per second capacity.'],
    ['rate_limited', -32007, '50/second request limit reached - reduce calls per second'],
    ['rate_limited', -32005, 'daily request count exceeded, request rate limited'],
    ['rate_limited', -32090, 'Too many requests, reason: call rate limit exhausted'],
    ['lagging', -32000, 'block range extends beyond current head block'],
    [
      'lagging',
      -32000,
      'One of the blocks specified in filter (fromBlock, toBlock or blockHash) cannot be found.',
    ],
    ['invalid_answer', -32603, 'Internal error'],
  ]
  test.each(texts)('%s: %i %s', async (fault, code, text) => {
    provider.misbehave(refusal(code, text))
    expect(await faultOf(chain.transfers(range, ours))).toBe(fault)
  })

  test('one error for the whole request counts as the answer to it', async () => {
    provider.misbehave(() =>
      Response.json({ id: null, error: { code: 429, message: 'slow down' } }),
    )
    expect(await faultOf(chain.head())).toBe('rate_limited')
  })

  test.each([
    ['rate_limited', 429, 'slow down'],
    ['unreachable', 502, '<html>'],
    ['invalid_answer', 200, '<html>'],
    ['invalid_answer', 200, '[]'],
    ['invalid_answer', 200, '"no"'],
  ] as const)('%s is what HTTP %i with %s means', async (fault, status, body) => {
    provider.misbehave(() => new Response(body, { status }))
    expect(await faultOf(chain.head())).toBe(fault)
  })

  test('a silent node is unreachable, within the time given', async () => {
    provider.misbehave(() => Bun.sleep(5_000).then(() => new Response()))
    const impatient = chainAt(provider.url, 100)
    expect(await faultOf(impatient.head())).toBe('unreachable')
  })

  test('a node without finality answers null, one that is out of reach never does', async () => {
    provider.misbehave(refusal(-32602, "invalid block tag 'finalized'"))
    expect(await chain.finalizedNumber()).toBe(null)
    provider.misbehave(() => new Response('', { status: 503 }))
    expect(await faultOf(chain.finalizedNumber())).toBe('unreachable')
  })
})

describe('another URL takes over', () => {
  test.each([
    ['refuses its connections', () => provider.stop()],
    ['limits the rate', () => provider.misbehave(refusal(429, 'too many requests'))],
    ['answers nonsense', () => provider.misbehave(() => new Response('{'))],
    ['serves another chain', () => provider.edit(onOtherChain)],
  ])('when the first %s', async (_, spoil) => {
    await spoil()
    const both = evmChain({ ...base, rpcUrls: [provider.url, node.url] })
    expect((await both.transfers(range, ours)).transfers).toHaveLength(2)
  })

  test('a refused range is never asked of the next URL, which might have less to say', async () => {
    provider.misbehave(refusal(-32005, 'query returned more than 10000 results'))
    const both = evmChain({ ...base, rpcUrls: [provider.url, node.url] })
    expect(await faultOf(both.transfers(range, ours))).toBe('range_refused')
  })

  test('when all fail, the fault of the preferred one is told', async () => {
    provider.misbehave(refusal(429, 'too many requests'))
    const both = evmChain({ ...base, rpcUrls: [provider.url, 'http://127.0.0.1:1'] })
    expect(await faultOf(both.head())).toBe('rate_limited')
  })
})

describe('nobody is believed without proof', () => {
  test('after a lost connection the chain is checked before anything is believed', async () => {
    const polygon = await startEvmNode({ chainId: 137 })
    await chain.head()
    provider.misbehave(() => new Response('', { status: 502 }))
    expect(await faultOf(chain.head())).toBe('unreachable')
    provider.connect(polygon.url)
    provider.behave()
    expect(await faultOf(chain.head())).toBe('wrong_chain')
    await polygon.stop()
  })

  test('an empty answer of a node that has not seen the last block is lagging', async () => {
    const to = range.to + 3
    provider.edit((answer, method) =>
      method === 'eth_getLogs' ? { id: answer.id, result: [] } : answer,
    )
    expect(await faultOf(chain.transfers({ from: to, to }, ours))).toBe('lagging')
  })

  test('a log of the last block with another hash than the block is lagging', async () => {
    editLogs((log) => ({ ...log, blockHash: `0x${'b'.repeat(64)}` }))
    expect(await faultOf(chain.transfers(range, ours))).toBe('lagging')
  })

  test('a transaction the node no longer has is lagging', async () => {
    provider.edit((answer, method) =>
      method === 'eth_getTransactionByHash' ? { id: answer.id, result: null } : answer,
    )
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
  ])('an answer that is %s is invalid, never a crash', async (_, result) => {
    provider.edit((answer, method) => (method === 'eth_getLogs' ? { ...answer, result } : answer))
    expect(await faultOf(chain.transfers(range, ours))).toBe('invalid_answer')
  })
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

  test('recipients too many to name are picked out of what the token did, by the same two calls', async () => {
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

  test('the time of a block is asked for where logs do not tell it', async () => {
    const told = await chain.transfers(range, ours)
    editLogs(({ blockTimestamp: _, ...log }) => log)
    expect(await chain.transfers(range, ours)).toEqual(told)
  })
})

function chainAt(url: string, fetchTimeoutMs = 4_000): Chain {
  return evmChain({ ...base, rpcUrls: [url], fetchTimeoutMs })
}

function editLogs(change: (log: Record<string, unknown>, at: number) => object): void {
  provider.edit((answer, method) => {
    if (method !== 'eth_getLogs') return answer
    return { ...answer, result: (answer.result as Record<string, unknown>[]).map(change) }
  })
}

function onOtherChain(answer: { id: number; result?: unknown }, method: string) {
  return method === 'eth_chainId' ? { ...answer, result: '0x89' } : answer
}

function transferTopic(): string {
  return '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
}

function padded(digits: string): string {
  return `0x${digits.padStart(64, '0')}`
}
