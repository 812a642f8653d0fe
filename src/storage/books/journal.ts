import type { BookedTransfer, SettledDocument } from '../../domain/books/journal.ts'
import type { Days } from '../../domain/books/period.ts'
import { fromText } from '../../domain/codec.ts'
import type { Place } from '../../domain/invoices/list.ts'
import { progress } from '../../domain/invoices/progress.ts'
import { taxed } from '../../domain/invoices/terms.ts'
import type { Network } from '../../domain/network.ts'
import { toBytes, toText } from '../postgres/chain-bytes.ts'
import { type Fragment, type Sql, statement } from '../postgres/db.ts'
import type { Database } from '../postgres/pools.ts'
import { inDays } from './days.ts'

/** The most rows of a page. */
export const perPage = 500

export type Turns = Pick<Database, 'list' | 'listFurther'>

/** Reads what follows `after`, or the first page. */
type ReadPage<Item> = (sql: Sql, after: Item | null) => Promise<readonly Item[]>

/** A statement for each page, each in its turn. The next is read while one is worked on. */
export async function* pagesOf<Item>(
  { list, listFurther }: Turns,
  accountId: string,
  read: ReadPage<Item>,
): AsyncGenerator<readonly Item[], void> {
  let reading = list(accountId, (sql) => read(sql, null))
  for (;;) {
    const page = await reading
    const last = page.at(-1)
    if (!last || page.length < perPage) return void (yield page)
    reading = listFurther(accountId, (sql) => read(sql, last))
    // It is thrown where it is awaited; nobody may do that if the caller is gone.
    reading.catch(() => {})
    yield page
  }
}

/** The invoices that settled in a period, in the order of settlement. */
export function settledDocuments(turns: Turns, accountId: string, days: Days) {
  return pagesOf<SettledDocument & Place>(turns, accountId, async (sql, after) => {
    const behind = after
      ? sql`and (settled_at, year, place) > (${after.settledAt}, ${after.year}, ${after.place})`
      : sql``
    const rows = await cellsOf(
      sql,
      sql`${ms(sql, 'settled_at')}, year, number, place, taxed_part(terms), case when is_purchase then progress end`,
      sql`
        select settled_at, year, number, place, is_purchase, terms, progress from invoices
        where account_id = ${accountId} and settled_at is not null ${inDays(sql, 'settled_at', days)} ${behind}
        order by settled_at, year, place limit ${perPage}`,
    )
    return rows.map(([at, year, number, place, terms = '', ofPurchase]) => ({
      settledAt: new Date(Number(at)),
      year: Number(year),
      number: Number(number),
      place: Number(place),
      taxed: fromText(taxed, terms),
      payments: ofPurchase === undefined ? null : fromText(progress, ofPurchase).payments,
    }))
  })
}

/** The confirmed transfers to sales, settled or not, in the order of their blocks. */
export function bookedTransfers(turns: Turns, accountId: string, days: Days) {
  const isFirst = firstInTransaction()
  return pagesOf<BookedTransfer>(turns, accountId, async (sql, after) => {
    const rows = await cellsOf(
      sql,
      sql`${ms(sql, 'block_time')}, key, usdc_base, year, number, fee_base, progress`,
      sql`
        select block_time, transfer.chain || ':' || encode(tx_hash, 'hex') || ':' || position as key, usdc_base, year, number, coalesce(fee_base, 0) as fee_base,
          case when fee_base > 0 then progress end as progress
        from (
          select chain, tx_hash, position, block_time, usdc_base, invoice_id from transfers
          where account_id = ${accountId} and state = 'confirmed' ${inDays(sql, 'block_time', days)} ${behindTransfer(sql, after)}
          order by block_time, chain, tx_hash, position limit ${perPage}
        ) as transfer
        join invoices on invoices.id = invoice_id
        left join receipts on subject_id = invoice_id and kind = 'settlement' and revoked_at is null
        order by block_time, transfer.chain, tx_hash, position`,
    )
    return rows.map(([at, hex = '', usdcBase = '', year, number, feeBase = '', paidBy]) => {
      const key = keyOf(hex)
      const isPaid =
        paidBy !== undefined && settles(key, paidBy) && isFirst(key, `${year}.${number}`)
      return {
        blockTime: new Date(Number(at)),
        key,
        usdcBase: BigInt(usdcBase),
        year: Number(year),
        number: Number(number),
        feeBase: isPaid ? BigInt(feeBase) : 0n,
      }
    })
  })
}

/** Whether a transfer is in the transaction that completed what was due: it bears the fee. */
function settles(key: string, text: string): boolean {
  return key.split(':')[1] === fromText(progress, text).settlement?.txHash
}

/** Whether an invoice has not been seen before in the transaction: it has one fee. */
function firstInTransaction() {
  let seen = { transaction: '', invoices: new Set<string>() }
  return (key: string, invoice: string) => {
    const transaction = key.slice(0, key.lastIndexOf(':'))
    if (seen.transaction !== transaction) seen = { transaction, invoices: new Set() }
    const { size } = seen.invoices
    return seen.invoices.add(invoice).size > size
  }
}

/**
 * The cells of a page of `rows`, in their order; only the last of a row may be null, and is then
 * left out. They are sent as one text: a client takes several times as long to read each by itself.
 * None holds control characters.
 */
async function cellsOf(sql: Sql, cells: Fragment, rows: Fragment) {
  const [answer] = await statement<[{ page: string | null }]>(
    sql,
  )`select string_agg(concat_ws(chr(31), ${cells}), chr(30)) as page from (${rows}) as page`
  return answer.page?.split('\u001e').map((row) => row.split('\u001f')) ?? []
}

function ms(sql: Sql, column: 'settled_at' | 'block_time') {
  return sql`(extract(epoch from ${sql(column)}) * 1000)::bigint`
}

/** Chain, transaction and position, of which the transaction comes in hex. */
export function keyOf(inHex: string): string {
  const [chain = '', hash = '', position] = inHex.split(':')
  return `${chain}:${toText(chain as Network, hash)}:${position}`
}

/** Rows with a transfer that come after this one, whose key is chain, transaction and position. */
export function behindTransfer(sql: Sql, after: Pick<BookedTransfer, 'key' | 'blockTime'> | null) {
  if (after === null) return sql``
  const [chain = '', txHash = '', position = ''] = after.key.split(':')
  return sql`and (block_time, chain, tx_hash, position) > (${after.blockTime}, ${chain}, ${toBytes(txHash)}, ${position}::integer)`
}
