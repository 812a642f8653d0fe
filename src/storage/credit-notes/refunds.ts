import type { CreditNote } from '../../domain/credit-notes/credit-note.ts'
import { type Claim, isPaidBy, openClaims, type Sent } from '../../domain/credit-notes/proof.ts'
import type { Network } from '../../domain/network.ts'
import { type InBytes, inText, toBytes } from '../postgres/chain-bytes.ts'
import { type Sql, statement } from '../postgres/db.ts'
import { rowsOf } from '../postgres/rows.ts'
import { placeKey } from '../settlement/uses.ts'
import { columns, decode, type Row } from './credit-notes.ts'

/** A note that waits for refunds, and the block up to which they have been looked for. */
export type Due = {
  readonly note: CreditNote
  readonly lookedTo: number
  /** When they are looked for next; anything else that is done to them changes it. */
  readonly lookAt: string
}

/** Where a transfer that proves a refund was found. */
export type Proven = {
  readonly noteId: string
  readonly refundTo: string
  readonly txHash: string
  readonly position: number
  readonly blockNumber: number
}

/**
 * Notes on a chain whose refunds are due to be looked for, and puts them off by an eighth of their
 * age, five minutes at most. Those whose payment was taken back wait.
 */
export async function dueRefunds(sql: Sql, chain: Network, limit: number): Promise<readonly Due[]> {
  const rows = await statement<(Row & { looked_to: bigint; look_at: string })[]>(sql)`
    with due as (
      select note_id, payer from refunds
      where chain = ${chain} and tx_hash is null and refund_to is not null and look_at <= now()
      order by look_at limit ${limit} for update skip locked
    ),
    looked as (
      update refunds set look_at = now() + least(interval '5 minutes', greatest(interval '1 second', now() - created_at) / 8)
      from due join credit_notes on credit_notes.id = due.note_id
      where (refunds.note_id, refunds.payer) = (due.note_id, due.payer)
      returning refunds.note_id, looked_to, look_at
    )
    select ${columns(sql)}, looked_to, look_at
    from (select note_id, min(looked_to) as looked_to, max(look_at)::text as look_at from looked group by note_id) as looked
    join credit_notes as note on note.id = looked.note_id
    join invoices on invoices.id = note.invoice_id
    where invoices.state in ('settled', 'completed')
    order by note.id`
  return rows.map((row) => ({
    note: decode(row).note,
    lookedTo: Number(row.looked_to),
    lookAt: row.look_at,
  }))
}

/**
 * Notes that blocks up to `block` were read for; `isMore`: there are more to read now. Not for a
 * note that has changed meanwhile: a new wallet or address is looked for from the start.
 */
export async function noteLooked(
  sql: Sql,
  due: readonly Due[],
  { block, isMore }: { readonly block: number; readonly isMore: boolean },
): Promise<void> {
  await statement(sql)`
    update refunds set looked_to = greatest(looked_to, ${block}), look_at = case when ${isMore} then now() else refunds.look_at end
    from ${rowsOf(sql, due, {
      note_id: ['uuid', ({ note }) => note.id],
      look_at: ['timestamptz', ({ lookAt }) => lookAt],
    })}
    where refunds.note_id = input.note_id and refunds.look_at = input.look_at and tx_hash is null`
}

/**
 * Open refunds of any account of the amount and to the address of one of these transfers, with
 * those of the same notes, the oldest note first.
 */
export async function claimsOn(
  sql: Sql,
  chain: Network,
  transfers: readonly Sent[],
): Promise<readonly Claim[]> {
  const rows = await statement<(Row & { issued_in: bigint })[]>(sql)`
    select ${columns(sql)}, (select max(issued_in) from refunds where note_id = note.id) as issued_in from credit_notes as note join invoices on invoices.id = invoice_id
    where note.id = any(array(
      select note_id from refunds join ${rowsOf(sql, transfers, {
        refund_to: ['bytea', ({ to }) => toBytes(to)],
        usdc_base: ['bigint', ({ usdcBase }) => usdcBase],
      })} using (refund_to, usdc_base)
      where chain = ${chain} and tx_hash is null
    ))
    order by note.id`
  return rows.flatMap((row) => openClaims(decode(row).note, Number(row.issued_in)))
}

/**
 * The keys of transfers that pay an open refund of any account: unless it names an invoice, such a
 * transfer is that refund.
 */
export async function refundsAmong(
  sql: Sql,
  chain: Network,
  transfers: readonly Sent[],
): Promise<ReadonlySet<string>> {
  if (transfers.length === 0) return new Set()
  const claims = await claimsOn(sql, chain, transfers)
  const refunds = transfers.filter((sent) => claims.some((claim) => isPaidBy(claim, sent)))
  return new Set(refunds.map(placeKey))
}

/** Refunds that transfers in this block or later have proven. */
export async function provenSince(
  sql: Sql,
  chain: Network,
  block: number,
): Promise<readonly Proven[]> {
  const rows = await statement<ProvenRow[]>(sql)`
    select note_id as "noteId", refund_to as "refundTo", tx_hash as "txHash", position, block_number as "blockNumber"
    from refunds where chain = ${chain} and tx_hash is not null and block_number >= ${block}`
  return rows.map((row) => {
    return { ...inText(chain, row, 'refundTo', 'txHash'), blockNumber: Number(row.blockNumber) }
  })
}

type ProvenRow = InBytes<Omit<Proven, 'blockNumber'>, 'refundTo' | 'txHash'> & {
  blockNumber: bigint
}
