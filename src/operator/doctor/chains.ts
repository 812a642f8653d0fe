import type { Block } from '../../chain/chain.ts'
import { chainOf } from '../../chain/chains.ts'
import { tokenFacts, tokenProblem } from '../../chain/token.ts'
import type { Config } from '../../config/config.ts'
import { loadSecrets } from '../../config/secrets.ts'
import type { Network } from '../../domain/network.ts'
import { registry, staleHeadMs } from '../../domain/registry.ts'
import { type Finding, note, ok, problem } from './finding.ts'
import { facilitatorFindings } from './funds.ts'

const maxAheadMs = 60_000
const maxBehindBlocks = 20

/** Checks each node of a chain by itself: failover would hide a faulty one. */
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
      return problem(what, head.message, `correct this URL in ${variable}, or remove it`)
    return headFinding(what, head, { network, newest })
  })
  const isDark = heads.every((head) => head instanceof Error)
  if (isDark) return nodes
  const others = [tokenFindings(config, network), facilitatorFindings(config, network)]
  return [...nodes, ...(await Promise.all(others)).flat()]
}

function unwatched({ facilitator }: Config, network: Network, why: string): Finding {
  const noFacilitator = '; X402_FACILITATOR_URL takes no payments there'
  return note(network, `not watched: ${why}${facilitator.url === null ? '' : noFacilitator}`)
}

const noAccount = 'has no token account: nothing is sold by x402, and exchanges cannot pay invoices'
const noCoin =
  'has no SOL, so wallets that use the Solana Pay library do not find it: send it about 0.001 SOL once'

async function tokenFindings(config: Config, network: Network): Promise<readonly Finding[]> {
  const { rpcUrls, usdcAddress: usdc } = config.networks[network]
  const { wallets } = await loadSecrets(config)
  const wallet = wallets[network]
  const what = `${network} token`
  const facts = await tokenFacts({ network, rpcUrls, usdc, wallet })
  const fault = tokenProblem({ network, usdc }, facts)
  if (fault !== null) return [problem(what, fault, `correct ${network.toUpperCase()}_USDC`)]
  const owner = `${network} wallet`
  return [
    ok(what, usdc),
    ...(facts.hasAccount
      ? []
      : [problem(owner, `${wallet} ${noAccount}`, 'send it some USDC once')]),
    ...(facts.isFound ? [] : [note(owner, `${wallet} ${noCoin}`)]),
  ]
}

function headFinding(
  what: string,
  head: Block,
  { network, newest }: { network: Network; newest: number },
): Finding {
  const ageMs = Date.now() - head.timestampMs
  const seconds = (ms: number) => `${Math.round(ms / 1_000)} s`
  if (ageMs < -maxAheadMs) {
    const detail = `its newest block is ${seconds(-ageMs)} in the future`
    return problem(what, detail, 'this machine’s clock is slow: run an NTP client')
  }
  if (ageMs > staleHeadMs) {
    const detail = `its newest block is ${seconds(ageMs)} old`
    return problem(what, detail, 'the node is out of sync: wait, or use another one')
  }
  if (newest - head.number > maxBehindBlocks) {
    const detail = `${newest - head.number} blocks behind another node of this chain`
    return problem(what, detail, 'the node is out of sync: wait, or put it last in the list')
  }
  const { chainId } = registry[network]
  const chain = chainId === null ? network : `chain ${chainId}`
  return ok(what, `${chain}, block ${head.number}, ${seconds(Math.max(0, ageMs))} old`)
}
