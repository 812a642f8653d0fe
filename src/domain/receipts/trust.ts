/** Totals across all accounts. */
export type TrustMetrics = {
  /** Without revoked ones. */
  readonly receiptsIssued: number
  readonly mandatesAnchored: number
  /** Settled or completed. */
  readonly invoicesSettled: number
}

export type TrustSignals = { readonly metrics: TrustMetrics; readonly generatedAt: string }

/** The public section `trust_signals`, as JSON text. */
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
