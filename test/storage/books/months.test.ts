import { expect, test } from 'bun:test'
import { closeMonths } from '../../../src/actors/months.ts'
import { documentsIn, seriesIn } from '../../../src/storage/books/documents.ts'
import { storedInvoice } from '../../support/stored-invoice.ts'
import { useWorld } from '../../support/world.ts'

const { sql } = useWorld({ service: 'none' })

function close() {
  return closeMonths({ sql, unhurriedSql: sql, now: () => new Date(), log: console })
}

async function monthsOf(accountId: string) {
  return sql<{ month: string; claims: string }[]>`
    select to_char(month, 'YYYY-MM') as month, claims from document_months
    join receipts on receipts.id = receipt_id where document_months.account_id = ${accountId} order by month`
}

/** The first day, some months ago. */
function monthsAgo(months: number, day = 1): Date {
  const now = new Date()
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months, day))
}

test('every month that is over has one receipt, from the first with a document on, empty ones too', async () => {
  const accountId = crypto.randomUUID()
  for (const at of [monthsAgo(3), monthsAgo(3, 2), monthsAgo(1), new Date()])
    await storedInvoice(sql, accountId, {}, at)
  while ((await close()) > 0);
  expect(await close()).toBe(0)
  const rows = await monthsOf(accountId)
  const ago = [3, 2, 1].map((months) => monthsAgo(months).toISOString().slice(0, 7))
  expect(rows.map(({ month }) => month)).toEqual(ago)
  const claims = rows.map((row) => Object.fromEntries(JSON.parse(row.claims)))
  expect(claims.map(({ documents }) => documents)).toEqual([2, 0, 1])
  expect(claims.map(({ since }) => since)).toEqual(ago.map(() => ago[0]))
  expect(claims[0]).toMatchObject({ kind: 'books', accountId, month: ago[0], settlements: 0 })
  const name = `INV-${ago[0]?.slice(0, 4)}`
  expect(claims[0]?.series).toEqual([{ name, first: 1, last: 2, count: 2 }])
  expect(claims[1]).toMatchObject({ documentsRoot: null, series: [] })
})

test('two processes that close a month at once issue one receipt', async () => {
  const accountId = crypto.randomUUID()
  await storedInvoice(sql, accountId, {}, monthsAgo(1))
  await Promise.all([close(), close(), close()])
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from receipts where account_id = ${accountId}`
  expect(row?.count).toBe(1)
})

test('the documents of a month are read in pages, in order and once, whatever their number', async () => {
  const accountId = crypto.randomUUID()
  const { id } = await storedInvoice(sql, accountId, {}, monthsAgo(1))
  await sql`
    insert into invoices (id, account_id, year, is_purchase, number, place, version, state, owed_base, chain, pay_to, due_base, created_at, updated_at, terms, progress)
    select gen_random_uuid(), account_id, year, false, 1 + n, 1 + n, 1, 'draft', null::bigint, chain, pay_to, due_base, created_at, updated_at, terms, progress
    from invoices, generate_series(1, 1200) as n where id = ${id}`
  const month = monthsAgo(1).toISOString().slice(0, 7)
  const series = await seriesIn(sql, accountId, month)
  const pages = await Array.fromAsync(documentsIn(sql, accountId, month, series))
  const numbers = pages.flatMap((page) => page.map(({ stored }) => stored.number))
  expect(numbers).toEqual(Array.from({ length: 1_201 }, (_, at) => at + 1))
  expect(Math.max(...pages.map(({ length }) => length))).toBe(500)
})
