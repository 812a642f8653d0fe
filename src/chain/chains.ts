import { type Network, networks } from '../domain/network.ts'
import { registry } from '../domain/registry.ts'
import type { Chain } from './chain.ts'
import { evmChain } from './evm/evm.ts'
import { evmPurchaseReader } from './evm/purchases.ts'
import type { NodeWatch } from './rpc/failover.ts'
import { createSecondNode, type SecondNode } from './rpc/second-node.ts'
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

type Nodes = { readonly rpcUrls: readonly string[]; readonly usdcAddress: string }

export type SecondNodes = ReadonlyMap<Network, SecondNode>

/** One for each chain with a node; the process's own. */
export function secondNodesOf(
  configured: Readonly<Record<Network, Nodes>>,
  parts: Omit<Parameters<typeof createSecondNode>[0], 'chain'>,
): SecondNodes {
  const connected = networks.filter((network) => configured[network].rpcUrls.length > 0)
  return new Map(
    connected.map((network) => {
      const { rpcUrls, usdcAddress: usdc } = configured[network]
      return [network, createSecondNode({ ...parts, chain: chainOf({ network, rpcUrls, usdc }) })]
    }),
  )
}

/** The reader of payments to addresses that are not watched. */
export function purchaseReaderOf(
  options: Options & { readonly maxRangeBlocks: number; readonly secondNode: SecondNode },
) {
  const { network, rpcUrls, usdc } = options
  const { seconded } = options.secondNode
  const chain = chainOf(options)
  const { chainId } = registry[network]
  return chainId === null
    ? { ...solanaPurchaseReader(chain, solanaRpc({ rpcUrls }), { usdc }), seconded }
    : { ...evmPurchaseReader({ ...options, chain, chainId }), seconded }
}

export type PurchaseReaders = ReadonlyMap<Network, ReturnType<typeof purchaseReaderOf>>
