import { serviceAccountId } from '../../domain/accounts/account.ts'
import { mostExtraBase } from '../../domain/invoices/balance.ts'
import type { Invoice } from '../../domain/invoices/invoice.ts'
import { addressKey } from '../../domain/network.ts'
import { lateMoneyMs, priceGrainBase } from '../../domain/settlement/candidate.ts'
import { toBytes } from '../postgres/chain-bytes.ts'
import { type Fragment, isRefusal, type Sql, statement, uniqueViolation } from '../postgres/db.ts'
import { countingRows, isClosed } from './counting-amounts.ts'

/** Copies of a page that is opened many times at once find each other's amount. */
const mostTries = 20

/**
 * The amount that the payers of an invoice are asked for while `leftBase` is left to pay: that, or
 * up to 999 millionths of a USDC more, by chance, where another invoice at its address is due or
 * asks the same, or where several accounts are paid. With millionths it is never as round as a
 * price. It is the same for every caller, and no other invoice's. Null: all are taken.
 */
export async function askedAmount(
  sql: Sql,
  invoice: Invoice,
  leftBase: bigint,
): Promise<bigint | null> {
  for (let tries = 1; tries <= mostTries; tries++) {
    const reserved =
      (await reserve(sql, invoice, leftBase, unused)) ??
      (await reserve(sql, invoice, leftBase, uncounted))
    if (reserved !== 'lost') return reserved
  }
  return null
}

/** Whether an amount that `isTaken`, or is due, for another invoice is refused. */
type Choice = (
  sql: Sql,
  invoice: Invoice,
  leftBase: bigint,
) => {
  readonly with: Fragment
  isRefused(amount: Fragment): Fragment
}

/** By any other invoice. */
const unused: Choice = (sql, invoice) => ({
  with: sql``,
  isRefused: (amount) => sql`(${isAsked(sql, invoice, amount)} or ${isDue(sql, invoice, amount)})`,
})

/** By one of the account, or by one that counts against others: a stranger cannot take them all. */
const uncounted: Choice = (sql, invoice, leftBase) => {
  const { accountId, terms } = invoice
  const payTo = addressKey(terms.payTo)
  const places = [leftBase, leftBase + mostExtraBase].map((usdcBase) => ({ payTo, usdcBase }))
  const own = sql`account_id = ${accountId}`
  return {
    with: sql`counting as materialized (${countingRows(sql, terms.chain, places)}),`,
    isRefused: (
      amount,
    ) => sql`(exists (select from counting where usdc_base = ${amount} and invoice_id <> ${invoice.id})
      or ${isAsked(sql, invoice, amount, own)} or ${isDue(sql, invoice, amount, own)})`,
  }
}

/** Whether another invoice asks the amount. What is closed is free, for others after 30 days. */
function isAsked(sql: Sql, { id, accountId, terms }: Invoice, amount: Fragment, of = sql`true`) {
  return sql`exists (
    select from asked_amounts join invoices on id = invoice_id
    where (asked_amounts.chain, asked_amounts.pay_to, usdc_base) = (${terms.chain}, ${toBytes(addressKey(terms.payTo))}, ${amount}) and ${of}
      and id <> ${id} and not (${isClosed(sql)} and (account_id = ${accountId} or updated_at < now() - ${late}::interval))
  )`
}

/** Whether another invoice may be paid by exactly the amount. */
function isDue(sql: Sql, { id, accountId, terms }: Invoice, amount: Fragment, of = sql`true`) {
  const payTo = addressKey(terms.payTo)
  const there = sql`hashtextextended(chain || pay_to, owed_base / 10000) = hashtextextended(${terms.chain}::text || ${payTo}::text, ${amount} / 10000)
    and owed_base = ${amount} and chain = ${terms.chain} and pay_to = ${payTo} and id <> ${id} and ${of}`
  return sql`(exists (select from invoices where ${there} and state <> 'failed') or exists (
    select from invoices where ${there} and state = 'failed' and account_id <> ${accountId} and due_at > now() - ${late}::interval
  ))`
}

/** `lost`: another caller has just taken the amount. */
async function reserve(
  sql: Sql,
  invoice: Invoice,
  leftBase: bigint,
  choice: Choice,
): Promise<bigint | null | 'lost'> {
  const { id, accountId, terms } = invoice
  const at = sql`${terms.chain}, ${toBytes(addressKey(terms.payTo))}`
  const isKeyless = accountId === serviceAccountId
  const { with: before, isRefused } = choice(sql, invoice, leftBase)
  const made = statement<{ usdcBase: bigint; isMine: boolean }[]>(sql)`
    with ${before} mine as (
      select usdc_base from asked_amounts where invoice_id = ${id} and for_base = ${leftBase}
    ),
    free as (
      select amount, (select invoice_id from asked_amounts where (chain, pay_to, usdc_base) = (${at}, amount)) as closed_id
      from (
        select ${leftBase}::bigint + extra as amount from generate_series(0, ${mostExtraBase}::bigint) as extra
        where not exists (select from mine) and (extra > 0 and (${leftBase}::bigint + extra) % ${priceGrainBase} <> 0 or extra = 0 and not ${isKeyless}::boolean
          and not coalesce((select is_shared from payment_addresses where (chain, address) = (${at})), false))
        order by extra > 0, random()
      ) as tried
      where not ${isRefused(sql`amount`)} limit 1
    ),
    made as (
      insert into asked_amounts (chain, pay_to, usdc_base, invoice_id, for_base, asked_at)
      select ${at}, amount, ${id}, ${leftBase}, now() from free
      -- Only from the invoice that this statement knows to be done with it.
      on conflict (chain, pay_to, usdc_base) do update
        set invoice_id = excluded.invoice_id, for_base = excluded.for_base, asked_at = excluded.asked_at
        where asked_amounts.invoice_id = (select closed_id from free)
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

const late = `${lateMoneyMs} milliseconds`
