import { canonical } from '../../domain/canonical.ts'
import type { Network } from '../../domain/network.ts'
import type { Receipt } from '../../domain/receipts/receipt.ts'
import { type Change, trailEntries, updateRows } from '../invoices/invoices.ts'
import { toBytes } from '../postgres/chain-bytes.ts'
import { notifyChanges } from '../postgres/changes.ts'
import { array, type Sql, selfRefusal, statement, unlessRefused } from '../postgres/db.ts'
import { type Columns, rowsOf } from '../postgres/rows.ts'
import { announceTrail } from '../webhooks/outbox.ts'
import { type MovedSale, moveSales, saleBy } from '../x402/payments.ts'
import { type Cursor, moveCursor } from './cursors.ts'
import type { StoredTransfer, TransferChange } from './transfers.ts'
import { type Use, unuse, use } from './uses.ts'

export type IssuedReceipt = {
  readonly receipt: Receipt
  readonly accountId: string
  /** The invoice, or the credit note. */
  readonly subjectId: string
  readonly issuedAt: string
}

export type Payments = {
  readonly changes: readonly Change[]
  readonly issued: readonly IssuedReceipt[]
  readonly revokedReceiptIds: readonly string[]
  readonly now: Date
}

/** Everything that one step of a watcher changes. */
export type Step = Payments & {
  readonly chain: Network
  readonly cursor: Cursor
  readonly next: Omit<Cursor, 'version'>
  /** New transfers, or ones seen again after they were reverted. */
  readonly inserted: readonly StoredTransfer[]
  /** Recorded transfers that are gone, confirmed, moved, or whose key names another transfer. */
  readonly updated: readonly TransferChange[]
  readonly moved?: readonly MovedSale[]
}

/**
 * Commits a step in one statement. False, with nothing stored, when another process moved the
 * cursor, used one of the transfers, or changed an invoice or purchase first: work the step out
 * again.
 */
export async function commitStep(
  sql: Sql,
  step: Step,
  cursorName: string = step.chain,
): Promise<boolean> {
  const { chain, cursor, next, inserted, updated, moved = [], now } = step
  if (isEmpty(step)) return moveCursor(sql, cursorName, cursor, next, now)
  const freed = [
    ...updated.filter(isFreed).map(({ before }) => before),
    ...moved.map(({ from }) => from),
  ]
  const credited = updated.filter(({ before, after }) => after.credit !== before.credit)
  const paying = [
    ...usesBy([...inserted, ...credited.map(({ after }) => after)], step.changes),
    ...moved.map(({ key, to }) => saleBy(key, to)),
  ]
  return unlessRefused(
    statement(sql)`
    with moved as (
      update cursors set next_block = ${next.nextBlock}, checkpoints = ${JSON.stringify(next.checkpoints)},
        version = version + 1, updated_at = ${now}
      where chain = ${cursorName} and version = ${cursor.version}
      returning 1
    ),
    seen as (
      insert into transfers (chain, tx_hash, position, block_number, block_hash, block_time, from_address, to_address, usdc_base,
        state, invoice_id, matched_by, held_as, awaits_node, created_at, account_id)
      select ${chain}, input.*, ${now}, ${accountOf(sql)} from ${rowsOf(
        sql,
        inserted,
        transferColumns((transfer) => transfer),
      )}
      on conflict (chain, tx_hash, position) do update set
        block_number = excluded.block_number, block_hash = excluded.block_hash, block_time = excluded.block_time,
        from_address = excluded.from_address, to_address = excluded.to_address, usdc_base = excluded.usdc_base,
        state = excluded.state, invoice_id = excluded.invoice_id, account_id = excluded.account_id, matched_by = excluded.matched_by, held_as = excluded.held_as,
        awaits_node = excluded.awaits_node, is_used = false
      where transfers.state = 'reverted'
      returning 1
    ),
    changed as (
      update transfers set block_number = input.block_number, block_hash = input.block_hash, block_time = input.block_time,
        from_address = input.from_address, to_address = input.to_address, usdc_base = input.usdc_base, state = input.state,
        invoice_id = input.invoice_id, account_id = ${accountOf(sql)}, matched_by = input.matched_by, held_as = input.held_as,
        awaits_node = input.awaits_node, is_used = false
      from ${rowsOf(sql, updated, {
        ...transferColumns(({ after }) => after),
        credited_to: ['uuid', ({ before }) => before.credit?.invoiceId ?? null],
      })}
      where transfers.chain = ${chain} and transfers.tx_hash = input.tx_hash and transfers.position = input.position
        -- Credited since it was read: that invoice must change too.
        and transfers.invoice_id is not distinct from input.credited_to
      returning 1
    ),
    freed as (${unuse(sql, chain, freed)}),
    used as (${use(sql, chain, paying, { afterFreed: true })}),
    ${moved.length > 0 ? sql`sales as (${moveSales(sql, moved)}),` : sql``}
    ${writePayments(sql, step)}
    select 1 / (
      (select count(*) from moved) = 1
      and (select count(*) from seen) = ${inserted.length}
      and (select count(*) from changed) = ${updated.length}
      and (select count(*) from used) = ${paying.length}
      and ${arePaymentsWhole(sql, step)}
    )::integer`,
    selfRefusal,
  )
}

