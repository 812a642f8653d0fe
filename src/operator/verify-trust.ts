import { tallyOnChain } from '../chain/anchor/tally.ts'

export type Compared = {
  readonly ok: boolean
  /** What is served does not add up, or has nothing of this contract and sender. */
  readonly problem: string | null
  readonly blockNumber: number | null
  readonly served: Counts | null
  readonly onChain: Counts | null
}

type Counts = { readonly receipts: number; readonly mandates: number }

/** The parts of the served section that are compared. */
type Signals = {
  readonly metrics: {
    readonly drs_receipts_issued: number
    readonly mandates_anchored: number
  }
  readonly anchors: readonly (Counts & {
    readonly chain_id: number
    readonly contract: string
    readonly sender: string
    readonly block_number: number
  })[]
}

/** Null: this is no section `trust_signals`. */
export function asSignals(input: unknown): Signals | null {
  const { metrics, anchors } = (input ?? {}) as Partial<Signals>
  const areCounts = (...of: readonly unknown[]) => of.every((one) => Number.isSafeInteger(one))
  const isWhole =
    areCounts(metrics?.drs_receipts_issued, metrics?.mandates_anchored) &&
    Array.isArray(anchors) &&
    anchors.every(
      (one: Signals['anchors'][number] | null) =>
        areCounts(one?.chain_id, one?.block_number, one?.receipts, one?.mandates) &&
        typeof one?.contract === 'string' &&
        typeof one.sender === 'string',
    )
  return isWhole ? (input as Signals) : null
}

/**
 * Compares what a service says of a contract and sender with what a node says of them. `from`: as
 * of `tallyOnChain`. Rejects with `ChainError`.
 */
export async function verifyTrust(
  { metrics, anchors }: Signals,
  rpcUrl: string,
  { contract, sender, from }: { contract: string; sender: string; from: number | null },
): Promise<Compared> {
  const by = { contract: contract.toLowerCase(), sender: sender.toLowerCase() }
  const ours = anchors.find((one) => one.contract === by.contract && one.sender === by.sender)
  const nothing = { ok: false, blockNumber: null, served: null, onChain: null }
  if (!ours) return { ...nothing, problem: 'the signals name no such contract and sender' }
  const { chain_id: chainId, block_number: blockNumber, receipts, mandates } = ours
  const onChain = await tallyOnChain([rpcUrl], { chainId, ...by }, { from, to: blockNumber })
  const addUp =
    metrics.drs_receipts_issued === sumOf(anchors.map((one) => one.receipts)) &&
    // A mandate may have states with several contracts or senders.
    metrics.mandates_anchored <= sumOf(anchors.map((one) => one.mandates))
  return {
    ok: addUp && onChain.receipts === receipts && onChain.mandates === mandates,
    problem: addUp ? null : 'the signals do not add up to their totals',
    blockNumber,
    served: { receipts, mandates },
    onChain,
  }
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0)
}
