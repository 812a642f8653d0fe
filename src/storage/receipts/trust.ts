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

/** Counts the figures again and stores them. It reads all anchors. */
export async function rebuildTrustSignals(sql: Sql): Promise<TrustSignals> {
  const [row] = await statement<Row[]>(sql)`
    with unfinished as (
      select chain_id, sender, min(nonce) as nonce from anchor_transactions
      where state in ('signed', 'broadcast', 'mined') group by 1, 2
    ),
    -- All blocks before the newest of these are counted as a whole: nonces are mined in order. So is
    -- that one where no other transaction may be in it.
    final as (
      select made.id, made.sender, case when unfinished.nonce is not null
          then max(made.block_number) over (partition by made.chain_id, made.sender) end as before
      from anchor_transactions as made left join unfinished using (chain_id, sender)
      where made.state = 'deep' and (unfinished.nonce is null or made.nonce < unfinished.nonce)
    ),
    emitted as (
      select chain_id, contract, sender, kind, hash, label, max(block_number) as block_number
      from anchors join final on final.id = transaction_id
      where state = 'anchored' and (before is null or block_number < before) group by 1, 2, 3, 4, 5, 6
    ),
    tallies as (
      select chain_id, contract, sender, max(block_number) as block_number,
        sum(case kind when 'batch' then label::bigint when 'revocation' then -1 else 0 end) as receipts,
        count(distinct hash) filter (where kind = 'mandate') as mandates
      from emitted group by 1, 2, 3
    )
    insert into trust_signals (generated_at, receipts_issued, mandates_anchored, invoices_settled, anchors)
    values (${clock(sql)},
      (select coalesce(sum(receipts), 0) from tallies),
      (select count(distinct hash) from emitted where kind = 'mandate'),
      (select coalesce(sum(document_count), 0) from tax_totals where kind in ('sale', 'purchase')),
      (select coalesce(json_agg(json_build_object('chainId', chain_id, 'contract', '0x' || encode(contract, 'hex'), 'sender', '0x' || encode(sender, 'hex'),
        'blockNumber', block_number, 'receipts', receipts, 'mandates', mandates) order by block_number), '[]') from tallies))
    on conflict (only_one) do update set generated_at = excluded.generated_at, receipts_issued = excluded.receipts_issued,
      mandates_anchored = excluded.mandates_anchored, invoices_settled = excluded.invoices_settled, anchors = excluded.anchors
    returning *`
  return signalsOf(row as Row)
}

type Row = {
  generated_at: Date
  receipts_issued: bigint
  mandates_anchored: bigint
  invoices_settled: bigint
  anchors: string
}

function signalsOf(row: Row): TrustSignals {
  return {
    generatedAt: row.generated_at.toISOString(),
    metrics: {
      receiptsIssued: Number(row.receipts_issued),
      mandatesAnchored: Number(row.mandates_anchored),
      invoicesSettled: Number(row.invoices_settled),
    },
    anchors: JSON.parse(row.anchors),
  }
}
