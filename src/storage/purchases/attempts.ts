import { maxUnits } from '../../domain/money/money.ts'
import { isTxHash, networks } from '../../domain/network.ts'
import type { Attempt } from '../../domain/purchases/attempt.ts'
import { attemptLimitMs, isWaiting, type Purchase } from '../../domain/purchases/purchase.ts'
import { readRecipients, requirementsPaid } from '../../domain/x402/forwarded-payment.ts'
import { toBytes, toText } from '../postgres/chain-bytes.ts'
import { ago, array, clock, type Sql, statement } from '../postgres/db.ts'
import { decode, type Row } from './purchases.ts'

/** Quotes read at once: other attempts may take as many at the same moment. */
const mostQuotes = 8

/**
 * The purchase that an attempt repeats: by the id of its payment, else by the payment. Without one,
 * the quotes it may pay, newest first. A payment that was not taken leaves its id to another.
 */
export async function findFor(
  sql: Sql,
  attempt: Attempt,
): Promise<{ readonly known: Purchase | null; readonly quotes: readonly Purchase[] }> {
  const { accountId, resource, mandateId, invoiceId } = attempt
  const { key, identified } = attempt.payment
  const id = identified?.id ?? null
  const rows = await statement<Row[]>(sql)`
    select *, ${clock(sql)} as read_at from purchases where account_id = ${accountId} and payment_key = ${key}
    union all
    select *, ${clock(sql)} from purchases
    where account_id = ${accountId} and resource = ${toBytes(resource)} and payment_id = ${id}::text
      and state in ('forwarding', 'unknown', 'paid', 'settled')
    union all (
      select *, ${clock(sql)} from purchases
      where account_id = ${accountId} and resource = ${toBytes(resource)} and ${isPayable(sql)}
        and (${invoiceId}::uuid is null or invoice_id = ${invoiceId}::uuid)
        and (mandate_id is not distinct from ${mandateId}::text or ${mandateId === null && invoiceId !== null})
        and ${isAskedFor(sql, attempt)} and ${isUnpaid(sql)}
      order by invoice_id desc limit ${mostQuotes}
    )`
  const purchases = rows.map(decode)
  const isRepeated = (one: Purchase) =>
    id !== null && one.payment?.identified?.id === id && !isWaiting(one)
  const known =
    purchases.find(isRepeated) ?? purchases.find(({ payment }) => payment?.key === key) ?? null
  return { known, quotes: known ? [] : purchases }
}

/**
 * The attempt with what its payment pays. A message signed on Solana does not say whose token
 * account it pays, so the recipients of some purchases are tried: first that of the named or
 * already paid invoice, then the newest.
 */
export async function withRequirements(sql: Sql, attempt: Attempt): Promise<Attempt> {
  const { accountId, resource, payment, invoiceId } = attempt
  if (payment.requirements !== null || payment.transfer === null) return attempt
  const { usdcBase } = payment.transfer
  // PostgreSQL may not be able to read more.
  if (usdcBase > maxUnits) return attempt
  const rows = await statement<{ pay_to: Buffer }[]>(sql)`
    select pay_to from purchases
    where account_id = ${accountId} and chain = 'solana' and usdc_base = ${usdcBase}
      and (payment_key = ${payment.key} or resource = ${toBytes(resource)} and ${isPayable(sql)})
    group by pay_to
    order by coalesce(bool_or(payment_key = ${payment.key} or invoice_id = ${invoiceId}::uuid), false) desc, max(created_at) desc
    limit ${readRecipients}`
  const network = 'solana' as const
  const known = rows.map((row) => ({ network, payTo: toText(network, row.pay_to), usdcBase }))
  const requirements = requirementsPaid(payment, known) ?? null
  return { ...attempt, payment: { ...payment, requirements } }
}

/**
 * The purchase of the invoice that the attempt names, in any state, if account, resource and
 * mandate agree.
 */
export async function findNamed(sql: Sql, attempt: Attempt): Promise<Purchase | null> {
  const { accountId, resource, mandateId, invoiceId } = attempt
  const [row] = await statement<Row[]>(sql)`
    select *, ${clock(sql)} as read_at from purchases
    where account_id = ${accountId} and resource = ${toBytes(resource)} and invoice_id = ${invoiceId}
      and (${mandateId}::text is null or mandate_id = ${mandateId})`
  return row ? decode(row) : null
}

/**
 * What a payment may supersede, and whether it has already; `isJustNow`: so recently that a copy of
 * it may be about to be forwarded.
 */
export type Superseding = {
  readonly quote: Purchase | null
  readonly hasSuperseded: boolean
  readonly isJustNow: boolean
}

/**
 * The quote that the attempt would have paid with a payment of the right option of the 402: the one
 * the caller names, else the newest under the same mandate for this agent or none, of at least
 * `leastBase` USDC. Its invoice must be sent.
 */
export async function findSuperseded(
  sql: Sql,
  { accountId, resource, payment, agentId, mandateId, invoiceId }: Attempt,
  leastBase: bigint,
): Promise<Superseding> {
  const isMeant =
    invoiceId === null
      ? sql`mandate_id = ${mandateId} and (agent_id is null or agent_id is not distinct from ${agentId}::text)`
      : sql`invoice_id = ${invoiceId} and (${mandateId}::text is null or mandate_id = ${mandateId})`
  const rows = await statement<(Row & { is_just_now: boolean })[]>(sql)`
    select *, ${clock(sql)} as read_at, abandoned_at > ${ago(sql, attemptLimitMs)} as is_just_now
    from purchases where account_id = ${accountId} and superseded_by = ${payment.key}
    union all (
      select *, ${clock(sql)}, false from purchases
      where account_id = ${accountId} and resource = ${toBytes(resource)} and ${isPayable(sql)} and ${isMeant}
        and usdc_base >= ${leastBase}::bigint
        and exists (select from invoices where id = invoice_id and invoices.state = 'sent')
      order by invoice_id desc limit 1
    )`
  const superseded = rows.find((row) => row.superseded_by === payment.key)
  const [row] = superseded ? [] : rows
  return {
    quote: row ? decode(row) : null,
    hasSuperseded: superseded !== undefined,
    isJustNow: superseded?.is_just_now ?? false,
  }
}

function isPayable(sql: Sql) {
  return sql`state in ('quoted', 'refused', 'expired') and abandoned_at is null`
}

function isUnpaid(sql: Sql) {
  return sql`exists (select from invoices where id = invoice_id and invoices.state in ('draft', 'sent'))`
}

/**
 * A transfer made before does not say what it pays; the form of its hash tells the possible chains.
 */
function isAskedFor(sql: Sql, { payment: { requirements, txHash } }: Attempt) {
  if (txHash !== null)
    return sql`chain = any(${array(networks.filter((network) => isTxHash(network, txHash)))}::text[])`
  if (requirements === null) return sql`false`
  const { network, payTo, usdcBase } = requirements
  return sql`(chain, pay_to, usdc_base) = (${network}, ${toBytes(payTo)}, ${usdcBase}::bigint)`
}
