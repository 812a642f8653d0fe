import type { Network } from '../../domain/network.ts'
import { centBase, lateMoneyMs, mostInOneCent } from '../../domain/settlement/candidate.ts'
import { toBytes } from '../postgres/chain-bytes.ts'
import { type Sql, statement } from '../postgres/db.ts'
import { rowsOf } from '../postgres/rows.ts'

/** An amount at an address, as in transfers. */
export type Place = { readonly payTo: string; readonly usdcBase: bigint }

/**
 * The amounts that count against other accounts within the cents of these, as
 * `invoiceId usdcBase`: of what each account is due there, or asks, the oldest.
 */
export async function countingAmounts(
  sql: Sql,
  chain: Network,
  places: readonly Place[],
): Promise<ReadonlySet<string>> {
  if (places.length === 0) return new Set()
  const rows = await statement<{ invoiceId: string; usdcBase: bigint }[]>(sql)`
    select invoice_id as "invoiceId", usdc_base as "usdcBase" from (${countingRows(sql, chain, places)}) as counting`
  return new Set(rows.map(({ invoiceId, usdcBase }) => `${invoiceId} ${usdcBase}`))
}

/** The rows `(invoice_id, usdc_base)` of `countingAmounts`. */
export function countingRows(sql: Sql, chain: Network, places: readonly Place[]) {
  const cents = new Map(
    places.map(({ payTo, usdcBase }) => {
      const cent = usdcBase / centBase
      return [`${payTo} ${cent}`, { payTo, cent }]
    }),
  )
  const there = sql`hashtextextended(chain || pay_to, owed_base / 10000) = hashtextextended(${chain}::text || at_address, cent)
    and chain = ${chain} and pay_to = at_address and owed_base / 10000 = cent`
  return sql`
    select invoice_id, usdc_base from (
      select invoice_id, usdc_base,
        row_number() over (partition by at_address, cent, account_id order by since, invoice_id, usdc_base) as place
      from ${rowsOf(
        sql,
        [...cents.values()],
        {
          at_address: ['text', ({ payTo }) => payTo],
          address: ['bytea', ({ payTo }) => toBytes(payTo)],
          cent: ['bigint', ({ cent }) => cent],
        },
        'within',
      )}, lateral (
        select id as invoice_id, account_id, owed_base as usdc_base, created_at as since from invoices where ${there} and state <> 'failed'
        union all
        select id, account_id, owed_base, created_at from invoices
        where ${there} and state = 'failed' and due_at > now() - ${`${lateMoneyMs} milliseconds`}::interval
        union all
        select invoice_id, account_id, usdc_base, asked_at from asked_amounts join invoices on id = invoice_id
        where (asked_amounts.chain, asked_amounts.pay_to) = (${chain}, address)
          and usdc_base between 10000 * cent and 10000 * cent + 9999 and not ${isClosed(sql)}
      ) as amounts
    ) as placed where place <= ${mostInOneCent}`
}

/** Whether a row of `invoices` takes no payment any more. */
export function isClosed(sql: Sql) {
  return sql`(state in ('settled', 'completed') or state = 'failed' and progress ~ '"failure":"(voided|credited)"')`
}
