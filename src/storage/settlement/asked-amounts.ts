import { mostExtraBase } from '../../domain/invoices/balance.ts'
import type { Invoice } from '../../domain/invoices/invoice.ts'
import { addressKey } from '../../domain/network.ts'
import { lateMoneyMs } from '../../domain/settlement/candidate.ts'
import { toBytes } from '../postgres/chain-bytes.ts'
import { type Fragment, isRefusal, type Sql, statement, uniqueViolation } from '../postgres/db.ts'

/** Copies of a page that is opened many times at once find each other's amount. */
const mostTries = 5

/**
 * The amount that the payers of an invoice are asked for while `leftBase` is left to pay: that, or
 * up to 999 millionths of a USDC more where another invoice at its address is due or asks the same.
 * It is the same for every caller, and no other invoice's. Null: all are taken.
 */
export async function askedAmount(
  sql: Sql,
  invoice: Invoice,
  leftBase: bigint,
): Promise<bigint | null> {
  for (let tries = 1; tries <= mostTries; tries++) {
    const reserved = await reserve(sql, invoice, leftBase)
    if (reserved !== 'lost') return reserved
  }
  return null
}

/** `lost`: another caller has just taken the amount. */
async function reserve(
  sql: Sql,
  { id, accountId, terms }: Invoice,
  leftBase: bigint,
): Promise<bigint | null | 'lost'> {
  const { chain } = terms
  const payTo = addressKey(terms.payTo)
  const late = `${lateMoneyMs} milliseconds`
  const isTaken = (amount: Fragment) => sql`exists (
    select from asked_amounts join invoices on id = invoice_id
    where (asked_amounts.chain, asked_amounts.pay_to, usdc_base) = (${chain}, ${toBytes(payTo)}, ${amount})
      and not ((state in ('settled', 'completed') or state = 'failed' and progress ~ '"failure":"(voided|credited)"')
        and (account_id = ${accountId} or updated_at < now() - ${late}::interval))
  )`
  const isDue = (amount: Fragment) => sql`exists (
    select from invoices
    where payable and hashtextextended(chain || pay_to, due_base) = hashtextextended(${chain}::text || ${payTo}::text, ${amount})
      and (chain, pay_to, due_base) = (${chain}, ${payTo}, ${amount}) and id <> ${id}
      and (state <> 'failed' or account_id <> ${accountId} and due_at > now() - ${late}::interval)
  )`
  const made = statement<{ usdcBase: bigint; isMine: boolean }[]>(sql)`
    with recursive mine as (
      select usdc_base from asked_amounts where invoice_id = ${id} and for_base = ${leftBase}
    ),
    tried (amount) as (
      select ${leftBase}::bigint where not exists (select from mine)
      union all
      select amount + 1 from tried
      where amount < ${leftBase + mostExtraBase} and (${isTaken(sql`amount`)} or ${isDue(sql`amount`)})
    ),
    free as (
      select amount from (select max(amount) as amount from tried) as last
      where amount is not null and not ${isTaken(sql`amount`)} and not ${isDue(sql`amount`)}
    ),
    made as (
      insert into asked_amounts (chain, pay_to, usdc_base, invoice_id, for_base, asked_at)
      select ${chain}, ${toBytes(payTo)}, amount, ${id}, ${leftBase}, now() from free
      on conflict (chain, pay_to, usdc_base) do update
        set invoice_id = excluded.invoice_id, for_base = excluded.for_base, asked_at = excluded.asked_at
        where not ${isTaken(sql`excluded.usdc_base`)}
      returning usdc_base
    )
    select usdc_base as "usdcBase", true as "isMine" from (select * from mine union all select * from made) as reserved
    union all select amount, false from free where not exists (select from made)`
  try {
    const [row] = await made
    return row ? (row.isMine ? row.usdcBase : 'lost') : null
  } catch (error) {
    // Another caller has reserved another amount for the same invoice.
    if (isRefusal(error, uniqueViolation)) return 'lost'
    throw error
  }
}
