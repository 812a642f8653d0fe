import { Redis } from 'ioredis'
import { anchorClient } from '../chain/anchor.ts'
import { evmChain } from '../chain/evm.ts'
import { registry } from '../chain/registry.ts'
import type { Config } from '../config.ts'
import { type Network, networks } from '../domain/network.ts'
import type { Sql } from '../storage/db.ts'

export type Finding = {
  readonly verdict: 'ok' | 'note' | 'problem'
  readonly what: string
  readonly detail: string
}

const staleHeadMs = 120_000

/** Looks at everything the service leans on, and says of each what it found. */
export async function doctor(config: Config, sql: Sql): Promise<readonly Finding[]> {
  const checks = [
    check('database', () => database(sql)),
    check('Redis', () => redis(config.redisUrl)),
    ...networks.map((network) => check(network, () => chain(config, network))),
    check('anchor', () => anchor(config)),
  ]
  return Promise.all(checks)
}

type Report = Omit<Finding, 'what'>

async function check(what: string, look: () => Promise<Report>): Promise<Finding> {
  try {
    return { what, ...(await look()) }
  } catch (error) {
    return { what, verdict: 'problem', detail: (error as Error).message }
  }
}

function ok(detail: string): Report {
  return { verdict: 'ok', detail }
}

function note(detail: string): Report {
  return { verdict: 'note', detail }
}

function problem(detail: string): Report {
  return { verdict: 'problem', detail }
}

async function database(sql: Sql): Promise<Report> {
  const [row] = await sql<{ version: string; fsync: string; skew: number; nowMs: number }[]>`
    select current_setting('server_version') as version, current_setting('fsync') as fsync,
      extract(epoch from clock_timestamp())::float8 * 1000 as "nowMs"`
  const skewMs = Math.abs(Date.now() - (row?.nowMs ?? 0))
  if (row?.fsync !== 'on') return problem('fsync is off: a power cut loses committed invoices')
  if (skewMs > 5_000) return problem(`its clock and ours differ by ${Math.round(skewMs)} ms`)
  return ok(`PostgreSQL ${row.version}`)
}

async function redis(url: string | null): Promise<Report> {
  if (url === null) return note('not configured: queues and request limits are on PostgreSQL')
  const client = new Redis(url, {
    lazyConnect: true,
    commandTimeout: 2_000,
    maxRetriesPerRequest: 1,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    const [, policy] = (await client.config('GET', 'maxmemory-policy')) as [string, string]
    return policy === 'noeviction'
      ? ok('noeviction')
      : problem(`maxmemory-policy is ${policy}; BullMQ needs noeviction`)
  } finally {
    client.disconnect()
  }
}

async function chain(config: Config, network: Network): Promise<Report> {
  const { rpcUrls, usdcAddress, wallet } = config.networks[network]
  const { chainId } = registry[network]
  if (rpcUrls.length === 0) return note('not watched: no RPC URL')
  if (chainId === null) return note('RPC URLs are configured')
  for (const url of rpcUrls) {
    const head = await evmChain({ network, chainId, rpcUrls: [url], usdc: usdcAddress }).head()
    const ageMs = Date.now() - head.timestampMs
    if (ageMs > staleHeadMs)
      return problem(`its newest block is ${Math.round(ageMs / 1_000)} s old`)
  }
  return ok(`chain id ${chainId}, ${rpcUrls.length} URL(s)${wallet ? `, wallet ${wallet}` : ''}`)
}

async function anchor(config: Config): Promise<Report> {
  const { rpcUrls, contract, privateKey } = config.anchor
  if (rpcUrls.length === 0 || contract === null)
    return note('not configured: receipts are not anchored')
  if (privateKey === null) return note('the key is generated on the embedded default')
  const client = anchorClient({ rpcUrls, privateKey, contract })
  if (!(await client.hasContract())) return problem(`there is no contract at ${contract}`)
  return ok(`chain id ${await client.chainId()}, contract ${contract}, sender ${client.sender}`)
}
