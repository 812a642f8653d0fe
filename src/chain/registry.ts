import { base58, hex } from '@scure/base'
import type { PaymentRequest } from '../domain/invoice-terms.ts'
import type { Network } from '../domain/network.ts'

/**
 * When a transfer counts as confirmed: `blocks` deep (its own block included), or, with `finalized`, at the chain's own
 * finality where a node can tell it, `blocks` being the fallback.
 */
export type Confirmations = { readonly blocks: number; readonly finalized: boolean }

export type NetworkRow = {
  readonly kind: 'evm' | 'solana'
  /** EVM chain id; null on Solana. */
  readonly chainId: number | null
  readonly usdcAddress: string
  /** What the token at that address calls itself; none where tokens have no such name of their own. */
  readonly usdcSymbols: readonly string[]
  readonly confirmations: Confirmations
  readonly pollMs: number
  /** Most blocks asked for in one question; halved when a provider refuses. */
  readonly maxRangeBlocks: number
  /**
   * How many of the last blocks are read again every half minute, as nodes may list what a block holds only a while after it: what the chain
   * makes in more than a minute and a half, so that each is read again twice at least, and once when it is a minute old; no fewer than 64.
   */
  readonly rereadBlocks: number
  /** Nodes know what was held at an earlier block; where not, they answer with what is held now, and do not say so. */
  readonly keepsStates: boolean
  /** Transfers cost the sender nothing, so the service sends with a gas price of zero. */
  readonly gasless: boolean
  /**
   * The most that settling one payment may cost this service, in the smallest units of the chain's own coin; zero where it costs none. Of ether
   * and POL about a dollar: fees are signed for at twice what is asked, so it is mostly far less. What is sold costs a cent.
   */
  readonly mostSettlementWei: bigint
}

/** The table of chains: contract §6. Everything in a row can be overridden by configuration. */
export const registry: Readonly<Record<Network, NetworkRow>> = {
  base: evm(8453, '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', { blocks: 5, finalized: false }),
  polygon: {
    ...evm(137, '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359', { blocks: 64, finalized: true }),
    mostSettlementWei: 2n * 10n ** 18n,
  },
  arbitrum: {
    ...evm(42161, '0xaf88d065e77c8cC2239327C5EDb3A432268e5831', { blocks: 40, finalized: false }),
    rereadBlocks: 400,
  },
  skale: {
    ...evm(1187947933, '0x85889c8c714505E0c94b30fcfcF64fE3Ac8FCb20', {
      blocks: 1,
      finalized: false,
    }),
    // Bridged; a deployment of one's own for trying things out is plain USDC.
    usdcSymbols: ['USDC.e', 'USDC'],
    rereadBlocks: 128,
    keepsStates: false,
    gasless: true,
    mostSettlementWei: 0n,
  },
  ethereum: evm(1, '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48', { blocks: 12, finalized: true }),
  solana: {
    kind: 'solana',
    chainId: null,
    usdcAddress: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
    usdcSymbols: [],
    confirmations: { blocks: 32, finalized: true },
    pollMs: 2_000,
    maxRangeBlocks: 1_000,
    rereadBlocks: 256,
    keepsStates: false,
    gasless: false,
    // What a payment may cost its fee payer there is counted otherwise: see `solana-facilitator.ts`.
    mostSettlementWei: 0n,
  },
}

/** A chain's CAIP-2 name, by which x402 v2 knows it: that of Solana holds the first 32 digits of its genesis hash. */
export function caip2Of(network: Network): string {
  const { chainId } = registry[network]
  return chainId === null ? 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp' : `eip155:${chainId}`
}

function evm(chainId: number, usdcAddress: string, confirmations: Confirmations): NetworkRow {
  return {
    kind: 'evm',
    chainId,
    usdcAddress,
    usdcSymbols: ['USDC'],
    confirmations,
    pollMs: 2_000,
    maxRangeBlocks: 1_000,
    rereadBlocks: 64,
    keepsStates: true,
    gasless: false,
    mostSettlementWei: 5n * 10n ** 14n,
  }
}

/** What a wallet app opens to pay: EIP-681 on EVM, Solana Pay (with the reference as an account and a memo) on Solana. */
export function paymentUri(row: NetworkRow, payment: PaymentRequest): string {
  const { payTo, usdcAddress, dueUsdcBase, amountDue, reference } = payment
  if (row.kind === 'evm') {
    return `ethereum:${usdcAddress}@${row.chainId}/transfer?address=${payTo}&uint256=${dueUsdcBase}`
  }
  const account = base58.encode(hex.decode(reference.slice(2)))
  return `solana:${payTo}?amount=${amountDue}&spl-token=${usdcAddress}&reference=${account}&memo=${reference}`
}
