import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, spyOn, test } from 'bun:test'
import { anchorClient } from '../../../src/chain/anchor/anchor.ts'
import { ChainError } from '../../../src/chain/chain.ts'
import { type Deadline, deadlineIn } from '../../../src/chain/rpc/deadline.ts'
import { type NamedNode, provenConversation } from '../../../src/chain/rpc/proven.ts'
import { createRpc, type Rpc } from '../../../src/chain/rpc/rpc.ts'
import { type EvmNode, startEvmNode } from '../../support/evm-node.ts'
import { gatewayRefusal, refusal, refusingBatches, silence } from '../../support/rpc-faults.ts'
import { type RpcRelay, startRpcRelay } from '../../support/rpc-relay.ts'

let node: EvmNode
/** A node that refuses lists of calls, even those of one call. */
let server: ReturnType<typeof Bun.serve>

beforeAll(async () => {
  node = await startEvmNode({ chainId: 8453 })
  server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(incoming) {
      const body = await incoming.text()
      const error = { code: -32600, message: 'batch requests are not supported' }
      if (body.startsWith('[')) return Response.json({ jsonrpc: '2.0', id: null, error })
      return fetch(node.url, { method: 'POST', headers: incoming.headers, body })
    },
  })
})

afterAll(async () => {
  await server.stop(true)
  await node.stop()
})

test('a node that takes no list of calls tells its chain before anything else is asked', async () => {
  const [privateKey, contract] = [node.wallet(1).privateKey, `0x${'22'.repeat(20)}`]
  const client = anchorClient({ rpcUrls: [server.url.href], privateKey, contract })
  expect(await client.chainId()).toBe(8453)
})

test('several questions at once are answered by one that takes no list', async () => {
  const rpc = createRpc({ urls: [server.url.href], expectedChainId: null })
  const ask = () => rpc.ask(Array(3).fill({ method: 'eth_chainId', params: [] }))
  expect(await Promise.all([ask(), rpc.chainId(), ask()])).toEqual([
    Array(3).fill('0x2105'),
    8453,
    Array(3).fill('0x2105'),
  ])
})

test('what a node refuses is told without the keys in its URL, which it may repeat', async () => {
  const [path, query, password] = ['path', 'query', 'pass'].map((part) => `${part}-a1b2c3d4e5f6`)
  const relay = startRpcRelay(node.url)
  relay.misbehave(refusal(-32600, `no such key: ${path}, ${query}, ${password}`))
  const { host } = new URL(relay.url)
  const url = `http://user:${password}@${host}/base/v2/${path}?network=base&key=${query}`
  const rpc = createRpc({ urls: [url], expectedChainId: 8453 })
  const block = { method: 'eth_blockNumber', params: [] }
  await expect(rpc.ask([block])).rejects.toThrow('-32600: no such key: …, …, …')
  relay.stop()
})

test('a second node that is silent is asked first in its first turn, and not in each of the next', async () => {
  const silent = startRpcRelay(node.url)
  silent.misbehave(silence())
  const urls = [node.url, silent.url]
  const rpc = createRpc({ urls, expectedChainId: 8453, fetchTimeoutMs: 300 })
  let waitedMs = 0
  const steadyMs = performance.now.bind(performance)
  const clock = spyOn(performance, 'now').mockImplementation(() => steadyMs() + waitedMs)
  const asked: number[] = []
  for (const turn of [1, 3, 5, 7, 9, 11]) {
    waitedMs += 60_000
    const before = silent.requests.length
    const calls = [{ method: 'eth_blockNumber', params: [] }]
    await rpc.atOneNode((one) => one.read(calls, () => null), undefined, { kind: 'logs', turn })
    if (silent.requests.length > before) asked.push(turn)
  }
  expect(asked).toEqual([1, 5, 9])
  clock.mockRestore()
  await silent.stop()
})

