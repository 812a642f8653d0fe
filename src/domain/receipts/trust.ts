/** Totals across all accounts. */
export type TrustMetrics = {
  /** Anchored, without revoked ones. */
  readonly receiptsIssued: number
  readonly mandatesAnchored: number
  /** Settled or completed. */
  readonly invoicesSettled: number
}

/**
 * What a sender has had a contract emit in the blocks up to `blockNumber`, all of it final: the
 * receipts of its batches less those that it has revoked, and mandates. Addresses in lower case.
 */
export type Tally = {
  readonly chainId: number
  readonly contract: string
  readonly sender: string
  readonly blockNumber: number
  readonly receipts: number
  readonly mandates: number
}

/** `anchors`: what anybody can count on chain, by contract and sender. */
export type TrustSignals = {
  readonly metrics: TrustMetrics
  readonly anchors: readonly Tally[]
  readonly generatedAt: string
}

/** The public section `trust_signals`, as JSON text. */
export function trustJson({ metrics, anchors, generatedAt }: TrustSignals): string {
  return JSON.stringify({
    section_id: 'trust_signals',
    version: '1.0',
    generated_at: generatedAt,
    metrics: {
      drs_receipts_issued: metrics.receiptsIssued,
      mandates_anchored: metrics.mandatesAnchored,
      invoices_settled: metrics.invoicesSettled,
    },
    anchors: anchors.map(({ chainId, contract, sender, blockNumber, receipts, mandates }) => ({
      chain_id: chainId,
      contract,
      sender,
      block_number: blockNumber,
      receipts,
      mandates,
    })),
    partnerships: [],
  })
}
