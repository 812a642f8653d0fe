import { sha256Hex } from '../../domain/hash.ts'
import type { Network } from '../../domain/network.ts'
import { type InBytes, inText, toBytes } from '../postgres/chain-bytes.ts'
import { type Fragment, type Sql, statement } from '../postgres/db.ts'
import { type Columns, rowsOf } from '../postgres/rows.ts'

/** A transfer within a chain. */
export type Place = { readonly txHash: string; readonly position: number }

/** What a transfer has paid: an invoice, an x402 sale, a purchase, or a refund. */
export type Use = Place & {
  readonly kind: 'invoice' | 'sale' | 'purchase' | 'refund'
  readonly accountId: string
  /** The invoice, the purchase's invoice, the credit note, or the `saleId`. */
  readonly subjectId: string
}

/** Whether a transfer pays something else than an invoice. */
export function isElsewhere(use: Use | undefined): boolean {
  return use !== undefined && use.kind !== 'invoice'
}

export function placeKey({ txHash, position }: Place): string {
  return `${txHash}:${position}`
}

/** Names a sale by the key of its payment. */
export function saleId(paymentKey: string): string {
  return sha256Hex(paymentKey).slice(0, 32)
}

/**
 * Records what transfers pay, once the statement's part `freed` has freed others, if it has one.
 * Returns a row for each one that was free, or had this very use: the statement must abort itself
 * when rows are missing.
 */
export function use(
  sql: Sql,
  chain: Network,
  uses: readonly Use[],
  { afterFreed = false }: { readonly afterFreed?: boolean } = {},
): Fragment {
  // In one order everywhere, against deadlocks.
  const inOrder = uses.toSorted((a, b) =>
    a.txHash === b.txHash ? a.position - b.position : a.txHash < b.txHash ? -1 : 1,
  )
  return sql`
    insert into transfer_uses (chain, tx_hash, position, kind, account_id, subject_id)
    select ${chain}, tx_hash, position, kind, account_id, subject_id from ${rowsOf(sql, inOrder, {
      ...placeColumns,
      kind: ['text', ({ kind }) => kind],
      account_id: ['uuid', ({ accountId }) => accountId],
      subject_id: ['uuid', ({ subjectId }) => subjectId],
    })}
    ${afterFreed ? sql`where (select count(*) from freed) >= 0` : sql``}
    on conflict (chain, tx_hash, position) do update set kind = excluded.kind
    where (transfer_uses.kind, transfer_uses.account_id, transfer_uses.subject_id)
      = (excluded.kind, excluded.account_id, excluded.subject_id)
    returning 1`
}

/** Frees transfers that a reorganisation has removed from the chain. */
export function unuse(sql: Sql, chain: Network, places: readonly Place[]): Fragment {
  return sql`
    delete from transfer_uses using ${rowsOf(sql, places, placeColumns)}
    where chain = ${chain} and (transfer_uses.tx_hash, transfer_uses.position) = (input.tx_hash, input.position)
    returning 1`
}

/** The uses of transfers, by `placeKey`; those that are free are missing. */
export async function usesOf(
  sql: Sql,
  chain: Network,
  places: readonly Place[],
): Promise<ReadonlyMap<string, Use>> {
  if (places.length === 0) return new Map()
  const rows = await statement<InBytes<Use, 'txHash'>[]>(sql)`
    select used.tx_hash as "txHash", used.position, kind, account_id as "accountId", subject_id as "subjectId"
    from ${rowsOf(sql, places, placeColumns)} join transfer_uses as used
      on used.chain = ${chain} and (used.tx_hash, used.position) = (input.tx_hash, input.position)`
  return new Map(rows.map((row) => inText(chain, row, 'txHash')).map((one) => [placeKey(one), one]))
}

/** Whether nothing accounts for a row of `transfers`. */
export function isUnexplained(sql: Sql): Fragment {
  return sql`held_as is not null and not is_used and state <> 'reverted' and not ${hasUse(sql)}`
}

/**
 * Marks confirmed transfers that are used though no invoice is credited with them, so that
 * unexplained ones are found without reading them. It reads all that are not marked, which may take
 * long.
 */
export async function markUsed(sql: Sql): Promise<void> {
  await statement(sql)`update transfers set is_used = true
    where held_as is not null and not is_used and state = 'confirmed' and ${hasUse(sql)}`
}

/** What is held pays no invoice: those many uses are not read. */
function hasUse(sql: Sql): Fragment {
  return sql`exists (
    select from transfer_uses as used
    where (used.chain, used.tx_hash, used.position) = (transfers.chain, transfers.tx_hash, transfers.position)
      and kind <> 'invoice'
  )`
}

const placeColumns: Columns<Place> = {
  tx_hash: ['bytea', ({ txHash }) => toBytes(txHash)],
  position: ['integer', ({ position }) => position],
}
