import { type Sql, statement } from '../postgres/db.ts'
import type { Sender } from './transactions.ts'

/**
 * An event still owed to the anchor chain. The schema says what `hash` (0x and hex) and `label` are
 * for each kind.
 */
export type PendingAnchor = {
  readonly id: string
  readonly kind: 'batch' | 'mandate' | 'revocation'
  readonly hash: string
  readonly label: string
}

/** Events that no transaction carries yet, oldest first. */
export async function owed(sql: Sql, limit: number): Promise<readonly PendingAnchor[]> {
  return statement<PendingAnchor[]>(sql)`
    select id, kind, '0x' || encode(hash, 'hex') as hash, label from anchors
    where state = 'pending' order by created_at, sequence limit ${limit}`
}

/**
 * The owed events that the next transaction may carry. A mandate's event waits until the earlier
 * ones are on the chain, and a revocation for its batch: each has a transaction of its own, and
 * they stand there in order.
 */
export async function sendable(sql: Sql, limit: number): Promise<readonly PendingAnchor[]> {
  return statement<PendingAnchor[]>(sql)`
    select id, kind, '0x' || encode(hash, 'hex') as hash, label from anchors
    where state = 'pending' and not exists (
      select from anchors earlier
      where earlier.kind = case anchors.kind when 'mandate' then 'mandate' else 'batch' end
        and earlier.subject_id = anchors.subject_id and earlier.sequence < anchors.sequence
        and earlier.state in ('pending', 'sent')
    )
    order by created_at, sequence limit ${limit}`
}

/** Age of the oldest receipt or other event that is not on the chain; null when all are. */
export async function oldestOwedAgeMs(sql: Sql): Promise<number | null> {
  const [row] = await statement<[{ ageMs: number | null }]>(sql)`
    select (extract(epoch from now() - least(
      (select min(issued_at) from receipts where batch_id is null and revoked_at is null),
      (select min(created_at) from anchors where state = 'pending'),
      (select min(created_at) from anchors where state = 'sent')
    )) * 1000)::float8 as "ageMs"`
  return row.ageMs
}

/** Events that can reach the chain only through transactions this sender has signed. */
export type Tie = Sender & { readonly events: number }

/** The senders whose signed transactions carry events and are in no block yet. */
export async function anchorTies(sql: Sql, limitMs: number): Promise<readonly Tie[]> {
  const rows = await statement<{ chainId: bigint; address: string; events: number }[]>(
    sql,
    limitMs,
  )`
    select signed.chain_id as "chainId", '0x' || encode(sender, 'hex') as address, count(*)::integer as events
    from anchors join anchor_transactions signed on signed.id = anchors.transaction_id
    where anchors.state = 'sent' group by 1, 2 order by 1, 2`
  return rows.map((row) => ({ ...row, chainId: Number(row.chainId) }))
}
