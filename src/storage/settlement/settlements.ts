import type { Network } from '../../domain/network.ts'
import type { Receipt } from '../../domain/receipts/receipt.ts'
import { type Change, trailEntries, updateRows } from '../invoices/invoices.ts'
import { notifyChanges } from '../postgres/changes.ts'
import {
  array,
  columnOf,
  jsonTexts,
  patienceOf,
  type Sql,
  selfRefusal,
  unlessRefused,
} from '../postgres/db.ts'
import {
  type Change as PurchaseChange,
  writeRows as writePurchases,
} from '../purchases/purchases.ts'
import { announceTrail } from '../webhooks/outbox.ts'
import { type Cursor, moveCursor } from './cursors.ts'
import { partsOf, payInvoices } from './transaction-uses.ts'
import type { StoredTransfer, TransferChange } from './transfers.ts'

export type IssuedReceipt = {
  readonly anchorId: string
  readonly receipt: Receipt
  readonly accountId: string
  readonly invoiceId: string
  readonly issuedAt: string
}

/** The changes that payments make to invoices. */
export type Payments = {
  readonly changes: readonly Change[]
  readonly issued: readonly IssuedReceipt[]
  readonly revokedReceiptIds: readonly string[]
  readonly now: Date
}

/** Everything that one look at a chain changes. */
export type Step = Payments & {
  readonly chain: Network
  readonly cursor: Cursor
  readonly next: Omit<Cursor, 'version'>
  /** Transfers seen for the first time, or again after they had been reverted. */
  readonly inserted: readonly StoredTransfer[]
  /**
   * Transfers on record that are gone, are now confirmed, are in another block, or whose key now
   * names another transfer.
   */
  readonly updated: readonly TransferChange[]
  /** None by default. */
  readonly purchases?: readonly PurchaseChange[]
}

/**
 * Commits a step in one statement: cursor, transfers, invoices, trail, receipts and their anchors,
 * all or nothing. False, with nothing stored, when another process moved the cursor, credited one
 * of the transfers or used it for an x402 sale, or changed one of the invoices or purchases first;
 * the step must then be worked out again.
 */
export async function commitStep(
  sql: Sql,
  step: Step,
  cursorName: string = step.chain,
): Promise<boolean> {
  const { chain, cursor, next, inserted, updated, purchases = [], now } = step
  if (isEmpty(step)) return moveCursor(sql, cursorName, cursor, next, now)
  const credited = updated.filter(({ before, after }) => after.credit !== before.credit)
  const taken = [...inserted, ...credited.map(({ after }) => after)]
  const paying = partsOf(
    chain,
    taken.filter(({ credit }) => credit),
  )
  const column = columnOf(inserted)
  const changed = columnOf(updated)
  return unlessRefused(
    () => sql`
    with moved as (
      update cursors set next_block = ${next.nextBlock}, checkpoints = ${JSON.stringify(next.checkpoints)},
        version = version + 1, updated_at = ${now}
      where chain = ${cursorName} and version = ${cursor.version}
      returning 1
    ),
    seen as (
      insert into transfers (chain, tx_hash, position, block_number, block_hash, block_time, from_address, to_address, usdc_base,
        state, invoice_id, matched_by, held_as, created_at)
      select ${chain}, input.*, ${now} from unnest(
        ${column(({ txHash }) => txHash)}::text[],
        ${column(({ position }) => position)}::integer[],
        ${column(({ blockNumber }) => blockNumber)}::bigint[],
        ${column(({ blockHash }) => blockHash)}::text[],
        ${column(blockTimeOf)}::timestamptz[],
        ${column(({ from }) => from)}::text[],
        ${column(({ to }) => to)}::text[],
        ${column(({ usdcBase }) => usdcBase)}::bigint[],
        ${column(({ state }) => state)}::text[],
        ${column(({ credit }) => credit?.invoiceId ?? null)}::uuid[],
        ${column(({ credit }) => credit?.matchedBy ?? null)}::text[],
        ${column(({ heldAs }) => heldAs)}::text[]
      ) as input
      on conflict (chain, tx_hash, position) do update set
        block_number = excluded.block_number, block_hash = excluded.block_hash, block_time = excluded.block_time,
        from_address = excluded.from_address, to_address = excluded.to_address, usdc_base = excluded.usdc_base,
        state = excluded.state, invoice_id = excluded.invoice_id, matched_by = excluded.matched_by, held_as = excluded.held_as, is_sale = false
      where transfers.state = 'reverted'
      returning 1
    ),
    changed as (
      update transfers set block_number = input.block_number, block_hash = input.block_hash, block_time = input.block_time,
        from_address = input.from_address, to_address = input.to_address, usdc_base = input.usdc_base, state = input.state,
        invoice_id = input.invoice_id, matched_by = input.matched_by, held_as = input.held_as, is_sale = false
      from unnest(
        ${changed(({ after }) => after.txHash)}::text[],
        ${changed(({ after }) => after.position)}::integer[],
        ${changed(({ after }) => after.blockNumber)}::bigint[],
        ${changed(({ after }) => after.blockHash)}::text[],
        ${changed(({ after }) => blockTimeOf(after))}::timestamptz[],
        ${changed(({ after }) => after.from)}::text[],
        ${changed(({ after }) => after.to)}::text[],
        ${changed(({ after }) => after.usdcBase)}::bigint[],
        ${changed(({ after }) => after.state)}::text[],
        ${changed(({ after }) => after.credit?.invoiceId ?? null)}::uuid[],
        ${changed(({ after }) => after.credit?.matchedBy ?? null)}::text[],
        ${changed(({ after }) => after.heldAs)}::text[],
        ${changed(({ before }) => before.credit?.invoiceId ?? null)}::uuid[]
      ) as input (tx_hash, position, block_number, block_hash, block_time, from_address, to_address, usdc_base, state, invoice_id,
        matched_by, held_as, credited_to)
      where transfers.chain = ${chain} and transfers.tx_hash = input.tx_hash and transfers.position = input.position
        -- Credited since it was read: that invoice must hear of it too.
        and transfers.invoice_id is not distinct from input.credited_to
      returning 1
    ),
    used as (${payInvoices(sql, chain, paying)}),
    ${purchases.length > 0 ? sql`bought as (${writePurchases(sql, purchases)}),` : sql``}
    ${writePayments(sql, step)}
    select 1 / (
      (select count(*) from moved) = 1
      and (select count(*) from seen) = ${inserted.length}
      and (select count(*) from changed) = ${updated.length}
      and (select count(*) from used) = ${paying.length}
      ${purchases.length > 0 ? sql`and (select count(*) from bought) = ${purchases.length}` : sql``}
      and ${arePaymentsWhole(sql, step)}
    )::integer`,
    [selfRefusal],
    patienceOf(sql),
  )
}

