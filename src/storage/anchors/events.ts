import { array, type Sql, statement } from '../postgres/db.ts'
import type { Sender } from './transactions.ts'

/** An event still owed to the anchor chain. `label` is the receipt id or the mandate's state. */
export type PendingAnchor = {
  readonly id: string
  readonly kind: 'receipt' | 'mandate'
  readonly hash: string
  readonly label: string
}

/** An anchored event that its invoice or mandate does not know yet. */
export type Unannounced = {
  readonly id: string
  readonly kind: 'receipt' | 'mandate'
  readonly subjectId: string
  /** The invoice, for a settlement receipt. */
  readonly invoiceId: string | null
}

/** Events that no transaction carries yet, oldest first. */
export async function owed(sql: Sql, limit: number): Promise<readonly PendingAnchor[]> {
  return statement<PendingAnchor[]>(sql)`select id, kind, hash, label from anchors
    where state = 'pending' order by created_at, sequence limit ${limit}`
}

/**
 * The owed events that the next transaction may carry. An event waits until the earlier events of
 * its subject are on the chain: each has a transaction of its own, and they stand there in order.
 */
export async function sendable(sql: Sql, limit: number): Promise<readonly PendingAnchor[]> {
  return statement<PendingAnchor[]>(sql)`select id, kind, hash, label from anchors
    where state = 'pending' and not exists (
      select from anchors earlier
      where earlier.kind = anchors.kind and earlier.subject_id = anchors.subject_id
        and earlier.sequence < anchors.sequence and earlier.state in ('pending', 'sent')
    )
    order by created_at, sequence limit ${limit}`
}

/** Age of the oldest event that is not on the chain; null when all are. */
export async function oldestOwedAgeMs(sql: Sql): Promise<number | null> {
  const [row] = await statement<[{ ageMs: number | null }]>(sql)`
    select (extract(epoch from now() - least(
      (select min(created_at) from anchors where state = 'pending'),
      (select min(created_at) from anchors where state = 'sent')
    )) * 1000)::float8 as "ageMs"`
  return row.ageMs
}

/** Unannounced events except those in `except`, oldest first. */
export async function unannounced(
  sql: Sql,
  limit: number,
  except: readonly string[],
): Promise<readonly Unannounced[]> {
  return statement<Unannounced[]>(sql)`
    select anchors.id, anchors.kind, anchors.subject_id as "subjectId", receipts.subject_id as "invoiceId"
    from anchors left join receipts on anchors.kind = 'receipt' and receipts.id = anchors.subject_id
      and receipts.kind = 'settlement'
    where anchors.state = 'anchored' and not anchors.announced and anchors.id <> all(${array(except)}::uuid[])
    order by anchors.updated_at limit ${limit}`
}

export async function markAnnounced(sql: Sql, ids: readonly string[]): Promise<void> {
  await statement(sql)`update anchors set announced = true where id = any(${array(ids)}::uuid[])`
}

/** Events that can reach the chain only through transactions this sender has signed. */
export type Tie = Sender & { readonly events: number }

/** The senders whose signed transactions carry events and are in no block yet. */
export async function anchorTies(sql: Sql, limitMs: number): Promise<readonly Tie[]> {
  const rows = await statement<{ chainId: bigint; address: string; events: number }[]>(
    sql,
    limitMs,
  )`
    select signed.chain_id as "chainId", sender as address, count(*)::integer as events
    from anchors join anchor_transactions signed on signed.id = anchors.transaction_id
    where anchors.state = 'sent' group by 1, 2 order by 1, 2`
  return rows.map((row) => ({ ...row, chainId: Number(row.chainId) }))
}
