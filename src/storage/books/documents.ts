import type { Series, StoredDocument } from '../../domain/books/documents.ts'
import { daysOfMonth, type Period } from '../../domain/books/period.ts'
import { array, type Fragment, type Sql, statement } from '../postgres/db.ts'

/** A document as it is stored, with the text of its state. */
export type DocumentRow = {
  readonly stored: StoredDocument
  readonly progress: string
  /** Of a credit note. */
  readonly countedAt: Date | null
  /** The state of the invoice of a credit note that counts. */
  readonly invoiceProgress: string | null
}

/** The series of which an account issued documents in a month, in the order of its tree. */
export async function seriesIn(sql: Sql, accountId: string, month: string) {
  return statement<Series[]>(sql)`
    select name, first, last, count from (
      select is_purchase::integer as rank, case when is_purchase then 'PUR-' else 'INV-' end || ${yearOf(month)} as name,
        min(number) as first, max(number) as last, count(*)::integer as count
      from invoices where ${issuedIn(sql, accountId, month)} group by is_purchase
      union all
      select case when number is null then 3 else 2 end, case when number is null then 'received' else 'CN-' || ${yearOf(month)} end,
        min(number), max(number), count(*)::integer
      from credit_notes where ${issuedIn(sql, accountId, month)} group by number is null
    ) as series order by rank`
}

/** The documents of these series in a month, in their order, in pages. */
export async function* documentsIn(
  sql: Sql,
  accountId: string,
  month: string,
  series: readonly Series[],
): AsyncGenerator<readonly DocumentRow[], void> {
  const issued = issuedIn(sql, accountId, month)
  const of = (prefix: string) => series.find(({ name }) => name.startsWith(prefix))
  for (const prefix of ['INV-', 'PUR-'])
    yield* pagesOf(
      of(prefix),
      0,
      (after, last, limit) => sql`
      select 'invoice' as kind, id, year, number, place, created_at, null::uuid as invoice_id, terms, progress,
        null::timestamptz as counted_at, null as invoice_progress
      from invoices where ${issued} and is_purchase = ${prefix === 'PUR-'} and place > ${after} and number <= ${last}
      order by place limit ${limit}`,
    )
  const notes = sql`
    select 'credit_note' as kind, id, year, number, number as place, created_at, invoice_id, terms, progress, counted_at,
      case when counted_at is not null then (select progress from invoices where invoices.id = invoice_id) end as invoice_progress
    from credit_notes where ${issued}`
  yield* pagesOf(
    of('CN-'),
    0,
    (after, last, limit) => sql`
    ${notes} and number > ${after} and number <= ${last} order by number limit ${limit}`,
  )
  yield* pagesOf(
    of('received'),
    nil,
    (after, _, limit) => sql`
    ${notes} and number is null and id > ${after}::uuid order by id limit ${limit}`,
  )

  async function* pagesOf<Place extends number | string>(
    one: Series | undefined,
    first: Place,
    page: (after: Place, last: number, limit: number) => Fragment,
  ) {
    let after = first
    for (let left = one?.count ?? 0; left > 0; ) {
      const rows = await statement<Row[]>(
        sql,
      )`${page(after, one?.last ?? 0, Math.min(left, perPage))}`
      const last = rows.at(-1)
      if (!last) return
      after = (last.place ?? last.id) as Place
      left -= rows.length
      yield rows.map(decode)
    }
  }
}

/**
 * The months before a period of whose documents the journal of the period has entries, and its own.
 */
export async function monthsTouched(sql: Sql, accountId: string, { from, to }: Period) {
  const at = (column: string) =>
    sql`account_id = ${accountId} and ${sql(column)} >= ${new Date(from)} and ${sql(column)} < ${new Date(to)}`
  const rows = await statement<{ month: string }[]>(sql)`
    select distinct to_char(created_at, 'YYYY-MM') as month from (
      select created_at from invoices where ${at('settled_at')}
      union all
      select invoices.created_at from invoices
      where id in (select invoice_id from transfers where ${at('block_time')} and state = 'confirmed')
      union all
      select created_at from credit_notes where ${at('counted_at')}
      union all
      select created_at from credit_notes where id in (select note_id from refunds where ${at('block_time')} and tx_hash is not null)
    ) as touched
    where created_at < ${new Date(from)} order by month`
  return rows.map(({ month }) => month)
}

/** The ids of the receipts of those months that have one. */
export async function monthReceipts(sql: Sql, accountId: string, months: readonly string[]) {
  const rows = await statement<{ id: string }[]>(sql)`
    select receipt_id as id from document_months
    where account_id = ${accountId} and to_char(month, 'YYYY-MM') = any(${array(months)}::text[])`
  return rows.map(({ id }) => id)
}

/** How many invoices of an account settled in a month. */
export async function settledIn(sql: Sql, accountId: string, month: string): Promise<number> {
  const { from, to } = daysOfMonth(month)
  const [row] = await statement<[{ count: number }]>(sql)`
    select count(*)::integer as count from invoices
    where account_id = ${accountId} and settled_at >= ${new Date(from)} and settled_at < ${new Date(to)}`
  return row.count
}

const perPage = 500
const nil = '00000000-0000-0000-0000-000000000000'

/** Documents of a month have the numbers of its year. */
function issuedIn(sql: Sql, accountId: string, month: string) {
  const { from, to } = daysOfMonth(month)
  return sql`account_id = ${accountId} and year = ${Number(yearOf(month))}
    and created_at >= ${new Date(from)} and created_at < ${new Date(to)}`
}

function yearOf(month: string): string {
  return month.slice(0, 4)
}

function decode(row: Row): DocumentRow {
  const { kind, id, year, number, invoice_id: invoiceId } = row
  return {
    stored: {
      ...{ kind, id, year, number },
      ...(invoiceId && { invoiceId }),
      createdAt: row.created_at.toISOString(),
      terms: JSON.parse(row.terms),
    },
    progress: row.progress,
    countedAt: row.counted_at,
    invoiceProgress: row.invoice_progress,
  }
}

type Row = {
  kind: 'invoice' | 'credit_note'
  id: string
  year: number
  number: number | null
  place: number | null
  created_at: Date
  invoice_id: string | null
  terms: string
  progress: string
  counted_at: Date | null
  invoice_progress: string | null
}