describe('a first node that is slow at every question, and silent at none', () => {
  // A fifth of what they are.
  const [fetchTimeoutMs, limitMs] = [800, 2_000]

  /** A node that takes so long for each request, and no lists of calls unless it `takesLists`. */
  function slowNode(latencyMs: number, takesLists: boolean) {
    const slow = startRpcRelay(node.url)
    slow.misbehave(async (request, forward) => {
      await Bun.sleep(latencyMs)
      const refuse = gatewayRefusal(-32600, 'batch requests are not supported')
      return request.length > 1 && !takesLists
        ? refuse(request, forward)
        : Response.json(await forward(request))
    })
    return slow
  }

  const block = { method: 'eth_blockNumber', params: [] }
  const ok = () => 'answered'

  test.each([
    ['takes no lists, 3.5 s', 700, false, [1, 1]],
    ['takes no lists, 2.7 s', 540, false, [2, 1]],
    ['takes lists, 3.5 s', 700, true, [1, 1, 1]],
  ])('%s: is passed over in time', async (_, latencyMs, takesLists, sizes) => {
    const slow = slowNode(latencyMs, takesLists)
    const heard: string[] = []
    const rpc = createRpc({
      urls: [slow.url, node.url],
      expectedChainId: 8453,
      fetchTimeoutMs,
      onNode: ({ host, fault }) => heard.push(`${host} ${fault}`),
    })
    const converse = async (one: NamedNode, deadline: Deadline) => {
      for (const size of sizes) await one.read(Array(size).fill(block), ok, deadline)
      return one.host
    }
    expect(await rpc.atOneNode(converse, deadlineIn(limitMs))).toBe(new URL(node.url).host)
    expect(heard).toEqual([`${new URL(slow.url).host} unreachable`])
    await slow.stop()
  })
})

describe('a conversation from which something follows, with a node that takes no lists', () => {
  const block = { method: 'eth_blockNumber', params: [] }
  const questions = 4

  /** Such a node, which another chain's replaces from the question `at` on. */
  async function converse(at: number) {
    let asked = Number.NEGATIVE_INFINITY
    const relay = startRpcRelay(node.url)
    relay.misbehave((request, forward) => {
      if (request.length > 1) return gatewayRefusal(-32600, 'no batches')(request, forward)
      const isOther = asked > at
      if (request[0]?.method === 'eth_blockNumber') asked++
      const result = isOther ? '0x89' : null
      return forward(request).then((answers) =>
        Response.json(answers.map((one) => ({ ...one, result: result ?? one.result }))),
      )
    })
    const rpc = createRpc({ urls: [relay.url], expectedChainId: 8453 })
    await rpc.ask([block, block])
    asked = 0
    const before = relay.requests.length
    const told = await rpc
      .atOneNode((one, deadline) =>
        provenConversation(
          one,
          async ({ read }) => {
            for (let n = 0; n < questions; n++) await read([block], () => null, deadline)
            return 'told'
          },
          deadline,
        ),
      )
      .catch(({ fault }) => fault)
    await relay.stop()
    return [
      told,
      relay.requests
        .slice(before)
        .flat()
        .filter((name) => name === 'eth_chainId').length,
    ]
  }

  test('costs one request more, to show which chain it serves', async () => {
    expect(await converse(questions)).toEqual(['told', 1])
  })

  test.each([0, 1, 2, 3])(
    'is not believed where it serves another one since question %i',
    async (at) => {
      expect(await converse(at)).toEqual(['wrong_chain', 1])
    },
  )
})

