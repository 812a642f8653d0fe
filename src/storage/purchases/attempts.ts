import { maxUnits } from '../../domain/money/money.ts'
import { isTxHash, networks } from '../../domain/network.ts'
import {
  type ForwardedPayment,
  readRecipients,
  requirementsPaid,
} from '../../domain/x402/forwarded-payment.ts'
import { isSame, type PaymentRequirements } from '../../domain/x402/requirements.ts'
import {
  ago,
  array,
  clock,
  type Fragment,
  isRefusal,
  type Sql,
  uniqueViolation,
  within,
} from '../postgres/db.ts'
import {
  attemptLimitMs,
  decode,
  isGivenUp,
  isUnpaid,
  isWaiting,
  type Purchase,
  type Row,
} from './purchases.ts'

/** Quotes of purchases, and the attempts to pay them. */

export type Quote = {
  readonly invoiceId: string
  readonly accountId: string
  /** What is bought: method and URL. */
  readonly resource: string
  readonly requirements: PaymentRequirements
  readonly agentId: string | null
  readonly mandateId: string | null
}

/** A payment that needs to be matched to the invoice it pays. */
export type Attempt = {
  readonly accountId: string
  readonly resource: string
  readonly payment: ForwardedPayment
  readonly agentId: string | null
  /**
   * The mandate to count against; null: none, or that of an invoice the caller names or has already
   * paid with this payment.
   */
  readonly mandateId: string | null
  /** The invoice the caller names; null: the newest that fits. */
  readonly invoiceId: string | null
}

/**
 * The outcome of starting an attempt:
 * - `started`: this attempt forwards the payment. `isInDoubt` when the outcome of an earlier
 *   attempt with it is unknown, or when it is a transfer, which is made before it is presented.
 * - `busy`: another attempt is forwarding it.
 * - `done`: it has been accepted before.
 * - `none`: no invoice is waiting for it.
 * - `spent`: it has been accepted for another resource.
 * - `elsewhere`: it was made for another resource or under another mandate, its nonce was signed
 *   for another amount or validity, or its invoice was given up.
 */
export type Start =
  | { readonly kind: 'started'; readonly purchase: Purchase; readonly isInDoubt: boolean }
  | { readonly kind: 'done'; readonly purchase: Purchase }
  | { readonly kind: 'busy' | 'none' | 'spent' | 'elsewhere' }

/** Records the quote behind an invoice; repeating it changes nothing. */
export async function addQuote(sql: Sql, quote: Quote): Promise<void> {
  const { invoiceId, accountId, resource, requirements, agentId, mandateId } = quote
  await within(
    () => sql`
    insert into purchases (invoice_id, account_id, resource, chain, pay_to, usdc_base, agent_id, mandate_id, state, created_at, updated_at)
    values (${invoiceId}, ${accountId}, ${resource}, ${requirements.network}, ${requirements.payTo}, ${requirements.usdcBase}, ${agentId}, ${mandateId}, 'quoted', ${clock(sql)}, ${clock(sql)})
    on conflict (invoice_id) do nothing`,
  )
}

/**
 * Records the quote behind an invoice and starts the attempt to pay it. Both in one statement: an
 * invoice without a payment could be taken by any other that fits. `none`: the invoice is no longer
 * payable, or belongs to another payment.
 */
export async function startNew(sql: Sql, quote: Quote, attempt: Attempt): Promise<Start> {
  const { invoiceId, accountId, resource, requirements, agentId, mandateId } = quote
  const { payment } = attempt
  const { authorizer, nonce, signer, message } = tracesOf(payment)
  const [row] = await within(
    () => sql<Row[]>`
    insert into purchases (invoice_id, account_id, resource, chain, pay_to, usdc_base, agent_id, mandate_id, state, proof, authorizer, nonce,
      signer, message, valid_before, tx_hash, first_forwarded_at, forwarded_at, created_at, updated_at)
    select ${invoiceId}, ${accountId}, ${resource}, ${requirements.network}, ${requirements.payTo}, ${requirements.usdcBase}, ${agentId}, ${mandateId}, 'forwarding',
      ${payment.key}, ${authorizer}, ${nonce},
      ${signer}, ${message}, ${validBeforeOf(payment)}, ${payment.txHash}, ${clock(sql)}, ${clock(sql)}, ${clock(sql)}, ${clock(sql)}
    where exists (select from invoices where id = ${invoiceId} and state in ('draft', 'sent'))
    on conflict do nothing
    returning *`,
  )
  if (row) return firstStart(decode(row))
  // The payment may have become another invoice's meanwhile: then this one waits for another
  // payment, as any quote does.
  await addQuote(sql, quote)
  return start(sql, { ...attempt, invoiceId })
}

/**
 * Starts an attempt to forward a payment: of any number of concurrent attempts with it, one is
 * started.
 */
