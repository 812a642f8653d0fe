import { anchorClient } from '../chain/anchor.ts'
import type { Block } from '../chain/chain.ts'
import { chainOf } from '../chain/chains.ts'
import { registry } from '../chain/registry.ts'
import { tokenComplaint, tokenFacts } from '../chain/token.ts'
import type { Config } from '../config.ts'
import type { Network } from '../domain/network.ts'
import { loadSecrets } from '../secrets.ts'
import { type Finding, note, ok, problem } from './finding.ts'

const staleHeadMs = 120_000
const mostAheadMs = 60_000
const mostBehindBlocks = 20

/** Checks each node of a chain separately: behind a failover, a faulty one would go unnoticed. */
export async function chainFindings(config: Config, network: Network): Promise<readonly Finding[]> {
  const { rpcUrls, usdcAddress: usdc } = config.networks[network]
  const variable = `${network.toUpperCase()}_RPC_URL`
  if (rpcUrls.length === 0) return [note(network, `not watched: ${variable} is not set`)]
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
  return isDark ? nodes : [...nodes, ...(await tokenFindings(config, network))]
}

/** Whether the configured token exists on this chain and the operator's wallet can receive it. */
async function tokenFindings(config: Config, network: Network): Promise<readonly Finding[]> {
  const { rpcUrls, usdcAddress: usdc } = config.networks[network]
  const { wallets } = await loadSecrets(config)
  const wallet = wallets[network]
  const what = `${network} token`
  const facts = await tokenFacts({ network, rpcUrls, usdc, wallet })
  const complaint = tokenComplaint({ network, usdc }, facts)
  if (complaint !== null) return [problem(what, complaint, `correct ${network.toUpperCase()}_USDC`)]
  if (facts.hasAccount) return [ok(what, usdc)]
  const detail = `${wallet} has no account for it yet: who pays first must make it, which exchanges do not. Send it some USDC, once`
  return [ok(what, usdc), note(`${network} wallet`, detail)]
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

/** Whether receipts and mandates can be anchored on the anchor chain: contract, key and balance. */
export async function anchorFindings(config: Config): Promise<readonly Finding[]> {
  const { rpcUrls, contract } = config.anchor
  if (rpcUrls.length === 0 || contract === null)
    return [note('anchor', 'receipts wait: ANCHOR_RPC_URL or ANCHOR_CONTRACT is not set')]
  const { anchorPrivateKey: privateKey } = await loadSecrets(config)
  if (privateKey === null)
    return [problem('anchor', 'there is no key to send with', 'set ANCHOR_PRIVATE_KEY')]
  const client = anchorClient({ rpcUrls, privateKey, contract })
  const [chainId, hasContract, balanceWei] = await Promise.all([
    client.chainId(),
    client.hasContract(),
    client.balanceWei(),
  ])
  const gasless = Object.values(registry).some((row) => row.chainId === chainId && row.gasless)
  return [
    hasContract
      ? ok('anchor', `contract ${contract} on chain ${chainId}`)
      : problem(
          'anchor',
          `there is no contract at ${contract} on chain ${chainId}`,
          'deploy it with `quittance anchor deploy`, and set ANCHOR_CONTRACT to what that prints',
        ),
    balanceWei > 0n || gasless
      ? ok('anchor sender', client.sender)
      : problem(
          'anchor sender',
          `${client.sender} has nothing to pay for transactions with`,
          `send it some of the coin of chain ${chainId}`,
        ),
  ]
}
