/**
 * `bun run cluster --http 2 --workers 2`: the service on this machine as several processes, with
 * its own PostgreSQL, Redis (if installed), and nodes of base and Solana. Prints all addresses and
 * a key; Ctrl-C stops everything.
 */
import { parseArgs } from 'node:util'
import { type Process, startTopology } from './support/topology.ts'

const { values } = parseArgs({
  options: { http: { type: 'string', default: '2' }, workers: { type: 'string', default: '2' } },
})
const topology = await startTopology({ http: Number(values.http), workers: Number(values.workers) })
const { v1Key } = await topology.newAccount('Cluster')
say({
  http: topology.http.map(whereabouts),
  workers: topology.workers.map(whereabouts),
  postgres: topology.postgres.url,
  redis: topology.redis?.url ?? null,
  base: topology.base.url,
  anchors: topology.anchorNode.url,
  solana: topology.solana.url,
  key: v1Key,
})
await new Promise<void>((resolve) => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve())
})
await topology.stop()
process.exit(0)

function whereabouts({ name, url, pid }: Process) {
  return { name, url, pid }
}

function say(what: object): void {
  process.stdout.write(`${JSON.stringify(what, null, 2)}\n`)
}