export async function start(sql: Sql, presented: Attempt): Promise<Start> {
  const attempt = await withRequirements(sql, presented)
  const known = (await startAgain(sql, attempt)) ?? (await startedBefore(sql, attempt))
  if (known) return known
  try {
    // What another attempt is taking is waited for only where there is nothing else, so that
    // payments of one resource do not hold each other up. It may be taken for this very payment:
    // then the last look finds that.
    const first =
      (await takeQuote(sql, attempt, sql`skip locked`)) ?? (await takeQuote(sql, attempt, sql``))
    if (first) return firstStart(first)
  } catch (error) {
    // A concurrent attempt with the same payment got there first.
    if (isRefusal(error, uniqueViolation)) return { kind: 'busy' }
    throw error
  }
  return (await startedBefore(sql, attempt)) ?? { kind: 'none' }
}

/**
 * The attempt, with what its payment pays filled in where only purchases can tell: a message that
 * was signed on Solana does not say whose token account it pays, so the recipients of the purchases
 * that it may be for are tried. Not all of them: first that of the invoice that the caller names or
 * has already paid with this payment, then the newest.
 */
async function withRequirements(sql: Sql, attempt: Attempt): Promise<Attempt> {
  const { accountId, resource, payment, invoiceId } = attempt
  if (payment.requirements !== null || payment.transfer === null) return attempt
  const { usdcBase } = payment.transfer
  // Nobody asks for so much, and PostgreSQL may not even read it.
  if (usdcBase > maxUnits) return attempt
  const rows = await within(
    () => sql<{ pay_to: string }[]>`
    select pay_to from purchases
    where account_id = ${accountId} and chain = 'solana' and usdc_base = ${usdcBase}
      and (${isProvedBy(sql, payment)} or resource = ${resource} and ${isWaiting(sql)})
    group by pay_to
    order by coalesce(bool_or(${isProvedBy(sql, payment)} or invoice_id = ${invoiceId}::uuid), false) desc, max(created_at) desc
    limit ${readRecipients}`,
  )
  const known = rows.map(({ pay_to: payTo }) => ({ network: 'solana' as const, payTo, usdcBase }))
  return {
    ...attempt,
    payment: { ...payment, requirements: requirementsPaid(payment, known) ?? null },
  }
}

function firstStart(purchase: Purchase): Start {
  return { kind: 'started', purchase, isInDoubt: purchase.txHash !== null }
}

/**
 * Whether the attempt presents the very payment this purchase knows, rather than another with the
 * same key.
 */
function isFor(known: Purchase, { resource, payment, mandateId }: Attempt): boolean {
  const isUnder = mandateId === null || mandateId === known.mandateId
  const isAsGood = payment.requirements === null || isSame(payment.requirements, known.requirements)
  const isAsLong = [null, validBeforeOf(payment)?.getTime() ?? null].includes(known.validBeforeMs)
  return known.resource === resource && isUnder && isAsGood && isAsLong
}

function isAccepted({ state }: Purchase): boolean {
  return state === 'paid' || state === 'settled'
}

function standingOf(purchase: Purchase): Start {
  return isAccepted(purchase) ? { kind: 'done', purchase } : { kind: 'busy' }
}

/** Starts an attempt with a payment that was forwarded before and may be once more, or null. */
async function startAgain(sql: Sql, attempt: Attempt): Promise<Start | null> {
  const { accountId, resource, payment, agentId, mandateId } = attempt
  const { signer, message } = tracesOf(payment)
  const [row] = await within(
    () => sql<(Row & { is_in_doubt: boolean })[]>`
    with earlier as (
      select invoice_id, state in ('unknown', 'forwarding') or ${payment.txHash !== null} as is_in_doubt from purchases
      where account_id = ${accountId} and ${isProvedBy(sql, payment)} and resource = ${resource}
        and (${mandateId}::text is null or mandate_id = ${mandateId}) and not ${isGivenUp(sql)}
        and ${isRequired(sql, payment)} and coalesce(valid_before = ${validBeforeOf(payment)}::timestamptz, valid_before is null) and (
        state in ('refused', 'unknown', 'lapsed')
        or state = 'forwarding' and forwarded_at < ${ago(sql, attemptLimitMs)}
      ) for update
    )
    update purchases set state = 'forwarding', tx_hash = coalesce(${payment.txHash}, tx_hash), agent_id = coalesce(${agentId}, agent_id),
      signer = ${signer}, message = ${message}, valid_before = coalesce(valid_before, ${validBeforeOf(payment)}::timestamptz),
      -- Refused or lapsed, it is known not to have been taken before.
      first_forwarded_at = case when state in ('refused', 'lapsed') then ${clock(sql)} else first_forwarded_at end,
      forwarded_at = ${clock(sql)}, updated_at = ${clock(sql)}
    from earlier where purchases.invoice_id = earlier.invoice_id
    returning purchases.*, is_in_doubt`,
  )
  return row ? { kind: 'started', purchase: decode(row), isInDoubt: row.is_in_doubt } : null
}

