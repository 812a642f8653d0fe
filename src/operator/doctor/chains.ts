import { anchorClient, deploymentFunds } from '../../chain/anchor/anchor.ts'
import type { Block } from '../../chain/chain.ts'
import { chainOf } from '../../chain/chains.ts'
import { isRefusal } from '../../chain/rpc/fault.ts'
import { tokenFacts, tokenProblem } from '../../chain/token.ts'
import type { Config } from '../../config/config.ts'
import { loadSecrets } from '../../config/secrets.ts'
import type { Network } from '../../domain/network.ts'
import { registry, staleHeadMs } from '../../domain/registry.ts'
import { type Finding, note, ok, problem } from './finding.ts'
import { facilitatorFindings, fundsFinding } from './funds.ts'

const mostAheadMs = 60_000
const mostBehindBlocks = 20
/** As long as those that are anchored. */
const someEntry = {
  kind: 'receipt',
  hash: `0x${'11'.repeat(32)}`,
  label: crypto.randomUUID(),
} as const

/** Checks each node of a chain separately: behind a failover, a faulty one would go unnoticed. */
export async function chainFindings(config: Config, network: Network): Promise<readonly Finding[]> {
  const { rpcUrls, usdcAddress: usdc } = config.networks[network]
  const variable = `${network.toUpperCase()}_RPC_URL`
  if (rpcUrls.length === 0) return [unwatched(config, network, `${variable} is not set`)]
  const heads = await Promise.all(
    rpcUrls.map((url) =>
      chainOf({ network, rpcUrls: [url], usdc })
        .head()
        .catch((error: Error) => error),
    ),
  )
  const newest = Math.max(...heads.map((head) => (head instanceof Error ? 0 : head.number)))
  const nodes = heads.map((head, at) => {
    const what = `${network} at ${URL.parse(rpcUrls[at] ?? '')?.host}`
    if (head instanceof Error)
      return problem(what, head.message, `correct this URL of ${variable}, or leave it out`)
    return headFinding(what, head, { network, newest })
  })
  const isDark = heads.every((head) => head instanceof Error)
  if (isDark) return nodes
  const others = [tokenFindings(config, network), facilitatorFindings(config, network)]
  return [...nodes, ...(await Promise.all(others)).flat()]
}

/** A chain without a node; `why` says which variable is missing. */
function unwatched({ facilitator }: Config, network: Network, why: string): Finding {
  const untaken = '; X402_FACILITATOR_URL takes no payments there'
  return note(network, `not watched: ${why}${facilitator.url === null ? '' : untaken}`)
}

const noAccount =
  'has no account for the token yet: who pays first must make it, which exchanges do not. Send it some USDC, once'
const noCoin =
  'holds no SOL, so wallets that pay by the library of Solana Pay do not find it. Send it about 0.001 SOL, once'

/** Whether the configured token exists on this chain and the operator's wallet can receive it. */
async function tokenFindings(config: Config, network: Network): Promise<readonly Finding[]> {
  const { rpcUrls, usdcAddress: usdc } = config.networks[network]
  const { wallets } = await loadSecrets(config)
  const wallet = wallets[network]
  const what = `${network} token`
  const facts = await tokenFacts({ network, rpcUrls, usdc, wallet })
  const complaint = tokenProblem({ network, usdc }, facts)
  if (complaint !== null) return [problem(what, complaint, `correct ${network.toUpperCase()}_USDC`)]
  const lacks = [...(facts.hasAccount ? [] : [noAccount]), ...(facts.isFound ? [] : [noCoin])]
  if (lacks.length === 0) return [ok(what, usdc)]
  return [ok(what, usdc), note(`${network} wallet`, `${wallet} ${lacks.join('. It ')}`)]
}

function headFinding(
  what: string,
  head: Block,
  { network, newest }: { network: Network; newest: number },
): Finding {
  const ageMs = Date.now() - head.timestampMs
  const seconds = (ms: number) => `${Math.round(ms / 1_000)} s`
  if (ageMs < -mostAheadMs) {
    const detail = `its newest block is of ${seconds(-ageMs)} from now`
    return problem(what, detail, 'run an NTP client on this machine: its clock is behind')
  }
  if (ageMs > staleHeadMs) {
    const detail = `its newest block is ${seconds(ageMs)} old`
    return problem(what, detail, 'the node is not in sync: wait for it, or use another one')
  }
  if (newest - head.number > mostBehindBlocks) {
    const detail = `${newest - head.number} blocks behind another node of this chain`
    return problem(what, detail, 'the node is not in sync: wait for it, or put it last')
  }
  const { chainId } = registry[network]
  const chain = chainId === null ? network : `chain ${chainId}`
  return ok(what, `${chain}, block ${head.number}, ${seconds(Math.max(0, ageMs))} old`)
}

function orUsualGas(error: unknown): bigint {
  // A node may refuse to estimate for a sender without coin, or for a contract that is not ours.
  if (isRefusal(error)) return 60_000n
  throw error
}

/** Whether what is owed can be anchored on the anchor chain: contract, key and funds. */
export async function anchorFindings(config: Config): Promise<readonly Finding[]> {
  const { rpcUrls, contract } = config.anchor
  const { anchorPrivateKey: privateKey } = await loadSecrets(config)
  if (rpcUrls.length === 0) {
    const variables =
      contract === null ? 'ANCHOR_RPC_URL and ANCHOR_CONTRACT are' : 'ANCHOR_RPC_URL is'
    return [note('anchor', `receipts wait: ${variables} not set`)]
  }
  if (contract === null) return deploymentFindings(rpcUrls, privateKey)
  if (privateKey === null)
    return [problem('anchor', 'there is no key to send with', 'set ANCHOR_PRIVATE_KEY')]
  const client = anchorClient({ rpcUrls, privateKey, contract })
  const [chainId, hasContract, isOurs, balanceWei, gas, { maxFeePerGas }] = await Promise.all([
    client.chainId(),
    client.hasContract(),
    client.isAnchorContract(),
    client.balanceWei(),
    client.gasFor([someEntry]).catch(orUsualGas),
    client.fees(),
  ])
  const funds = { address: client.sender, has: balanceWei, takes: gas * maxFeePerGas, scale: 18 }
  return [
    isOurs
      ? ok('anchor', `contract ${contract} on chain ${chainId}`)
      : problem(
          'anchor',
          `there is ${hasContract ? 'another' : 'no'} contract at ${contract} on chain ${chainId}`,
          'deploy it with `quittance anchor deploy`, and set ANCHOR_CONTRACT to what that prints',
        ),
    fundsFinding('anchor sender', funds, `chain ${chainId}`),
  ]
}

/** What is lacking for `quittance anchor deploy`; a generated key is funded by its address. */
async function deploymentFindings(
  rpcUrls: readonly string[],
  privateKey: string | null,
): Promise<readonly Finding[]> {
  const waiting =
    'receipts wait: ANCHOR_CONTRACT is not set, and `quittance anchor deploy` makes one'
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