/** Whether a transfer no longer pays the invoice that it was credited to. */
function isFreed({ before, after }: TransferChange): boolean {
  const { credit } = before
  return (
    credit !== null && (after.state === 'reverted' || after.credit?.invoiceId !== credit.invoiceId)
  )
}

/** What transfers pay, of the invoices that are changed by them. */
function usesBy(transfers: readonly StoredTransfer[], changes: readonly Change[]): readonly Use[] {
  const accounts = new Map(changes.map(({ after }) => [after.id, after.accountId]))
  return transfers.flatMap(({ txHash, position, state, credit }) => {
    const accountId = credit && accounts.get(credit.invoiceId)
    if (!accountId || state === 'reverted') return []
    return [{ txHash, position, kind: 'invoice', accountId, subjectId: credit.invoiceId }]
  })
}

/** The account of the invoice that a transfer of `input` is credited to. */
function accountOf(sql: Sql) {
  return sql`(select account_id from invoices where id = input.invoice_id)`
}

/** In the order in which they are inserted. */
function transferColumns<Item>(of: (item: Item) => StoredTransfer): Columns<Item> {
  return {
    tx_hash: ['bytea', (item) => toBytes(of(item).txHash)],
    position: ['integer', (item) => of(item).position],
    block_number: ['bigint', (item) => of(item).blockNumber],
    block_hash: ['bytea', (item) => toBytes(of(item).blockHash)],
    block_time: ['timestamptz', (item) => new Date(of(item).blockTimeMs)],
    from_address: ['bytea', (item) => toBytes(of(item).from)],
    to_address: ['bytea', (item) => toBytes(of(item).to)],
    usdc_base: ['bigint', (item) => of(item).usdcBase],
    state: ['text', (item) => of(item).state],
    invoice_id: ['uuid', (item) => of(item).credit?.invoiceId ?? null],
    matched_by: ['text', (item) => of(item).credit?.matchedBy ?? null],
    held_as: ['text', (item) => of(item).heldAs],
    awaits_node: ['boolean', (item) => of(item).awaitsNode ?? false],
  }
}

/** Most steps change only the cursor. */
function isEmpty(step: Step): boolean {
  const { inserted, updated, changes } = step
  return [inserted, updated, changes].every((part) => part.length === 0)
}

/**
 * Writes invoices, trail and receipts. The statement must abort itself unless
 * `arePaymentsWhole`.
 */
export function writePayments(sql: Sql, { changes, issued, revokedReceiptIds, now }: Payments) {
  return sql`
    settled as (${updateRows(sql, changes)}),
    trail as (
      insert into events (subject_id, sequence, account_id, types, data, created_at, schema)
      select * from ${trailEntries(sql, changes)}
      returning subject_id, sequence, account_id, types
    ),
    announced as (${announceTrail(sql)}),
    told as (${notifyChanges(sql)}),
    ${writeReceipts(sql, { issued, revokedReceiptIds, now })}`
}

type Receipts = Pick<Payments, 'issued' | 'revokedReceiptIds' | 'now'>

/**
 * Revokes receipts, which is owed to the chain where their batches are, then issues others. Those
 * get their places in a batch later.
 */
export function writeReceipts(sql: Sql, { issued, revokedReceiptIds, now }: Receipts) {
  return sql`
    revoked as (
      update receipts set revoked_at = ${now} where id = any(${array(revokedReceiptIds)}::text[]) and revoked_at is null
      returning hash, batch_id, batch_index
    ),
    revocations as (
      insert into anchors (id, kind, subject_id, sequence, hash, label, state, created_at, updated_at)
      select gen_random_uuid(), 'revocation', batch_id, 1 + batch_index, hash, '', 'pending', ${now}, ${now}
      from revoked where batch_id is not null
    ),
    issued as (
      insert into receipts (id, account_id, kind, subject_id, seed, claims, invoice_version, fee_base, hash, issued_at)
      select * from ${rowsOf(
        sql,
        issued,
        {
          id: ['text', ({ receipt }) => receipt.id],
          account_id: ['uuid', ({ accountId }) => accountId],
          kind: ['text', ({ receipt }) => receipt.kind],
          subject_id: ['uuid', ({ subjectId }) => subjectId],
          seed: ['bytea', ({ receipt }) => receipt.seed],
          claims: [
            'json text',
            ({ receipt }) => (receipt.source ? null : canonical(receipt.claims)),
          ],
          invoice_version: ['integer', ({ receipt }) => receipt.source?.invoiceVersion ?? null],
          fee_base: ['bigint', ({ receipt }) => receipt.source?.feeBase ?? null],
          hash: ['bytea', ({ receipt }) => receipt.hash],
          issued_at: ['timestamptz', ({ issuedAt }) => issuedAt],
        },
        'issued',
      )}
      -- After the revocations: at most one receipt of an invoice is in force.
      where (select count(*) from revoked) >= 0
    )`
}

/** Whether every invoice was still as read. */
export function arePaymentsWhole(sql: Sql, { changes }: Payments) {
  return sql`(select count(*) from settled) = ${changes.length} and (select count(*) from told) >= 0`
}
