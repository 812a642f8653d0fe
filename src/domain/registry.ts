/** A node whose newest block is older has stopped: a chain makes one every 10 s or more often. */
export const staleHeadMs = 120_000

/**
 * A transfer is confirmed at a depth of `blocks`, its own included, or with `finalized` at the
 * chain's finality; `blocks` then serves nodes that do not report it.
 */
export type Confirmations = { readonly blocks: number; readonly finalized: boolean }

export type ChainRow = {
  readonly kind: 'evm' | 'solana'
  readonly label: string
  /** The transaction's hash is appended. */
  readonly explorer: string
  readonly chainId: number | null
  /** What gas is paid in. */
  readonly coin: string
  /** For wallets that do not know the chain; empty on Solana. */
  readonly publicRpcUrl: string
  readonly usdcAddress: string
  /** Symbols the token may report; empty on Solana. */
  readonly usdcSymbols: readonly string[]
  /** The token's EIP-712 domain; null on Solana. */
  readonly usdcDomain: { readonly name: string; readonly version: string } | null
  readonly confirmations: Confirmations
  readonly pollMs: number
  /** The most blocks of one question; halved when a provider refuses. */
  readonly maxRangeBlocks: number
  /**
   * The newest blocks, read again every 30 s, as nodes list some transfers late. At least 64, and
   * what the chain makes in 90 s: so every block is read again twice.
   */
  readonly rereadBlocks: number
  /** Whether nodes answer for the state at an earlier block, or always with today's. */
  readonly keepsStates: boolean
  /** Whether transactions are sent with a gas price of zero. */
  readonly gasless: boolean
  /**
   * Limits the gas of one x402 payment, as a payer's contract may use any. A plain payment takes
   * about 90,000, one from a passkey wallet less than 400,000.
   */
  readonly maxSettlementGas: bigint
  /** Limits the cost of one x402 payment in wei, to about a dollar. */
  readonly maxSettlementWei: bigint
  /** Null: version 1 of x402 has no name for the chain. */
  readonly x402V1Name: string | null
}

/**
 * The chains an invoice may name. Variables (`BASE_…`) and queues (`watch-base`) follow from the
 * id.
 */
export const invoiceRows = {
  base: evm({
    label: 'Base',
    explorer: 'https://basescan.org/tx/',
    chainId: 8453,
    publicRpcUrl: 'https://mainnet.base.org',
    usdcAddress: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    confirmations: { blocks: 5, finalized: false },
    x402V1Name: 'base',
  }),
  polygon: evm({
    label: 'Polygon',
    explorer: 'https://polygonscan.com/tx/',
    chainId: 137,
    coin: 'POL',
    publicRpcUrl: 'https://polygon-rpc.com',
    usdcAddress: '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359',
    confirmations: { blocks: 64, finalized: true },
    maxSettlementWei: 2n * 10n ** 18n,
    x402V1Name: 'polygon',
  }),
  arbitrum: evm({
    label: 'Arbitrum One',
    explorer: 'https://arbiscan.io/tx/',
    chainId: 42161,
    publicRpcUrl: 'https://arb1.arbitrum.io/rpc',
    usdcAddress: '0xaf88d065e77c8cC2239327C5EDb3A432268e5831',
    confirmations: { blocks: 40, finalized: false },
    rereadBlocks: 400,
    // Gas here includes posting to Ethereum and costs about a hundredth.
    maxSettlementGas: 3_000_000n,
  }),
  solana: {
    kind: 'solana',
    label: 'Solana',
    explorer: 'https://solscan.io/tx/',
    chainId: null,
    coin: 'SOL',
    publicRpcUrl: '',
    usdcAddress: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
    usdcSymbols: [],
    usdcDomain: null,
    confirmations: { blocks: 32, finalized: true },
    pollMs: 2_000,
    maxRangeBlocks: 1_000,
    // Slots take 200 ms by SIMD-0525, and sometimes less.
    rereadBlocks: 640,
    keepsStates: false,
    gasless: false,
    // `chain/facilitator/solana.ts` limits the cost by its own rules.
    maxSettlementGas: 0n,
    maxSettlementWei: 0n,
    x402V1Name: 'solana',
  } as ChainRow,
  skale: evm({
    label: 'SKALE Base',
    explorer: 'https://skale-base-explorer.skalenodes.com/tx/',
    chainId: 1187947933,
    coin: 'CREDIT',
    publicRpcUrl: 'https://skale-base.skalenodes.com/v1/base',
    usdcAddress: '0x85889c8c714505E0c94b30fcfcF64fE3Ac8FCb20',
    // Bridged USDC; a private deployment for trials is plain USDC.
    usdcSymbols: ['USDC.e', 'USDC'],
    usdcDomain: { name: 'Bridged USDC (SKALE Bridge)', version: '2' },
    confirmations: { blocks: 1, finalized: false },
    rereadBlocks: 128,
    keepsStates: false,
    gasless: true,
    maxSettlementWei: 0n,
  }),
}

/** Chains for x402 payments only: no invoice may name them. */
const otherRows = {
  ethereum: evm({
    label: 'Ethereum',
    explorer: 'https://etherscan.io/tx/',
    chainId: 1,
    publicRpcUrl: 'https://ethereum-rpc.publicnode.com',
    usdcAddress: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
    confirmations: { blocks: 12, finalized: true },
  }),
}

/** Contract §6. Configuration may override token address, confirmations, `pollMs` and ranges. */
export const registry = { ...invoiceRows, ...otherRows }

type EvmRow = Pick<
  ChainRow,
  'label' | 'explorer' | 'publicRpcUrl' | 'usdcAddress' | 'confirmations'
> & {
  readonly chainId: number
} & Partial<ChainRow>

function evm(row: EvmRow): ChainRow {
  return {
    kind: 'evm',
    coin: 'ETH',
    usdcSymbols: ['USDC'],
    usdcDomain: { name: 'USD Coin', version: '2' },
    pollMs: 2_000,
    maxRangeBlocks: 1_000,
    rereadBlocks: 64,
    keepsStates: true,
    gasless: false,
    maxSettlementGas: 500_000n,
    maxSettlementWei: 5n * 10n ** 14n,
    x402V1Name: null,
    ...row,
  }
}
