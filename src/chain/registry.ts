import { base58, hex } from '@scure/base'
import type { PaymentRequest } from '../domain/invoices/terms.ts'
import { type Network, networks } from '../domain/network.ts'

/**
 * When a transfer counts as confirmed: at a depth of `blocks` (its own block included) or, with
 * `finalized`, at the chain's own finality where a node can report it, with `blocks` as the
 * fallback.
 */
export type Confirmations = { readonly blocks: number; readonly finalized: boolean }

export type NetworkRow = {
  readonly kind: 'evm' | 'solana'
  /** EVM chain id; null on Solana. */
  readonly chainId: number | null
  readonly usdcAddress: string
  /**
   * Symbols the token at that address may report; empty where tokens have no symbol of their own.
   */
  readonly usdcSymbols: readonly string[]
  readonly confirmations: Confirmations
  readonly pollMs: number
  /** Most blocks asked for in one question; halved when a provider refuses a range. */
  readonly maxRangeBlocks: number
  /**
   * How many of the last blocks are read again every half minute, because a node may list what a
   * block holds only some time after the block. It covers what the chain produces in more than a
   * minute and a half, with a minimum of 64: every block is read again at least twice, and once
   * when it is a minute old. Where that takes a node longer than a quarter of a minute, as much
   * passes before the next time.
   */
  readonly rereadBlocks: number
  /**
   * Whether nodes keep past states, and so know what was held at an earlier block. Where they do
   * not, they answer with what is held now, without saying so.
   */
  readonly keepsStates: boolean
  /** Transfers cost the sender nothing, so the service sends with a gas price of zero. */
  readonly gasless: boolean
  /**
   * The most that settling one payment may cost this service, in the smallest unit of the chain's
   * own coin; zero where settling is free. In ether and POL it is about a dollar: a transaction is
   * signed for several times the current fee, so it usually costs far less. What is sold costs a
   * cent.
   */
  readonly mostSettlementWei: bigint
}

/**
 * The table of chains (contract §6). Configuration can override a row's token address,
 * confirmations, `pollMs` and `maxRangeBlocks`.
 */
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
    // Bridged USDC; a private deployment for trials is plain USDC.
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
    // Slots are to take 200 ms (SIMD-0525), and take less on some days.
    rereadBlocks: 640,
    keepsStates: false,
    gasless: false,
    // The cost of a Solana payment to its fee payer is limited otherwise: see
    // `solana-facilitator.ts`.
    mostSettlementWei: 0n,
  },
}

/**
 * A chain's CAIP-2 name, by which x402 v2 knows it. Solana's holds the first 32 characters of its
 * genesis hash.
 */
export function caip2Of(network: Network): string {
  const { chainId } = registry[network]
  return chainId === null ? 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp' : `eip155:${chainId}`
}

/** The network that x402 names by CAIP-2 (v2) or by our own name (v1). */
export function networkNamed(name: string): Network | undefined {
  return networks.find((network) => network === name || caip2Of(network) === name)
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

/**
 * The URI a wallet app opens to pay: EIP-681 on EVM, Solana Pay on Solana, where the reference is
 * given both as an account and as a memo.
 */
export function paymentUri(row: NetworkRow, payment: PaymentRequest): string {
  const { payTo, usdcAddress, dueUsdcBase, amountDue, reference } = payment
  if (row.kind === 'evm') {
    return `ethereum:${usdcAddress}@${row.chainId}/transfer?address=${payTo}&uint256=${dueUsdcBase}`
  }
  const account = base58.encode(hex.decode(reference.slice(2)))
  return `solana:${payTo}?amount=${amountDue}&spl-token=${usdcAddress}&reference=${account}&memo=${reference}`
}
