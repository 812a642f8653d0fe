/**
 * What does the x402 proxy cost? `bun bench/x402.ts [rounds]` compares, at 64 keep-alive
 * connections, a free resource through the service's proxy with the same through a bare one: Bun's
 * server and `fetch`, without keys, limits or checks of the target. The variants take turns of two
 * seconds; the ratio is the median over the rounds. Then it measures how much longer a paid request
 * takes through the proxy than directly: both settle on the same chain, so the difference is the
 * reservation, the invoice and the record of the payment.
 */
import { toClientEvmSigner } from '@x402/evm'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { privateKeyToAccount } from 'viem/accounts'
import { testEnv } from '../test/support/app.ts'
import { startEvmNode } from '../test/support/evm-node.ts'
import { startService } from '../test/support/service.ts'
import { startUpstream } from '../test/support/x402-upstream.ts'
import { wireRequest } from './load.ts'
import { report } from './results.ts'
import { openAccounts, rival, startPostgres } from './servers.ts'
import { median, ratio, show, takeParts } from './turns.ts'

const rounds = Number(process.argv[2] ?? 5)
const paidRequests = 40

const postgres = await startPostgres()
const node = await startEvmNode({ chainId: 8453 })
try {
  const service = await startService(
    testEnv(postgres.url, { ROLE: 'http', LOG_LEVEL: 'info', BASE_RPC_URL: node.url }),
  )
  const [account] = await openAccounts(postgres.url, 1)
  const key = { 'x-api-key': account?.v1Key ?? '' }
  await free(Number(new URL(service.url).port), key)
  await paid(service.url, key)
  await service.stop()
} finally {
  await node.stop()
  await postgres.stop()
}
process.exit()

async function free(port: number, key: Record<string, string>): Promise<void> {
  const [upstream, bare] = await Promise.all([rival('proxy', 'upstream'), rival('proxy', 'bare')])
  const query = `?url=${encodeURIComponent(`http://127.0.0.1:${upstream.port}/forecast`)}`
  const turns = await takeParts(
    {
      'bare proxy': { port: bare.port, requests: [wireRequest('GET', `/${query}`, key)] },
      'the x402 proxy': {
        port,
        requests: [wireRequest('GET', `/api/x402/proxy${query}`, key)],
      },
    },
    { connections: 64, rounds, seconds: 2 },
  )
  show(64, turns)
  const share = ratio(turns['the x402 proxy'], turns['bare proxy'])
  report({ 'a free resource through the x402 proxy: over a bare proxy': share.toFixed(2) })
  upstream.stop()
  bare.stop()
}

async function paid(serviceUrl: string, key: Record<string, string>): Promise<void> {
  const upstream = await startUpstream(node)
  await node.mint(node.wallet(1).address, 1_000_000_000n)
  const signer = toClientEvmSigner(privateKeyToAccount(node.wallet(1).privateKey))
  const client = new x402Client().register('eip155:8453', new ExactEvmScheme(signer))
  const pay = wrapFetchWithPayment(fetch, client)
  const ways = {
    'straight from the upstream': (url: string) => pay(url),
    'by way of the proxy': (url: string) =>
      pay(`${serviceUrl}/api/x402/proxy?url=${encodeURIComponent(url)}`, { headers: key }),
  }
  const tookMs = new Map(Object.keys(ways).map((name) => [name, [] as number[]]))
  for (let n = 0; n <= paidRequests; n++) {
    for (const [name, way] of Object.entries(ways)) {
      const startedMs = performance.now()
      const response = await way(`${upstream.url}?n=${n}`)
      await response.arrayBuffer()
      if (!response.ok) throw new Error(`${name}: ${response.status}`)
      if (n > 0) tookMs.get(name)?.push(performance.now() - startedMs)
    }
  }
  await upstream.stop()
  const [straight = 0, proxied = 0] = Object.keys(ways).map((name) => {
    const middle = median(tookMs.get(name) ?? [])
    console.log(`${name.padEnd(28)} p50 ${middle.toFixed(1).padStart(6)} ms`)
    return middle
  })
  report({
    'time of a paid request through the x402 proxy: over without': (proxied / straight).toFixed(2),
  })
}
