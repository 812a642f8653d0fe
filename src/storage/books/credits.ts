import type { BookedRefund, CountedNote } from '../../domain/books/journal.ts'
import type { Days } from '../../domain/books/period.ts'
import { fromText } from '../../domain/codec.ts'
import { numberOf, terms } from '../../domain/credit-notes/credit-note.ts'
import { statement } from '../postgres/db.ts'
import { inDays } from './days.ts'
import { behindTransfer, keyOf, pagesOf, perPage, type Turns } from './journal.ts'

/** The credit notes that count in a period, in the order from which they do. */
export function countedNotes(turns: Turns, accountId: string, days: Days) {
  return pagesOf<CountedNote>(turns, accountId, async (sql, after) => {
    const rows = await statement<NoteRow[]>(sql)`
      select id, year, number, terms, counted_at from credit_notes
      where account_id = ${accountId} and counted_at is not null ${inDays(sql, 'counted_at', days)}
        ${after ? sql`and (counted_at, id) > (${after.countedAt}, ${after.id})` : sql``}
      order by counted_at, id limit ${perPage}`
    return rows.map(({ counted_at, ...row }) => {
      return { ...row, terms: fromText(terms, row.terms), countedAt: counted_at }
    })
  })
}

type NoteRow = { id: string; year: number; number: number | null; terms: string; counted_at: Date }

/** The transfers that have proven refunds, in the order of their blocks. */
export function bookedRefunds(turns: Turns, accountId: string, days: Days) {
  return pagesOf<BookedRefund>(turns, accountId, async (sql, after) => {
    const rows = await statement<RefundRow[]>(sql)`
      select refund.chain || ':' || encode(tx_hash, 'hex') || ':' || position as key, block_time, usdc_base, year, number, terms
      from (
        select * from refunds where account_id = ${accountId} and tx_hash is not null ${inDays(sql, 'block_time', days)} ${behindTransfer(sql, after)}
        order by block_time, chain, tx_hash, position limit ${perPage}
      ) as refund
      join credit_notes on credit_notes.id = note_id
      order by block_time, refund.chain, tx_hash, position`
    return rows.map(({ year, number, key, block_time, usdc_base, ...row }) => {
      const said = fromText(terms, row.terms)
      const document = numberOf({ year, number, terms: said })
      const isPurchase = said.isPurchase === true
      return { key: keyOf(key), blockTime: block_time, usdcBase: usdc_base, document, isPurchase }
    })
  })
}

type RefundRow = {
  /** In hex. */
  key: string
  block_time: Date
  usdc_base: bigint
  year: number
  number: number | null
  terms: string
}
