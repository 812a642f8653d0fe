import type { Network } from '../domain/network.ts'
import type { Chain } from './chain.ts'
import { evmChain } from './evm.ts'
import { registry } from './registry.ts'
import type { NodeWatch } from './rpc.ts'
import { solanaChain, type UnreadWatch } from './solana.ts'
import type { SurplusWatch } from './solana-surplus.ts'
import { withCheckedToken } from './token.ts'

type Options = {
  readonly network: Network
  readonly rpcUrls: readonly string[]
  readonly usdc: string
  readonly onNode?: NodeWatch
  /** Where the chain tells of balances beside transfers: on Solana. */
  readonly onSurplus?: SurplusWatch
  /** Where transactions come in versions: on Solana. */
  readonly onUnread?: UnreadWatch
}

/** The adapter of a network, by its row of the table of chains. */
export function chainOf(options: Options): Chain {
  const { chainId } = registry[options.network]
  return chainId === null ? solanaChain(options) : evmChain({ ...options, chainId })
}

/** The same for whoever settles by it: no head is told before the token there has been found to be USDC. */
export function settlingChainOf(options: Options): Chain {
  return withCheckedToken(chainOf(options), options)
}
