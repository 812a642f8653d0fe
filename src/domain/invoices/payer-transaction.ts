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
