import type { InvoiceChain } from '../domain/network.ts'

type Chain = { readonly name: string; readonly explorer: string }

/**
 * The display name of each chain, and the URL to which a transaction's hash is appended to look it
 * up.
 */
export const chains: Readonly<Record<InvoiceChain, Chain>> = {
  base: { name: 'Base', explorer: 'https://basescan.org/tx/' },
  polygon: { name: 'Polygon', explorer: 'https://polygonscan.com/tx/' },
  arbitrum: { name: 'Arbitrum One', explorer: 'https://arbiscan.io/tx/' },
  solana: { name: 'Solana', explorer: 'https://solscan.io/tx/' },
  skale: { name: 'SKALE Base', explorer: 'https://skale-base-explorer.skalenodes.com/tx/' },
}
