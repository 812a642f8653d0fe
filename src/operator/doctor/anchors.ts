import { anchorClient } from '../../chain/anchor/anchor.ts'
import type { Config } from '../../config/config.ts'
import { loadSecrets } from '../../config/secrets.ts'
import { anchorTies, type Tie } from '../../storage/anchors/events.ts'
import type { Sender } from '../../storage/anchors/transactions.ts'
import type { Sql } from '../../storage/postgres/db.ts'
import { type Finding, problem } from './finding.ts'

const timeoutMs = 3_000

export async function anchorTieFindings(config: Config, sql: Sql): Promise<readonly Finding[]> {
  const ties = await anchorTies(sql, timeoutMs)
  if (ties.length === 0) return []
  const own = await ownSender(config)
  return ties
    .filter(({ chainId, address }) => chainId !== own?.chainId || address !== own.address)
    .map((tie) => findingOn(tie, own))
}

async function ownSender(config: Config): Promise<Sender | null> {
  const { rpcUrls, contract } = config.anchor
  const { anchorPrivateKey: privateKey } = await loadSecrets(config)
  if (rpcUrls.length === 0 || contract === null || privateKey === null) return null
  const client = anchorClient({ rpcUrls, privateKey, contract })
  return { chainId: await client.chainId(), address: client.sender }
}

function findingOn({ chainId, address, events }: Tie, own: Sender | null): Finding {
  return problem(
    'anchor transactions',
    `${events} event(s) wait for transactions that ${address} sent on chain ${chainId}`,
    chainId === own?.chainId
      ? `if this lasts, fund ${address}, or set ANCHOR_PRIVATE_KEY back to its key until they are confirmed`
      : `set ANCHOR_RPC_URL and ANCHOR_CONTRACT back to chain ${chainId} until they are confirmed`,
  )
}
