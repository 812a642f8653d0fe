import type { Sender } from './anchors.ts'
import { type Sql, within } from './db.ts'

/** Events that are to come on chain by what this sender has signed, and by nothing else. */
export type Tie = Sender & { readonly events: number }

/** Whose transactions the events are tied to that are in no block. Errors: `unavailable` after `limitMs`. */
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
