/** What the service has done so far, over all accounts. */
export type TrustMetrics = {
  /** In force: one that was revoked counts for nothing. */
  readonly receiptsIssued: number
  /** Mandates with at least one step on chain. */
  readonly mandatesAnchored: number
  /** Settled or completed. */
  readonly invoicesSettled: number
}

export type TrustSignals = { readonly metrics: TrustMetrics; readonly generatedAt: string }

/** What anybody may read about the service's record, as JSON text: the section `trust_signals`. */
export function trustJson({ metrics, generatedAt }: TrustSignals): string {
  return JSON.stringify({
    section_id: 'trust_signals',
    version: '1.0',
    generated_at: generatedAt,
    metrics: {
      drs_receipts_issued: metrics.receiptsIssued,
      mandates_anchored: metrics.mandatesAnchored,
      invoices_settled: metrics.invoicesSettled,
    },
    partnerships: [],
  })
}
