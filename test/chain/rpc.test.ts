import { afterAll, beforeAll, expect, test } from 'bun:test'
import { anchorClient } from '../../src/chain/anchor.ts'
import { createRpc } from '../../src/chain/rpc.ts'
import { type EvmNode, startEvmNode } from '../support/evm-node.ts'

/** A node that refuses lists of calls, even those of one call. */

let node: EvmNode
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
