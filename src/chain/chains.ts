import type { Network } from '../domain/network.ts'
import type { Chain } from './chain.ts'
import { evmChain } from './evm.ts'
import { registry } from './registry.ts'
import type { NodeWatch } from './rpc.ts'
import { solanaChain } from './solana.ts'

/** The adapter of a network, by its row of the table of chains. */
export function chainOf(options: {
  readonly network: Network
  readonly rpcUrls: readonly string[]
  readonly usdc: string
  readonly onNode?: NodeWatch
}): Chain {
  const { chainId } = registry[options.network]
  return chainId === null ? solanaChain(options) : evmChain({ ...options, chainId })
}
