/** What the service has done so far, across all accounts. */
export type TrustMetrics = {
  /** Receipts in force; revoked ones do not count. */
  readonly receiptsIssued: number
  /** Mandates with at least one anchored transition. */
  readonly mandatesAnchored: number
  /** Invoices that are settled or completed. */
  readonly invoicesSettled: number
}

export type TrustSignals = { readonly metrics: TrustMetrics; readonly generatedAt: string }

/** The section `trust_signals`, as JSON text: what anybody may read about the service's record. */
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
