import type { Anchor, Listed, ListQuery, Shown, Transition } from '../../domain/mandates/view.ts'
import { type Sql, statement } from '../postgres/db.ts'
import { decode, type Read, type Row, type SummaryRow, summaryOf } from './mandates.ts'

/** Of any account, with the current anchors of its transitions. */
export async function show(sql: Sql, id: string): Promise<(Shown & Read) | null> {
  const rows = await statement<(Row & { at: Date; trail: TrailRow[] })[]>(sql)`
    select *, clock_timestamp() as at, (
      select json_agg(entry order by sequence) from (
        select transition.id, from_state as "from", to_state as "to", triggered_by as "triggeredBy", metadata,
          transition.created_at as "createdAt", transition.sequence, anchors.state as "anchorState", chain_id as "chainId",
          '0x' || encode(tx_hash, 'hex') as "txHash", block_number as "blockNumber"
        from mandate_transitions as transition
        left join anchors on kind = 'mandate' and subject_id = mandate_id and anchors.sequence = transition.sequence
        where mandate_id = mandates.id
      ) as entry
    ) as trail
    from mandates where id = ${id}`
  const [row] = rows
  if (!row) return null
  return { mandate: decode(row), at: row.at, transitions: row.trail.map(transitionOf) }
}

/** A page ends with the mandate that takes it beyond this. */
const pageBytes = 2 ** 20

/**
 * One page of an account's mandates, and the number of all matches. Large mandates make it shorter
 * than `limit`; `isBehindShort`: so was a page that `offset` skips.
 */
export async function list(sql: Sql, accountId: string, query: ListQuery): Promise<Listed> {
  const { state, after, offset, limit } = query
  const matching = sql`account_id = ${accountId} ${state ? sql`and state = ${state}` : sql``}`
  const bytes = sql`octet_length(terms) + coalesce(octet_length(context), 0) + octet_length(scope) + coalesce(octet_length(dispute_reason), 0)`
  const behindShort =
    offset === 0
      ? sql`false`
      : sql`exists (
      select from (
        select sum(bytes) over (partition by place / ${limit}::integer order by place) - bytes as bytes_before from (
          select row_number() over (order by id desc) - 1 as place, ${bytes} as bytes from mandates where ${matching}
          order by id desc limit ${offset}
        ) as earlier
      ) as measured
      where bytes_before >= ${pageBytes}
    )`
  const rows = await statement<((SummaryRow | { id: null }) & Counted)[]>(sql)`
    with found as (
      select id, account_id, version, state, proposer, counterparty, scope, terms, context, expires_at, hash, proposer_signature,
        counterparty_signature, signed_by_proposer_at, signed_by_counterparty_at, completed_at, disputed_at, dispute_reason, receipt_id,
        created_at, updated_at, ${bytes} as bytes
      from mandates where ${matching} ${after ? sql`and id < ${after}` : sql``}
      order by id desc limit ${limit + 1} offset ${offset}
    ),
    page as (
      select * from (select *, sum(bytes) over (order by id desc) - bytes as bytes_before from found) as measured
      where bytes_before < ${pageBytes} order by id desc limit ${limit}
    )
    select page.*, total, (select count(*) from found)::integer as found, ${behindShort} as is_behind_short
    from (select count(*)::integer as total from mandates where ${matching}) as counted left join page on true
    order by id desc`
  const mandates = rows.flatMap((row) => (row.id === null ? [] : [summaryOf(row)]))
  const { total = 0, found = 0, is_behind_short: isBehindShort = false } = rows[0] ?? {}
  return { mandates, total, hasMore: found > mandates.length, isBehindShort }
}

type Counted = { readonly total: number; readonly found: number; readonly is_behind_short: boolean }

type TrailRow = Omit<Transition, 'anchor'> & {
  readonly anchorState: keyof typeof statuses | null
  readonly chainId: number | null
  readonly txHash: string | null
  readonly blockNumber: number | null
}

function transitionOf(row: TrailRow): Transition {
  const { id, from, to, triggeredBy, metadata, createdAt } = row
  return {
    id,
    from,
    to,
    triggeredBy,
    metadata,
    createdAt: new Date(createdAt).toISOString(),
    anchor: row.anchorState && anchorOf(statuses[row.anchorState], row),
  }
}

const statuses = {
  pending: 'pending',
  sent: 'pending',
  anchored: 'anchored',
} as const satisfies Record<string, Anchor['status']>

// Positions from before a reorganisation are not reported.
function anchorOf(status: Anchor['status'], { chainId, txHash, blockNumber }: TrailRow): Anchor {
  return status === 'anchored'
    ? { status, chainId, txHash, blockNumber }
    : { status, chainId: null, txHash: null, blockNumber: null }
}
