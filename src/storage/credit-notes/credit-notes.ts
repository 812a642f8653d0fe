import { fromText, toText } from '../../domain/codec.ts'
import {
  type CreditNote,
  type Progress,
  progress,
  terms,
} from '../../domain/credit-notes/credit-note.ts'
import type { ListQuery, Shown } from '../../domain/credit-notes/list.ts'
import type { State as InvoiceState } from '../../domain/invoices/invoice.ts'
import { type Sql, statement } from '../postgres/db.ts'

/** The notes of an invoice, the oldest first. */
export async function notesOf(sql: Sql, invoiceId: string): Promise<readonly CreditNote[]> {
  const rows = await statement<Row[]>(sql)`
    select ${columns(sql)} from credit_notes as note join invoices on invoices.id = invoice_id
    where invoice_id = ${invoiceId} order by note.id`
  return rows.map((row) => decode(row).note)
}

/** Of any account. */
export async function loadNote(sql: Sql, id: string): Promise<CreditNote | null> {
  const [row] = await statement<Row[]>(sql)`
    select ${columns(sql)} from credit_notes as note join invoices on invoices.id = invoice_id where note.id = ${id}`
  return row ? decode(row).note : null
}

export async function findNote(sql: Sql, accountId: string, id: string): Promise<Shown | null> {
  const [row] = await statement<Row[]>(sql)`
    select ${columns(sql)} from credit_notes as note join invoices on invoices.id = invoice_id
    where note.id = ${id} and note.account_id = ${accountId}`
  return row ? decode(row) : null
}

/** The newest first; one more than `limit` where there are more. */
export async function listNotes(
  sql: Sql,
  accountId: string,
  { invoiceId, after, limit }: ListQuery,
): Promise<readonly Shown[]> {
  const rows = await statement<Row[]>(sql)`
    select ${columns(sql)} from credit_notes as note join invoices on invoices.id = invoice_id
    where note.account_id = ${accountId}
      ${invoiceId === null ? sql`` : sql`and invoice_id = ${invoiceId}`}
      ${after === null ? sql`` : sql`and note.id < ${after}`}
    order by note.id desc limit ${limit + 1}`
  return rows.map(decode)
}

/** The last number of a year's notes; 0 before the first. */
export async function lastNumber(sql: Sql, accountId: string, year: number): Promise<number> {
  const [row] = await statement<{ last: number }[]>(sql)`
    select last_number as last from credit_note_numbers where account_id = ${accountId} and year = ${year}`
  return row?.last ?? 0
}

export function encodeProgress(value: Progress): string {
  return toText(progress, value)
}

export type Row = {
  id: string
  account_id: string
  invoice_id: string
  year: number
  number: number | null
  version: number
  state: CreditNote['state']
  created_at: Date
  updated_at: Date
  terms: string
  progress: string
  invoice_state: InvoiceState
}

export function columns(sql: Sql) {
  return sql`note.*, invoices.state as invoice_state`
}

export function decode(row: Row): Shown {
  const note = {
    id: row.id,
    accountId: row.account_id,
    invoiceId: row.invoice_id,
    year: row.year,
    number: row.number,
    version: row.version,
    state: row.state,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    terms: fromText(terms, row.terms),
    progress: fromText(progress, row.progress),
  }
  const { invoice_state: state } = row
  return { note, isPaid: state === 'settled' || state === 'completed' }
}
