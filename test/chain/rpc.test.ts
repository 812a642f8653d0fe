import { afterAll, beforeAll, describe, expect, spyOn, test } from 'bun:test'
import { anchorClient } from '../../src/chain/anchor.ts'
import { type Deadline, deadlineIn } from '../../src/chain/deadline.ts'
import { createRpc, type NamedNode } from '../../src/chain/rpc.ts'
import { type EvmNode, startEvmNode } from '../support/evm-node.ts'
import { gatewayRefusal, silence } from '../support/rpc-faults.ts'
import { startRpcRelay } from '../support/rpc-relay.ts'

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
