import { problemsOf } from '../chain/wallets.ts'
import { type Network, networks } from '../domain/network.ts'
import type { Config } from './config.ts'
import { misspeltNote } from './env.ts'

/** What the service does not do as it is configured, for operators. */
export function notesOn(config: Config): readonly string[] {
  const unwatched = networks.filter((network) => !isWatched(config, network))
  const { url: facilitatorUrl } = config.facilitator
  const untaken = facilitatorUrl === null ? '' : '; X402_FACILITATOR_URL takes no payments there'
  const mistyped = problemsOf((network) => config.networks[network].wallet)
  return [
    ...config.misspelt.map(misspeltNote),
    ...mistyped.map(({ variable, problem }) => `${variable} ${problem}`),
    ...(unwatched.length > 0
      ? [`not watched: ${unwatched.join(', ')} (no RPC URL)${untaken}`]
      : []),
    ...(isAnchoring(config)
      ? []
      : ['receipts wait to be anchored: ANCHOR_RPC_URL or ANCHOR_CONTRACT is missing']),
    ...(isAnchoring(config) && lacksAnchorKey(config)
      ? ['nothing is anchored by this process: ANCHOR_PRIVATE_KEY is missing']
      : []),
  ]
}

/** Whether a worker lacks the key to anchor with, which the embedded default generates. */
function lacksAnchorKey({ role, queues, databaseUrl, anchor }: Config): boolean {
  const anchors = role !== 'http' && queues.includes('anchor')
  return anchors && databaseUrl !== null && anchor.privateKey === null
}

/** Whether a chain is watched for payments. */
export function isWatched(config: Config, network: Network): boolean {
  return config.networks[network].rpcUrls.length > 0
}

/** Whether receipts and mandates are anchored, by a process that has the key. */
export function isAnchoring({ anchor: { rpcUrls, contract } }: Config): boolean {
  return rpcUrls.length > 0 && contract !== null
}
