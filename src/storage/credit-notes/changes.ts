import type { By } from '../../domain/accounts/account.ts'
import type { CreditNote, Refund } from '../../domain/credit-notes/credit-note.ts'
import { payerOf } from '../../domain/network.ts'
import { type Move, move } from '../budgets/budgets.ts'
import { toBytes } from '../postgres/chain-bytes.ts'
import { type Fragment, type Sql, selfRefusal, statement, unlessRefused } from '../postgres/db.ts'
import { type Columns, rowsOf } from '../postgres/rows.ts'
import { type IssuedReceipt, writeReceipts } from '../settlement/settlements.ts'
import { placeKey, type Use, unuse, use } from '../settlement/uses.ts'
import { announceTrail } from '../webhooks/outbox.ts'
import { encodeProgress } from './credit-notes.ts'

/** What a refunded purchase frees; negative where the refund was taken back. */
export type Freed = {
  readonly mandate: { readonly id: string; readonly amountMicro: bigint } | null
  readonly budget: Move | null
}

/** `data` is what subscribers read, as JSON text. */
export type TrailEntry = { readonly type: string; readonly data: string }

/** A note as loaded, as it is to be stored, and what follows. */
export type Change = {
  readonly before: CreditNote
  readonly after: CreditNote
  readonly entries: readonly TrailEntry[]
  readonly issued: readonly IssuedReceipt[]
  readonly revokedReceiptIds: readonly string[]
  readonly freed: Freed | null
  /** Blocks after this one are searched again for refunds; -1: all since the issue. */
  readonly searchAfter: number | null
  /** Who has named an address for a refund, with a key. */
  readonly by: By | null
  readonly now: Date
}

/**
 * Commits a change of a note in one statement. False, with nothing stored, when the note has
 * changed, or a transfer of the change has another use.
 */
export function commitChange(sql: Sql, change: Change): Promise<boolean> {
  const { before, after, entries, now, freed } = change
  const { chain } = after.terms
  const [held, proven] = [usesBy(before), usesBy(after)]
  const paying = without(proven, held)
  const trail = rowsOf(
    sql,
    entries.map((entry, at) => ({ ...entry, sequence: before.version + at + 1 })),
    {
      sequence: ['integer', ({ sequence }) => sequence],
      type: ['text', ({ type }) => type],
      data: ['json text', ({ data }) => data],
    },
    'entry',
  )
  return unlessRefused(
    statement(sql)`
    with changed as (
      update credit_notes set version = ${after.version}, state = ${after.state}, updated_at = ${now}, progress = ${encodeProgress(after.progress)}
      where id = ${after.id} and version = ${before.version}
      returning id, account_id
    ),
    trail as (
      insert into events (subject_id, sequence, account_id, types, data, created_at)
      select changed.id, sequence, account_id, type, data, ${now} from changed, ${trail}
      returning subject_id, sequence, account_id, types
    ),
    announced as (${announceTrail(sql)}),
    ${change.by ? sql`audited as (${auditAddress(sql, change, change.by)}),` : sql``}
    searched as (${updateRefunds(sql, change)}),
    freed as (${unuse(sql, chain, without(held, proven))}),
    used as (${use(sql, chain, paying, { afterFreed: true })}),
    ${freed ? freeing(sql, freed) : sql``}
    ${writeReceipts(sql, change)}
    select 1 / ((select count(*) from changed) = 1 and (select count(*) from used) = ${paying.length})::integer`,
    selfRefusal,
  )
}

/** The transfers that have paid refunds. */
function usesBy({ id, accountId, progress }: CreditNote): readonly Use[] {
  return progress.refunds.flatMap(({ proof }) =>
    proof
      ? {
          txHash: proof.txHash,
          position: proof.position,
          kind: 'refund' as const,
          accountId,
          subjectId: id,
        }
      : [],
  )
}

function without(uses: readonly Use[], others: readonly Use[]): readonly Use[] {
  const keys = new Set(others.map(placeKey))
  return uses.filter((one) => !keys.has(placeKey(one)))
}

/** The rows of `refunds` repeat what the notes say. */
export const refundColumns: Columns<Refund> = {
  payer: ['bytea', ({ payer }) => toBytes(payer)],
  refund_to: ['bytea', ({ refundTo }) => toBytes(refundTo)],
  usdc_base: ['bigint', ({ usdcBase }) => usdcBase],
  tx_hash: ['bytea', ({ proof }) => toBytes(proof?.txHash ?? null)],
  position: ['integer', ({ proof }) => proof?.position ?? null],
  block_number: ['bigint', ({ proof }) => proof?.blockNumber ?? null],
  block_time: ['timestamptz', ({ proof }) => proof?.blockTime ?? null],
}

function auditAddress(sql: Sql, { before, after }: Change, { keyId, requestId }: By) {
  const named = ({ progress }: CreditNote) => {
    const refund = progress.refunds.find(({ payer }) => payerOf(payer) === null)
    return JSON.stringify({ refundTo: refund?.refundTo ?? null })
  }
  return sql`
    insert into audit_log (account_id, kind, subject_id, action, actor, request_id, before, after)
    select account_id, 'refund_address', id, 'changed', ${`key:${keyId}`}, ${requestId}, ${named(before)}::text::jsonb, ${named(after)}::text::jsonb
    from changed`
}

function updateRefunds(sql: Sql, { after, searchAfter }: Change) {
  return sql`
    update refunds set refund_to = input.refund_to, tx_hash = input.tx_hash, position = input.position,
      block_number = input.block_number, block_time = input.block_time, look_at = now(),
      looked_to = case when ${searchAfter ?? 0} < 0 then issued_in else least(looked_to, ${searchAfter ?? null}::bigint) end
    from changed, ${rowsOf(sql, after.progress.refunds, refundColumns)}
    where note_id = changed.id and refunds.payer = input.payer`
}

function freeing(sql: Sql, { mandate, budget }: Freed): Fragment {
  return sql`
    ${
      mandate
        ? sql`unbound as (
      update mandates set bound_micro = greatest(0, bound_micro - ${mandate.amountMicro}::numeric) from changed where mandates.id = ${mandate.id}
    ),`
        : sql``
    }
    ${budget ? sql`unspent as (${move(sql, [budget])}),` : sql``}`
}