/** The outcome for a payment with which another attempt was started, or null. */
async function startedBefore(sql: Sql, attempt: Attempt): Promise<Start | null> {
  const { accountId, payment } = attempt
  const [row] = await within(
    () =>
      sql<(Row & { is_given_up: boolean })[]>`
      select *, ${isGivenUp(sql)} as is_given_up from purchases
      where account_id = ${accountId} and ${isProvedBy(sql, payment)}`,
  )
  if (!row) return null
  const known = decode(row)
  if (!row.is_given_up && isFor(known, attempt)) return standingOf(known)
  const isSpent = known.resource !== attempt.resource && isAccepted(known)
  return { kind: isSpent ? 'spent' : 'elsewhere' }
}

/**
 * Takes the invoice that this payment is the first to pay, or the next after a payment that was
 * not accepted. `ifLocked` says what to do about those that other attempts are taking.
 */
async function takeQuote(sql: Sql, attempt: Attempt, ifLocked: Fragment): Promise<Purchase | null> {
  const { accountId, resource, payment, agentId, mandateId, invoiceId } = attempt
  const { authorizer, nonce, signer, message } = tracesOf(payment)
  const [row] = await within(
    () => sql<Row[]>`
    with chosen as (
      select invoice_id from purchases
      where account_id = ${accountId} and resource = ${resource} and ${isWaiting(sql)}
        and (${invoiceId}::uuid is null or invoice_id = ${invoiceId}::uuid)
        and (mandate_id is not distinct from ${mandateId}::text or ${mandateId === null && invoiceId !== null}) and not ${isGivenUp(sql)}
        and ${isRequired(sql, payment)}
        and ${isUnpaid(sql)}
      order by invoice_id desc limit 1 for update ${ifLocked}
    )
    update purchases set state = 'forwarding', proof = ${payment.key}, authorizer = ${authorizer}, nonce = ${nonce},
      signer = ${signer}, message = ${message}, valid_before = ${validBeforeOf(payment)}, tx_hash = ${payment.txHash}, position = null,
      agent_id = coalesce(${agentId}, agent_id), reservation_id = null, reserved_minor = null, reserved_currency = null,
      first_forwarded_at = ${clock(sql)}, forwarded_at = ${clock(sql)}, updated_at = ${clock(sql)}
    from chosen where purchases.invoice_id = chosen.invoice_id
    returning purchases.*`,
  )
  return row ? decode(row) : null
}

/** A purchase whose invoice a caller names. */
export type Named = { readonly purchase: Purchase; readonly isGivenUp: boolean }

/**
 * The purchase behind the invoice that the attempt names, in any state; null if that is not of this
 * account, resource and mandate.
 */
export async function findNamed(sql: Sql, attempt: Attempt): Promise<Named | null> {
  const { accountId, resource, mandateId, invoiceId } = attempt
  const [row] = await within(
    () => sql<(Row & { is_given_up: boolean })[]>`
    select *, ${isGivenUp(sql)} as is_given_up from purchases
    where account_id = ${accountId} and resource = ${resource} and invoice_id = ${invoiceId}
      and (${mandateId}::text is null or mandate_id = ${mandateId})`,
  )
  return row ? { purchase: decode(row), isGivenUp: row.is_given_up } : null
}

/** Whether a purchase has been paid, or tried to be, with this very payment. */
function isProvedBy(sql: Sql, { key }: ForwardedPayment) {
  return sql`proof = ${key}`
}

/**
 * Whether a payment pays what a purchase is due. The proof of a transaction does not say; the form
 * of its hash tells which chains it can be on.
 */
function isRequired(sql: Sql, { requirements, txHash }: ForwardedPayment) {
  if (txHash !== null)
    return sql`chain = any(${array(networks.filter((network) => isTxHash(network, txHash)))}::text[])`
  if (requirements === null) return sql`false`
  return sql`(chain, pay_to, usdc_base) = (${requirements.network}, ${requirements.payTo}, ${requirements.usdcBase}::bigint)`
}

function validBeforeOf({ validBeforeMs }: ForwardedPayment): Date | null {
  return validBeforeMs === null ? null : new Date(Math.min(validBeforeMs, latestMs))
}

/**
 * What a payment is found by on chain. Its signer is stored as `authorizer` only for EIP-3009, and
 * for a transfer that was made before it was presented; else as `signer`: a process of the previous
 * version takes an `authorizer` without a nonce for the sender of such a transfer.
 */
function tracesOf({ payer, authorization, transfer, txHash }: ForwardedPayment) {
  const isAuthorizer = authorization !== null || txHash !== null
  return {
    authorizer: isAuthorizer ? payer : null,
    nonce: authorization?.nonce ?? null,
    signer: transfer?.payer ?? (isAuthorizer ? null : payer),
    message: transfer?.nonce ?? null,
  }
}

// Far enough in the future, and within PostgreSQL's range.
const latestMs = Date.UTC(9999, 0)
