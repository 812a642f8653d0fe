import { anchorClient } from '../../chain/anchor/anchor.ts'
import { deploymentFunds } from '../../chain/anchor/deployment.ts'
import { anchorFunds } from '../../chain/anchor/funds.ts'
import type { Config } from '../../config/config.ts'
import { loadSecrets } from '../../config/secrets.ts'
import { anchorTies, type Tie } from '../../storage/anchors/events.ts'
import type { Sender } from '../../storage/anchors/transactions.ts'
import type { Sql } from '../../storage/postgres/db.ts'
import { type Finding, note, ok, problem } from './finding.ts'
import { fundsFinding } from './funds.ts'

const timeoutMs = 3_000

export async function anchorFindings(config: Config): Promise<readonly Finding[]> {
  const { rpcUrls, contract } = config.anchor
  const { anchorPrivateKey: privateKey } = await loadSecrets(config)
  if (rpcUrls.length === 0) {
    const variables =
      contract === null ? 'ANCHOR_RPC_URL and ANCHOR_CONTRACT are' : 'ANCHOR_RPC_URL is'
    return [note('anchor', `receipts are not anchored: ${variables} not set`)]
  }
  if (contract === null) return deploymentFindings(rpcUrls, privateKey)
  if (privateKey === null)
    return [problem('anchor', 'no key to send transactions with', 'set ANCHOR_PRIVATE_KEY')]
  const client = anchorClient({ rpcUrls, privateKey, contract })
  const [chainId, hasContract, isOurs, funds] = await Promise.all([
    client.chainId(),
    client.hasContract(),
    client.isAnchorContract(),
    anchorFunds(client),
  ])
  return [
    isOurs
      ? ok('anchor', `contract ${contract} on chain ${chainId}`)
      : problem(
          'anchor',
          `there is ${hasContract ? 'a different' : 'no'} contract at ${contract} on chain ${chainId}`,
          'run `quittance anchor deploy`, and set ANCHOR_CONTRACT to the address it prints',
        ),
    fundsFinding('anchor sender', funds, `chain ${chainId}`),
  ]
}

async function deploymentFindings(
  rpcUrls: readonly string[],
  privateKey: string | null,
): Promise<readonly Finding[]> {
  const waiting =
    'receipts are not anchored: ANCHOR_CONTRACT is not set. `quittance anchor deploy` deploys one'
  if (privateKey === null) return [note('anchor', `${waiting} once ANCHOR_PRIVATE_KEY is set`)]
  const funds = await deploymentFunds({ rpcUrls, privateKey })
  const isEnough = funds.has >= funds.takes
  return [
    note('anchor', waiting),
    isEnough
      ? ok('anchor sender', funds.address)
      : fundsFinding('anchor sender', funds, `chain ${funds.chainId}`),
  ]
}

/** Events that wait for a transaction of another key or chain than the configured ones. */
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
