/**
 * `bun run cluster --http 2 --workers 2`: the service on this machine as several processes, with
 * its own PostgreSQL, Redis (if installed), and nodes of base and Solana. With `--ha`, on the
 * servers of docs/high-availability.md. Prints all addresses and a key; Ctrl-C stops everything.
 */
import { parseArgs } from 'node:util'
import { hasHighAvailability } from './support/high-availability.ts'
import { type Process, startTopology } from './support/topology.ts'

const { values } = parseArgs({
  options: {
    http: { type: 'string', default: '2' },
    workers: { type: 'string', default: '2' },
    ha: { type: 'boolean', default: false },
  },
})
if (values.ha && !hasHighAvailability) {
  process.stderr.write(`--ha needs Debian's patroni, etcd-server, postgresql and redis-server\n`)
  process.exit(1)
}
const topology = await startTopology({
  http: Number(values.http),
  workers: Number(values.workers),
  isHa: values.ha,
})
const { v1Key } = await topology.newAccount('Cluster')
say({
  http: topology.http.map(whereabouts),
  workers: topology.workers.map(whereabouts),
  postgres: topology.env.DATABASE_URL,
  redis: topology.env.REDIS_URL ?? null,
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
