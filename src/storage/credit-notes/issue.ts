import { toText } from '../../domain/codec.ts'
import { type CreditNote, terms } from '../../domain/credit-notes/credit-note.ts'
import type { Idempotency } from '../../domain/idempotency.ts'
import { type Release, release } from '../mandates/bindings.ts'
import { type Sql, selfRefusal, statement, unlessRefused } from '../postgres/db.ts'
import { keyRow } from '../postgres/idempotency.ts'
import { rowsOf } from '../postgres/rows.ts'
import { arePaymentsWhole, type Payments, writePayments } from '../settlement/settlements.ts'
import { refundColumns, type TrailEntry } from './changes.ts'
import { encodeProgress } from './credit-notes.ts'

/** A new note, its invoice's change, and what that settles. */
export type Issue = Payments & {
  readonly note: CreditNote
  readonly entry: TrailEntry
  readonly release: Release | null
  /** The newest block that is known: its refunds are looked for after it. */
  readonly issuedIn: number
  readonly idempotency: Idempotency | null
}

/**
 * Commits a note with all that it changes in one statement. False, with nothing stored, when its
 * invoice has changed or its number is taken: decide again.
 */
export function commitIssue(sql: Sql, issue: Issue): Promise<boolean> {
  const { note, entry, idempotency } = issue
  const { id, accountId, year, number, version, createdAt } = note
  const releases = issue.release ? [issue.release] : []
  return unlessRefused(
    statement(sql)`
    with ${writePayments(sql, issue)},
    -- After the invoice, in every statement: against deadlocks.
    updated as (select id from settled),
    ${number === null ? sql`` : sql`numbered as (${countUp(sql, note)}),`}
    created as (
      insert into credit_notes (id, account_id, invoice_id, year, number, version, state, created_at, updated_at, terms, progress)
      select ${id}::uuid, ${accountId}::uuid, ${note.invoiceId}::uuid, ${year}::smallint, ${number}::integer, ${version}::integer, ${note.state},
        ${createdAt}::timestamptz, ${createdAt}::timestamptz, ${toText(terms, note.terms)}, ${encodeProgress(note.progress)} from updated
      returning id
    ),
    promised as (
      insert into refunds (note_id, account_id, chain, payer, refund_to, usdc_base, tx_hash, position, block_number, block_time, issued_in, looked_to, look_at)
      select created.id, ${accountId}::uuid, ${note.terms.chain}, input.*, ${issue.issuedIn}::bigint, ${issue.issuedIn}::bigint, now()
      from created, ${rowsOf(sql, note.progress.refunds, refundColumns)}
    ),
    noted as (
      insert into events (subject_id, sequence, account_id, types, data, created_at)
      select id, ${version}::integer, ${accountId}::uuid, ${entry.type}, ${entry.data}, ${createdAt}::timestamptz from created
    ),
    note_announced as (
      insert into outbox (subject_ids, sequences, account_ids, types)
      select array[id], array[${version}::integer], array[${accountId}::uuid], array[${entry.type}::text] from created
    )
    ${releases.length === 0 ? sql`` : sql`, released as (${release(sql, releases)})`}
    ${keyRow(sql, accountId, idempotency && { ...idempotency, made: null })}
    select 1 / (
      ${arePaymentsWhole(sql, issue)}
      ${number === null ? sql`` : sql`and (select count(*) from numbered) = 1`}
      and (select count(*) from created) = 1
    )::integer`,
    selfRefusal,
  )
}

function countUp(sql: Sql, { accountId, year, number }: CreditNote) {
  return sql`
    insert into credit_note_numbers as counter (account_id, year, last_number)
    select ${accountId}::uuid, ${year}::smallint, ${number}::integer from updated
    on conflict (account_id, year) do update set last_number = excluded.last_number
      where counter.last_number = excluded.last_number - 1
    returning 1`
}
