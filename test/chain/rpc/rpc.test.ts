import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { anchorClient } from '../../../src/chain/anchor/anchor.ts'
import { type Deadline, deadlineIn } from '../../../src/chain/rpc/deadline.ts'
import { type NamedNode, provenConversation } from '../../../src/chain/rpc/proven.ts'
import { createRpc, type Rpc } from '../../../src/chain/rpc/rpc.ts'
import { type EvmNode, startEvmNode } from '../../support/evm-node.ts'
import { gatewayRefusal, refusal } from '../../support/rpc-faults.ts'
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

test('a node that takes no batches names its chain before anything else is asked', async () => {
  const [privateKey, contract] = [node.wallet(1).privateKey, `0x${'22'.repeat(20)}`]
  const client = anchorClient({ rpcUrls: [server.url.href], privateKey, contract })
  expect(await client.chainId()).toBe(8453)
})

test('a node that takes no batches answers several questions at once', async () => {
  const rpc = createRpc({ urls: [server.url.href], expectedChainId: null })
  const ask = () => rpc.ask(Array(3).fill({ method: 'eth_chainId', params: [] }))
  expect(await Promise.all([ask(), rpc.chainId(), ask()])).toEqual([
    Array(3).fill('0x2105'),
    8453,
    Array(3).fill('0x2105'),
  ])
})

test('the error of a refusal leaves out the keys in the URL, which a node may repeat', async () => {
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

describe('a first node that answers every request slowly', () => {
  // A fifth of the real limits.
  const [fetchTimeoutMs, limitMs] = [800, 2_000]

  /** A node that takes so long for each request, and no batches unless it `takesLists`. */
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
    ['takes no batches, 3.5 s', 700, false, [1, 1]],
    ['takes no batches, 2.7 s', 540, false, [2, 1]],
    ['takes batches, 3.5 s', 700, true, [1, 1, 1]],
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

describe('a proven conversation with a node that takes no batches', () => {
  const block = { method: 'eth_blockNumber', params: [] }
  const questions = 4

  /** From the question `at` on, another chain's node answers. */
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

  test('costs one more request, for the chain id', async () => {
    expect(await converse(questions)).toEqual(['told', 1])
  })

  test.each([0, 1, 2, 3])(
    'is refused where another chain answers from question %i on',
    async (at) => {
      expect(await converse(at)).toEqual(['wrong_chain', 1])
    },
  )
})

describe('the size of batches', () => {
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
  ])('is not learned from %s: %i %s', async (_, code, message, init) => {
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

  test('a rate limit that mentions a batch is a rate limit, with its time', async () => {
    const init = { status: 429, headers: { 'retry-after': '30' } }
    relay.misbehave(refusal(429, 'too many requests in batch', init))
    await expect(rpc.ask([block, block])).rejects.toMatchObject({
      fault: 'rate_limited',
      retryAfterMs: 30_000,
    })
    expect(relay.requests).toHaveLength(1)
  })
})