describe('how many calls a node takes in one request', () => {
  const call = { method: 'eth_call', params: [] }
  const block = { method: 'eth_blockNumber', params: [] }
  let relay: RpcRelay
  let rpc: Rpc

  beforeEach(() => {
    relay = startRpcRelay(node.url)
    rpc = createRpc({ urls: [relay.url], expectedChainId: 8453 })
  })
  afterEach(() => relay.stop())

  test.each([
    ['a contract', 3, 'execution reverted: batch', undefined],
    ['a contract, as forks of geth have it', -32000, 'execution reverted: no batch', undefined],
    ['a contract, as Hardhat has it', -32603, "reverted with reason string 'batch'", undefined],
    ['a contract whose words are unknown', -32015, 'VM execution error: batch', undefined],
    ['a rate limit', 429, 'too many requests in batch', { status: 429 }],
    ['a rate limit', -1, 'batch', { headers: { 'retry-after': '30' } }],
  ])('is not told by %s: %i %s', async (_, code, message, init) => {
    await rpc.ask([block, block])
    relay.misbehave(async (request, forward) =>
      request.some(({ method }) => method === 'eth_call')
        ? refusal(code, message, init)(request, forward)
        : Response.json(await forward(request)),
    )
    await expect(rpc.ask([call])).rejects.toThrow('batch')
    await rpc.ask([block, call]).catch(() => {})
    expect(rpc.mostCalls()).toBe(Number.POSITIVE_INFINITY)
  })

  test('a rate limit that speaks of a batch is told of, with its time', async () => {
    const init = { status: 429, headers: { 'retry-after': '30' } }
    relay.misbehave(refusal(429, 'too many requests in batch', init))
    await expect(rpc.ask([block, block])).rejects.toMatchObject({
      fault: 'rate_limited',
      retryAfterMs: 30_000,
    })
    expect(relay.requests).toHaveLength(1)
  })

  test('is found out again after a while: it may have become more', async () => {
    const most = async () => {
      const before = relay.requests.length
      await rpc.ask(Array(6).fill(block))
      return Math.max(...relay.requests.slice(before).map((calls) => calls.length))
    }
    const now = performance.now.bind(performance)
    let aheadMs = 0
    using _ = spyOn(performance, 'now').mockImplementation(() => now() + aheadMs)
    relay.misbehave(refusingBatches(2, gatewayRefusal(-32600, 'batch too large')))
    await most()
    expect([rpc.mostCalls(), await most()]).toEqual([1, 1])
    aheadMs += 700_000
    expect([await most(), rpc.mostCalls()]).toEqual([6, 1])
    relay.behave()
    expect(await most()).toBe(1)
    aheadMs += 700_000
    expect([await most(), await most()]).toEqual([6, 6])
  })
})

describe('a node that needs more than half of the time for a conversation', () => {
  // Four answers of the slow node take little more than half of it, and well below all of it.
  const deadlineMs = 4_000
  const answerMs = 550
  const question = [{ method: 'eth_blockNumber', params: [] }]

  /** Looks of several questions each; more time than any node rests passes before each. */
  function looks(urls: readonly string[], knowing: string) {
    const rpc = createRpc({ urls, expectedChainId: null })
    let waitedMs = 0
    const steadyMs = performance.now.bind(performance)
    const clock = spyOn(performance, 'now').mockImplementation(() => steadyMs() + waitedMs)
    const look = () => {
      waitedMs += 30_000
      const converse = async (one: NamedNode, until: Deadline) => {
        for (let at = 0; at < 4; at++) await one.read(question, () => null, until)
        if (knowing.includes(one.host)) return one.host
        throw new ChainError('lagging', 'the history is not known')
      }
      return rpc.atOneNode(converse, deadlineIn(deadlineMs), { kind: 'proof' })
    }
    return { look, end: () => clock.mockRestore() }
  }

  function slowRelay() {
    const slow = startRpcRelay(node.url)
    slow.misbehave(async (request, forward) => {
      await Bun.sleep(answerMs)
      return Response.json(await forward(request))
    })
    return slow
  }

  test('gets all of it once no other node stood the conversation either', async () => {
    const slow = slowRelay()
    const { look, end } = looks([slow.url, node.url], slow.url)
    try {
      await expect(look()).rejects.toThrow()
      for (let at = 0; at < 2; at++) expect(await look()).toBe(new URL(slow.url).host)
    } finally {
      end()
      await slow.stop()
    }
  })

  test('leaves half of it to another that stands the conversation', async () => {
    const slow = slowRelay()
    const { look, end } = looks([slow.url, node.url], `${slow.url} ${node.url}`)
    try {
      for (let at = 0; at < 3; at++) expect(await look()).toBe(new URL(node.url).host)
    } finally {
      end()
      await slow.stop()
    }
  })
})