function blockTimeOf({ blockTimeMs }: StoredTransfer): string {
  return new Date(blockTimeMs).toISOString()
}

/** Whether the step changes nothing but the cursor, as most do. */
function isEmpty(step: Step): boolean {
  const { inserted, updated, purchases = [], changes } = step
  return [inserted, updated, purchases, changes].every((part) => part.length === 0)
}

/**
 * The parts of a statement that write what payments change: invoices, trail, receipts and their
 * anchors. The statement must abort itself unless `arePaymentsWhole`.
 */
export function writePayments(sql: Sql, { changes, issued, revokedReceiptIds, now }: Payments) {
  return sql`
    settled as (${updateRows(sql, changes)}),
    trail as (
      insert into events (subject_id, sequence, account_id, type, data, created_at)
      select * from ${trailEntries(sql, changes)}
      returning subject_id, sequence, account_id, type
    ),
    announced as (${announceTrail(sql)}),
    told as (${notifyChanges(sql)}),
    revoked as (
      update receipts set revoked_at = ${now} where id = any(${array(revokedReceiptIds)}::text[])
      returning 1
    ),
    cancelled as (
      update anchors set state = 'cancelled', updated_at = ${now}
      where kind = 'receipt' and subject_id = any(${array(revokedReceiptIds)}::text[]) and state = 'pending'
    ),
    issued as (
      select * from unnest(
        ${array(issued.map(({ receipt }) => receipt.id))}::text[],
        ${array(issued.map(({ accountId }) => accountId))}::uuid[],
        ${array(issued.map(({ invoiceId }) => invoiceId))}::uuid[],
        string_to_array(${jsonTexts(issued.map(({ receipt }) => receipt.preimage))}, chr(30)),
        ${array(issued.map(({ receipt }) => receipt.hash))}::text[],
        ${array(issued.map(({ issuedAt }) => issuedAt))}::timestamptz[],
        ${array(issued.map(({ anchorId }) => anchorId))}::uuid[]
      ) as issued (id, account_id, invoice_id, preimage, hash, issued_at, anchor_id)
    ),
    receipt_rows as (
      insert into receipts (id, account_id, kind, subject_id, preimage, hash, issued_at)
      select id, account_id, 'settlement', invoice_id, preimage, hash, issued_at from issued
      -- After the revocations: an invoice settled anew in the same step has one receipt in force at any moment.
      where (select count(*) from revoked) >= 0
    ),
    anchor_rows as (
      insert into anchors (id, kind, subject_id, sequence, hash, label, state, created_at, updated_at)
      select anchor_id, 'receipt', id, 0, hash, id, 'pending', ${now}, ${now} from issued
    )`
}

/** The condition that every part of `writePayments` found its invoices as they were read. */
export function arePaymentsWhole(sql: Sql, { changes }: Payments) {
  return sql`(select count(*) from settled) = ${changes.length} and (select count(*) from told) >= 0`
}
