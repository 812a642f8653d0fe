import type { Network } from '../network.ts'
import { registry } from '../registry.ts'
import type { Terms } from './terms.ts'

/** What a wallet signs to pay an invoice; the invoice's reference is in it. */
export type PayerTransaction = EvmPayment | SolanaPayment

export type EvmPayment = {
  readonly chainId: string
  readonly to: string
  readonly data: string
  readonly value: '0x0'
  /** For `wallet_addEthereumChain`. */
  readonly chain: EvmChainParameters
}

export type EvmChainParameters = {
  readonly chainId: string
  readonly chainName: string
  readonly rpcUrls: readonly string[]
  readonly blockExplorerUrls: readonly string[]
  readonly nativeCurrency: {
    readonly name: string
    readonly symbol: string
    readonly decimals: number
  }
}

/** Base64 of a transaction that only the payer's signature is missing from. */
export type SolanaPayment = { readonly transaction: string }

type Paid = Pick<Terms, 'payTo' | 'usdcAddress' | 'dueUsdcBase' | 'reference'>

/**
 * `transfer`, with the reference after its arguments, where the token does not look. The reference
 * `0x` is none.
 */
export function evmPayment(network: Network, paid: Paid): EvmPayment {
  const { chainId, label, explorer, coin, publicRpcUrl } = registry[network]
  const payTo = paid.payTo.slice(2).toLowerCase().padStart(64, '0')
  const amount = paid.dueUsdcBase.toString(16).padStart(64, '0')
  const id = `0x${(chainId ?? 0).toString(16)}`
  return {
    chainId: id,
    to: paid.usdcAddress,
    data: transferSelector + payTo + amount + paid.reference.slice(2),
    value: '0x0',
    chain: {
      chainId: id,
      chainName: label,
      rpcUrls: [publicRpcUrl],
      blockExplorerUrls: [new URL(explorer).origin],
      nativeCurrency: { name: coin, symbol: coin, decimals: 18 },
    },
  }
}

const transferSelector = '0xa9059cbb'
