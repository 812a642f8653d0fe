import type { InvoiceChain } from '../../domain/network.ts'

type Chain = { readonly name: string; readonly explorer: string }

/** The display name of each chain, and the explorer URL to append a transaction's hash to. */
export const chains: Readonly<Record<InvoiceChain, Chain>> = {
  base: { name: 'Base', explorer: 'https://basescan.org/tx/' },
  polygon: { name: 'Polygon', explorer: 'https://polygonscan.com/tx/' },
  arbitrum: { name: 'Arbitrum One', explorer: 'https://arbiscan.io/tx/' },
  solana: { name: 'Solana', explorer: 'https://solscan.io/tx/' },
  skale: { name: 'SKALE Base', explorer: 'https://skale-base-explorer.skalenodes.com/tx/' },
}
