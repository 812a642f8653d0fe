import { registry } from '../chain/registry.ts'
import type { Config } from '../config.ts'
import { type Network, networks } from '../domain/network.ts'
import type { Log } from '../log.ts'
import type { Secrets } from '../secrets.ts'
import { type Sql, within } from '../storage/db.ts'
import type { Embedded } from '../storage/embedded.ts'

/** Whether the service can do its work now, and what it does not do as it is configured. */
export async function readiness(config: Config, sql: Sql) {
  const isUp = await within(() => sql`select 1`, 2_000).then(
    () => true,
    () => false,
  )
  return {
    problems: isUp ? [] : ['the database does not answer'],
    notes: notesOn(config),
  }
}

/** What an operator should know the service does not do as it is configured. */
function notesOn(config: Config): readonly string[] {
  const unwatched = networks.filter((network) => !isWatched(config, network))
  const { rpcUrls, contract } = config.anchor
  const isAnchoring = rpcUrls.length > 0 && contract !== null
  return [
    ...(unwatched.length > 0
      ? [`not watched: ${unwatched.join(', ')} (no RPC URL, or no adapter yet)`]
      : []),
    ...(isAnchoring
      ? []
      : ['receipts wait to be anchored: ANCHOR_RPC_URL or ANCHOR_CONTRACT is missing']),
  ]
}

/** Whether anybody watches this chain for payments. */
export function isWatched(config: Config, network: Network): boolean {
  return config.networks[network].rpcUrls.length > 0 && registry[network].kind === 'evm'
}

/** The first lines of the log. */
export function announce(
  config: Config,
  secrets: Secrets,
  embedded: Embedded | null,
  url: string | null,
  log: Log,
): void {
  if (embedded) log.info({ dataDir: config.dataDir }, 'embedded PostgreSQL is running')
  if (secrets.file)
    log.info(
      { file: secrets.file },
      'missing secrets and chain wallets are generated in this file; back it up',
    )
  for (const note of notesOn(config)) log.info({}, note)
  log.info(
    { role: config.role, url, watched: networks.filter((network) => isWatched(config, network)) },
    'ready',
  )
}
