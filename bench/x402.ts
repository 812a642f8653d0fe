/**
 * What does the x402 proxy cost? `bun bench/x402.ts [rounds]` compares, at 64 keep-alive
 * connections, a free resource through the service's proxy with the same through a bare one: Bun's
 * server and `fetch`, without keys, limits or checks of the target. The variants take turns of two
 * seconds; the ratio is the median over the rounds. *Ask again* asks a price a second time: the
 * same quote answers it. Then it measures how much longer a paid request takes through the
 * proxy than directly (both settle on the same chain, so the difference is the quote, the claim and
 * the record of the answer), and what one costs: statements of PostgreSQL, and CPU of the service.
 * It runs on the source of another commit, too: `git worktree add` it, and copy `bench/` there.
 */
import { toClientEvmSigner } from '@x402/evm'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { privateKeyToAccount } from 'viem/accounts'
import { connect } from '../src/storage/postgres/db.ts'
import { testEnv } from '../test/support/app.ts'
import { startEvmNode } from '../test/support/evm-node.ts'
import { type Service, startService } from '../test/support/service.ts'
import { startUpstream } from '../test/support/x402-upstream.ts'
import { wireRequest } from './load.ts'
import { cpuSecondsUnder } from './processes.ts'
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
  await paid(service, key)
  await service.stop()
} finally {
  await node.stop()
  await postgres.stop()
}
process.exit()

async function free(port: number, key: Record<string, string>): Promise<void> {
  const [upstream, bare] = await Promise.all([rival('proxy', 'upstream'), rival('proxy', 'bare')])
  const query = `?url=${encodeURIComponent(`http://127.0.0.1:${upstream.port}/forecast`)}`
  const asked = `?url=${encodeURIComponent(`http://127.0.0.1:${upstream.port}/paid`)}`
  const turns = await takeParts(
    {
      'bare proxy': { port: bare.port, requests: [wireRequest('GET', `/${query}`, key)] },
      'ask again': {
        port,
        requests: [wireRequest('GET', `/api/x402/proxy${asked}`, key)],
        status: 4,
      },
      'the x402 proxy': {
        port,
        requests: [wireRequest('GET', `/api/x402/proxy${query}`, key)],
      },
    },
    { connections: 64, rounds, seconds: 2 },
  )
  show(64, turns)
  const share = ratio(turns['the x402 proxy'], turns['bare proxy'])
  const again = ratio(turns['the x402 proxy'], turns['ask again'])
  report({
    'a free resource through the x402 proxy: over a bare proxy': share.toFixed(2),
    'time of asking again: over a free resource': again.toFixed(2),
  })
  upstream.stop()
  bare.stop()
}

async function paid(
  { url: serviceUrl, process: { pid } }: Service,
  key: Record<string, string>,
): Promise<void> {
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
  const sql = connect(postgres.url, { max: 1, name: 'bench' })
  const spent = async () => {
    // The counts of a session appear within a second.
    await Bun.sleep(1_500)
    const [row] = await sql<{ commits: bigint }[]>`
      select xact_commit as commits from pg_stat_database where datname = current_database()`
    return { commits: Number(row?.commits), cpuSeconds: cpuSecondsUnder(pid) }
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
  const before = await spent()
  for (let n = 1; n <= paidRequests; n++) {
    const response = await ways['by way of the proxy'](`${upstream.url}?cost=${n}`)
    await response.arrayBuffer()
  }
  const after = await spent()
  await sql.end()
  await upstream.stop()
  const [straight = 0, proxied = 0] = Object.keys(ways).map((name) => {
    const middle = median(tookMs.get(name) ?? [])
    console.log(`${name.padEnd(28)} p50 ${middle.toFixed(1).padStart(6)} ms`)
    return middle
  })
  report({
    'time of a paid request through the x402 proxy: over without': (proxied / straight).toFixed(2),
    'a purchase, asked and paid: statements, ms of CPU': `${((after.commits - before.commits) / paidRequests).toFixed(1)}, ${((1_000 * (after.cpuSeconds - before.cpuSeconds)) / paidRequests).toFixed(1)}`,
  })
}
