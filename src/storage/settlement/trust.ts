import type { TrustSignals } from '../../domain/receipts/trust.ts'
import { clock, type Sql, statement } from '../postgres/db.ts'

/** Null: never counted. */
export async function findTrustSignals(sql: Sql): Promise<TrustSignals | null> {
  const [row] = await statement<Row[]>(sql)`select * from trust_signals`
  return row ? signalsOf(row) : null
}

/** Whether nothing was counted since the last two o'clock UTC, by PostgreSQL's clock. */
export async function areTrustSignalsDue(sql: Sql): Promise<boolean> {
  const due = await statement(sql)`
    select where not exists (
      select from trust_signals
      where generated_at between date_trunc('day', now() - interval '2 hours', 'UTC') + interval '2 hours' and now()
    )`
  return due.count > 0
}

/** Counts the figures again and stores them. It reads all receipts and anchors. */
export async function rebuildTrustSignals(sql: Sql): Promise<TrustSignals> {
  const [row] = await statement<Row[]>(sql)`
    insert into trust_signals (generated_at, receipts_issued, mandates_anchored, invoices_settled)
    values (${clock(sql)},
      (select count(*) from receipts where revoked_at is null),
      (select count(distinct subject_id) from anchors where kind = 'mandate' and state = 'anchored'),
      (select coalesce(sum(document_count), 0) from tax_totals where kind in ('sale', 'purchase')))
    on conflict (only_one) do update set generated_at = excluded.generated_at, receipts_issued = excluded.receipts_issued,
      mandates_anchored = excluded.mandates_anchored, invoices_settled = excluded.invoices_settled
    returning *`
  return signalsOf(row as Row)
}

type Row = {
  generated_at: Date
  receipts_issued: bigint
  mandates_anchored: bigint
  invoices_settled: bigint
}

function signalsOf(row: Row): TrustSignals {
  return {
    generatedAt: row.generated_at.toISOString(),
    metrics: {
      receiptsIssued: Number(row.receipts_issued),
      mandatesAnchored: Number(row.mandates_anchored),
      invoicesSettled: Number(row.invoices_settled),
    },
  }
}
