import { type Network, networks } from '../domain/network.ts'
import type { Config } from './config.ts'
import { typoText } from './env.ts'

/** What the service will not do with this configuration, for operators. */
export function notesOn(config: Config): readonly string[] {
  const unwatched = networks.filter((network) => !isWatched(config, network))
  const { url: facilitatorUrl } = config.facilitator
  const noFacilitator =
    facilitatorUrl === null ? '' : '; X402_FACILITATOR_URL takes no payments there'
  return [
    ...config.typos.map(typoText),
    ...(unwatched.length > 0
      ? [`not watched: ${unwatched.join(', ')} (no RPC URL)${noFacilitator}`]
      : []),
    ...(config.fx.ecbUrl === null && config.fx.fixed.source === 'none'
      ? ['only USD and USDC are invoiced: FX_SOURCE or FX_RATES is missing']
      : []),
    ...(isAnchoring(config)
      ? []
      : ['receipts are not anchored: ANCHOR_RPC_URL or ANCHOR_CONTRACT is missing']),
    ...(isAnchoring(config) && lacksAnchorKey(config)
      ? ['this process will not anchor: ANCHOR_PRIVATE_KEY is missing']
      : []),
  ]
}

/** The embedded default generates a key. */
function lacksAnchorKey({ role, queues, databaseUrl, anchor }: Config): boolean {
  const anchors = role !== 'http' && queues.includes('anchor')
  return anchors && databaseUrl !== null && anchor.privateKey === null
}

export function isWatched(config: Config, network: Network): boolean {
  return config.networks[network].rpcUrls.length > 0
}

export function isAnchoring({ anchor: { rpcUrls, contract } }: Config): boolean {
  return rpcUrls.length > 0 && contract !== null
}
