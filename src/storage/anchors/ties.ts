import { type Sql, within } from '../postgres/db.ts'
import type { Sender } from './anchors.ts'

/** How many events can reach the chain only through transactions that this sender has signed. */
export type Tie = Sender & { readonly events: number }

/**
 * The senders whose signed transactions carry events and are in no block yet. Errors: `unavailable`
 * after `limitMs`.
 */
export async function anchorTies(sql: Sql, limitMs: number): Promise<readonly Tie[]> {
  const rows = await within(
    () => sql<{ chainId: bigint; address: string; events: number }[]>`
      select signed.chain_id as "chainId", sender as address, count(*)::integer as events
      from anchors join anchor_transactions signed on signed.id = anchors.transaction_id
      where anchors.state = 'sent' group by 1, 2 order by 1, 2`,
    limitMs,
  )
  return rows.map((row) => ({ ...row, chainId: Number(row.chainId) }))
}
