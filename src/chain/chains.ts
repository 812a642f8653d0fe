import type { Network } from '../domain/network.ts'
import { registry } from '../domain/registry.ts'
import type { Chain } from './chain.ts'
import { evmChain } from './evm/evm.ts'
import { evmPurchaseReader } from './evm/purchases.ts'
import type { NodeWatch } from './rpc/failover.ts'
import { solanaPurchaseReader } from './solana/purchases.ts'
import { solanaChain, solanaRpc, type UnreadWatch } from './solana/solana.ts'
import type { SurplusWatch } from './solana/surplus.ts'
import { withCheckedToken } from './token.ts'

type Options = {
  readonly network: Network
  readonly rpcUrls: readonly string[]
  readonly usdc: string
  readonly onNode?: NodeWatch
  readonly onSurplus?: SurplusWatch
  readonly onUnread?: UnreadWatch
}

export function chainOf(options: Options): Chain {
  const { chainId } = registry[options.network]
  return chainId === null ? solanaChain(options) : evmChain({ ...options, chainId })
}

/** The adapter for settling: `head` rejects until the token at `usdc` is found to be USDC. */
export function settlingChainOf(options: Options): Chain {
  return withCheckedToken(chainOf(options), options)
}

/** The reader of payments to addresses that are not watched. */
export function purchaseReaderOf(options: Options & { readonly maxRangeBlocks: number }) {
  const { network, rpcUrls, usdc } = options
  const chain = chainOf(options)
  const { chainId } = registry[network]
  return chainId === null
    ? solanaPurchaseReader(chain, solanaRpc({ rpcUrls }), { usdc })
    : evmPurchaseReader({ ...options, chain, chainId })
}

export type PurchaseReaders = ReadonlyMap<Network, ReturnType<typeof purchaseReaderOf>>
