import { type InvoiceChain, isTxHash, networks } from '../domain/network.ts'
import { type Demand, isSame } from '../domain/purchase-demand.ts'
import {
  demandPaid,
  type Proof,
  readRecipients,
  type SignedTransfer,
} from '../domain/purchase-proof.ts'
import {
  ago,
  array,
  clock,
  type Fragment,
  isRefusal,
  type Sql,
  uniqueViolation,
  unlessRefused,
  within,
} from './db.ts'

export type PurchaseState =
  | 'quoted'
  | 'forwarding'
  | 'refused'
  | 'unknown'
  | 'paid'
  | 'settled'
  | 'lapsed'

/**
 * A purchase an account makes through the proxy, and the state of its payment; `demand` is what its
 * invoice is due.
 */
export type Purchase = {
  readonly invoiceId: string
  readonly accountId: string
  readonly resource: string
  readonly demand: Demand
  readonly agentId: string | null
  /** The mandate that the purchase's invoice counts against. */
  readonly mandateId: string | null
  readonly state: PurchaseState
  readonly payer: string | null
  /** The EIP-3009 nonce of the forwarded payment, by which the chain identifies it. */
  readonly nonce: string | null
  /** The message that was signed on Solana, by which the chain identifies the payment there. */
  readonly message: Pick<SignedTransfer, 'payer' | 'nonce'> | null
  readonly validBeforeMs: number | null
  readonly txHash: string | null
  /** The part of the agent's budget held for the purchase. */
  readonly reservation: Reservation | null
  /**
   * Start of the first attempt with this payment that may have been taken, or earlier; null where a
   * process of an earlier version has made it.
   */
  readonly firstForwardedAt: Date | null
  /** Start of the attempt that is under way, or of the last one. */
  readonly forwardedAt: Date | null
  readonly createdAt: Date
}

export type Reservation = {
  readonly id: string
  readonly amountMinor: bigint
  readonly currency: string
}

export type Quote = {
  readonly invoiceId: string
  readonly accountId: string
  /** What is bought: method and URL. */
  readonly resource: string
  readonly demand: Demand
  readonly agentId: string | null
  readonly mandateId: string | null
}

/** A payment that needs to be matched to the invoice it pays. */
export type Attempt = {
  readonly accountId: string
  readonly resource: string
  readonly proof: Proof
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

/** An attempt that has not ended within this time has died with its process. */
const attemptLimitMs = 60_000

/** Records the quote behind an invoice; repeating it changes nothing. */
export async function addQuote(sql: Sql, quote: Quote): Promise<void> {
  const { invoiceId, accountId, resource, demand, agentId, mandateId } = quote
  await within(
    () => sql`
    insert into purchases (invoice_id, account_id, resource, chain, pay_to, usdc_base, agent_id, mandate_id, state, created_at, updated_at)
    values (${invoiceId}, ${accountId}, ${resource}, ${demand.chain}, ${demand.payTo}, ${demand.usdcBase}, ${agentId}, ${mandateId}, 'quoted', ${clock(sql)}, ${clock(sql)})
    on conflict (invoice_id) do nothing`,
  )
}

/**
 * Records the quote behind an invoice and starts the attempt to pay it. Both in one statement: an
 * invoice without a payment could be taken by any other that fits. `none`: the invoice is no longer
 * payable, or belongs to another payment.
 */
export async function startNew(sql: Sql, quote: Quote, attempt: Attempt): Promise<Start> {
  const { invoiceId, accountId, resource, demand, agentId, mandateId } = quote
  const { proof } = attempt
  const { authorizer, nonce, signer, message } = tracesOf(proof)
  const [row] = await within(
    () => sql<Row[]>`
    insert into purchases (invoice_id, account_id, resource, chain, pay_to, usdc_base, agent_id, mandate_id, state, proof, authorizer, nonce,
      signer, message, valid_before, tx_hash, first_forwarded_at, forwarded_at, created_at, updated_at)
    select ${invoiceId}, ${accountId}, ${resource}, ${demand.chain}, ${demand.payTo}, ${demand.usdcBase}, ${agentId}, ${mandateId}, 'forwarding',
      ${proof.key}, ${authorizer}, ${nonce},
      ${signer}, ${message}, ${validBeforeOf(proof)}, ${proof.txHash}, ${clock(sql)}, ${clock(sql)}, ${clock(sql)}, ${clock(sql)}
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
  const attempt = await withDemand(sql, presented)
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
 * The attempt with what its payment pays, where that takes the purchases it may be for to tell: a
 * message that was signed on Solana does not say whose the account is that it pays. Not all
 * are tried: first that of the invoice that the caller names or has paid so, then the newest.
 */
async function withDemand(sql: Sql, attempt: Attempt): Promise<Attempt> {
  const { accountId, resource, proof, invoiceId } = attempt
  if (proof.demand !== null || proof.transfer === null) return attempt
  const { usdcBase } = proof.transfer
  const rows = await within(
    () => sql<{ pay_to: string }[]>`
    select pay_to from purchases
    where account_id = ${accountId} and chain = 'solana' and usdc_base = ${usdcBase}
      and (${isProvedBy(sql, proof)} or resource = ${resource} and ${isWaiting(sql)})
    group by pay_to
    order by coalesce(bool_or(${isProvedBy(sql, proof)} or invoice_id = ${invoiceId}::uuid), false) desc, max(created_at) desc
    limit ${readRecipients}`,
  )
  const known = rows.map(({ pay_to: payTo }) => ({ chain: 'solana' as const, payTo, usdcBase }))
  return { ...attempt, proof: { ...proof, demand: demandPaid(proof, known) ?? null } }
}

function firstStart(purchase: Purchase): Start {
  return { kind: 'started', purchase, isInDoubt: purchase.txHash !== null }
}

/**
 * Whether the attempt presents the very payment this purchase knows, rather than another with the
 * same key.
 */
function isFor(known: Purchase, { resource, proof, mandateId }: Attempt): boolean {
  const isUnder = mandateId === null || mandateId === known.mandateId
  const isAsGood = proof.demand === null || isSame(proof.demand, known.demand)
  const isAsLong = [null, validBeforeOf(proof)?.getTime() ?? null].includes(known.validBeforeMs)
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
  const { accountId, resource, proof, agentId, mandateId } = attempt
  const { signer, message } = tracesOf(proof)
  const [row] = await within(
    () => sql<(Row & { is_in_doubt: boolean })[]>`
    with earlier as (
      select invoice_id, state in ('unknown', 'forwarding') or ${proof.txHash !== null} as is_in_doubt from purchases
      where account_id = ${accountId} and ${isProvedBy(sql, proof)} and resource = ${resource}
        and (${mandateId}::text is null or mandate_id = ${mandateId}) and not ${isGivenUp(sql)}
        and ${isDemanded(sql, proof)} and coalesce(valid_before = ${validBeforeOf(proof)}::timestamptz, valid_before is null) and (
        state in ('refused', 'unknown', 'lapsed')
        or state = 'forwarding' and forwarded_at < ${ago(sql, attemptLimitMs)}
      ) for update
    )
    update purchases set state = 'forwarding', tx_hash = coalesce(${proof.txHash}, tx_hash), agent_id = coalesce(${agentId}, agent_id),
      signer = ${signer}, message = ${message}, valid_before = coalesce(valid_before, ${validBeforeOf(proof)}::timestamptz),
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
  const { accountId, proof } = attempt
  const [row] = await within(
    () =>
      sql<(Row & { is_given_up: boolean })[]>`
      select *, ${isGivenUp(sql)} as is_given_up from purchases
      where account_id = ${accountId} and ${isProvedBy(sql, proof)}`,
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
  const { accountId, resource, proof, agentId, mandateId, invoiceId } = attempt
  const { authorizer, nonce, signer, message } = tracesOf(proof)
  const [row] = await within(
    () => sql<Row[]>`
    with chosen as (
      select invoice_id from purchases
      where account_id = ${accountId} and resource = ${resource} and ${isWaiting(sql)}
        and (${invoiceId}::uuid is null or invoice_id = ${invoiceId}::uuid)
        and (mandate_id is not distinct from ${mandateId}::text or ${mandateId === null && invoiceId !== null}) and not ${isGivenUp(sql)}
        and ${isDemanded(sql, proof)}
        and ${isUnpaid(sql)}
      order by invoice_id desc limit 1 for update ${ifLocked}
    )
    update purchases set state = 'forwarding', proof = ${proof.key}, authorizer = ${authorizer}, nonce = ${nonce},
      signer = ${signer}, message = ${message}, valid_before = ${validBeforeOf(proof)}, tx_hash = ${proof.txHash}, position = null,
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

/**
 * What gives way to an attempt:
 * - `quote`: this one, whose invoice must be voided
 * - `busy`: one has given way to another attempt with the same payment, just now
 * - `none`: nothing
 */
export type Way =
  | { readonly kind: 'quote'; readonly quote: Purchase }
  | { readonly kind: 'busy' | 'none' }

/**
 * Gives up the quote that the attempt would have paid, had its payment been of the same option of
 * the 402: the one that the caller names, else the newest under the same mandate that is for the
 * same agent or for none, and that holds at least `leastBase` of USDC. Only one that was sent and
 * that waits for a payment, be it after others that were not taken, gives way, and only one to each
 * payment.
 */
export async function giveWay(sql: Sql, attempt: Attempt, leastBase: bigint): Promise<Way> {
  const { accountId, proof } = attempt
  // Kept in the column of the payment itself, whose index so lets one of its copies win.
  const wayFor = `way for ${proof.key}`
  try {
    // A copy of this payment may be giving up the only one there is: waited for, it is seen below.
    const quote =
      (await giveUpFor(sql, attempt, { wayFor, leastBase, ifLocked: sql`skip locked` })) ??
      (await giveUpFor(sql, attempt, { wayFor, leastBase, ifLocked: sql`` }))
    if (quote) return { kind: 'quote', quote }
  } catch (error) {
    if (!isRefusal(error, uniqueViolation)) throw error
  }
  const [recent] = await within(
    () => sql`
    select 1 from purchases where account_id = ${accountId} and proof = ${wayFor}
      and updated_at > ${ago(sql, attemptLimitMs)}`,
  )
  return { kind: recent ? 'busy' : 'none' }
}

type Giving = {
  readonly wayFor: string
  readonly leastBase: bigint
  /** What to do about those that other attempts are taking or giving up. */
  readonly ifLocked: Fragment
}

async function giveUpFor(
  sql: Sql,
  { accountId, resource, agentId, mandateId, invoiceId }: Attempt,
  { wayFor, leastBase, ifLocked }: Giving,
): Promise<Purchase | null> {
  const isMeant =
    invoiceId === null
      ? sql`mandate_id = ${mandateId} and (agent_id is null or agent_id is not distinct from ${agentId}::text)`
      : sql`invoice_id = ${invoiceId} and (${mandateId}::text is null or mandate_id = ${mandateId})`
  const [row] = await within(
    () => sql<Row[]>`
    with chosen as (
      select invoice_id from purchases
      where account_id = ${accountId} and resource = ${resource} and ${isWaiting(sql)} and ${isMeant}
        and usdc_base >= ${leastBase}::bigint and not ${isGivenUp(sql)}
        and exists (select from invoices where id = invoice_id and invoices.state = 'sent')
      order by invoice_id desc limit 1 for update ${ifLocked}
    )
    update purchases set state = case when mandate_id is null then state else 'lapsed' end, proof = ${wayFor},
      released_at = case when mandate_id is null then ${clock(sql)} end, updated_at = ${clock(sql)}
    from chosen where purchases.invoice_id = chosen.invoice_id
    returning purchases.*`,
  )
  return row ? decode(row) : null
}

/**
 * Whether a purchase has been given up: its invoice is void, or about to be. Without a mandate one
 * that has merely lapsed waits for another payment, so that is told by the time of giving it up;
 * what was accepted stays what it is.
 */
function isGivenUp(sql: Sql) {
  return sql`case when mandate_id is null then released_at is not null and state not in ('paid', 'settled') else state = 'lapsed' end`
}

/** Whether a purchase has been paid, or tried to be, with this very payment. */
function isProvedBy(sql: Sql, { key, formerKey }: Proof) {
  if (formerKey === null) return sql`proof = ${key}`
  return sql`(proof = ${key} or proof = ${formerKey})`
}

/** Whether a purchase waits for a payment: the first, or one after others that paid nothing. */
function isWaiting(sql: Sql) {
  return sql`state in ('quoted', 'refused', 'lapsed')`
}

/** Whether nothing is credited to the invoice of a purchase, and it can still be paid. */
function isUnpaid(sql: Sql) {
  return sql`exists (select from invoices where id = invoice_id and invoices.state in ('draft', 'sent'))`
}

/**
 * Whether a payment pays what a purchase is due. The proof of a transaction does not say; the form
 * of its hash tells which chains it can be on.
 */
function isDemanded(sql: Sql, { demand, txHash }: Proof) {
  if (txHash !== null)
    return sql`chain = any(${array(networks.filter((network) => isTxHash(network, txHash)))}::text[])`
  if (demand === null) return sql`false`
  return sql`(chain, pay_to, usdc_base) = (${demand.chain}, ${demand.payTo}, ${demand.usdcBase}::bigint)`
}

function validBeforeOf({ validBeforeMs }: Proof): Date | null {
  return validBeforeMs === null ? null : new Date(Math.min(validBeforeMs, latestMs))
}

/**
 * By what a payment is found on chain. Who has signed it is `authorizer` only by EIP-3009 or of a
 * transfer made before: of anybody else there, without a nonce, the version before believes that he
 * has made a transfer.
 */
function tracesOf({ payer, authorization, transfer, txHash }: Proof) {
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

/** Records the budget held for a purchase; false when the purchase has changed meanwhile. */
export async function noteReservation(
  sql: Sql,
  { invoiceId, state, forwardedAt }: Purchase,
  { id, amountMinor, currency }: Reservation,
): Promise<boolean> {
  const noted = await within(
    () => sql`
    update purchases set reservation_id = ${id}, reserved_minor = ${amountMinor}, reserved_currency = ${currency}
    where invoice_id = ${invoiceId} and state = ${state} and forwarded_at = ${forwardedAt}
    returning 1`,
  )
  return noted.length === 1
}

/** How a payment ended; `settledIn` is the block that holds it, once it is settled. */
export type Concluded = {
  readonly state: PurchaseState
  readonly txHash: string | null
  readonly settledIn?: number
}

/**
 * Records how the payment of a purchase ended, or a later change of that; false when the purchase
 * has changed since it was read. A transaction that is named only now has as long to appear as if
 * the payment had just been forwarded.
 */
export async function conclude(sql: Sql, purchase: Purchase, next: Concluded): Promise<boolean> {
  const { invoiceId, state, forwardedAt } = purchase
  // Another payment may come then, by a process of the version before, which knows of no message
  // and would leave this one standing.
  const isOver = next.state === 'refused' || next.state === 'lapsed'
  const moved = await within(
    () => sql`
    update purchases set state = ${next.state}, signer = case when ${isOver} then null else signer end, message = case when ${isOver} then null else message end,
      tx_hash = ${next.txHash}, settled_in = ${next.settledIn ?? null}, updated_at = ${clock(sql)},
      position = case when ${next.txHash}::text is not null then position end,
      forwarded_at = case when tx_hash is null and ${next.txHash}::text is not null then ${clock(sql)} else forwarded_at end
    where invoice_id = ${invoiceId} and state = ${state} and forwarded_at = ${forwardedAt}
    returning 1`,
  )
  return moved.length === 1
}

/**
 * Records the transaction of an accepted payment that had none named; it has a day to appear from
 * now. False when one is known by now: what the chain has shown is not replaced by what is said.
 */
export async function nameTransaction(
  sql: Sql,
  { invoiceId, forwardedAt }: Purchase,
  txHash: string,
): Promise<boolean> {
  const named = await within(
    () => sql`
    update purchases set tx_hash = ${txHash}, updated_at = ${clock(sql)}, forwarded_at = ${clock(sql)}
    where invoice_id = ${invoiceId} and state = 'paid' and forwarded_at = ${forwardedAt} and tx_hash is null
    returning 1`,
  )
  return named.length === 1
}

/** Whether a purchase is in the state in which it was read, with the same transaction. */
export async function isUnchanged(
  sql: Sql,
  { invoiceId, state, txHash, forwardedAt }: Purchase,
): Promise<boolean> {
  const same = await within(
    () => sql`
    select 1 from purchases
    where invoice_id = ${invoiceId} and state = ${state} and forwarded_at = ${forwardedAt} and tx_hash is not distinct from ${txHash}`,
  )
  return same.length === 1
}

/**
 * Takes over an attempt whose end is unknown, as if it were under way again, so that this process
 * decides its outcome; null when another process has it.
 */
export async function takeOver(
  sql: Sql,
  { invoiceId, state, forwardedAt }: Purchase,
): Promise<Purchase | null> {
  const [row] = await within(
    () => sql<Row[]>`
    update purchases set state = 'forwarding', forwarded_at = ${clock(sql)}, updated_at = ${clock(sql)}
    where invoice_id = ${invoiceId} and state = ${state} and forwarded_at = ${forwardedAt}
    returning *`,
  )
  return row ? decode(row) : null
}

/**
 * Assigns a transfer on chain to this purchase; false when it pays another purchase of the account.
 */
export function takeTransfer(
  sql: Sql,
  { invoiceId, state, forwardedAt }: Purchase,
  transfer: { readonly txHash: string; readonly position: number },
): Promise<boolean> {
  return unlessRefused(
    () => sql`
    update purchases set tx_hash = ${transfer.txHash}, position = ${transfer.position}
    where invoice_id = ${invoiceId} and state = ${state} and forwarded_at = ${forwardedAt}`,
    uniqueViolation,
  )
}

/**
 * Whether one of these transfers is assigned to another purchase of the account that is not settled
 * yet, and so may still be assigned another transfer.
 */
export async function isHeldOpen(
  sql: Sql,
  { invoiceId, accountId, demand }: Purchase,
  transfers: readonly { readonly txHash: string; readonly position: number }[],
): Promise<boolean> {
  const hashes = transfers.map(({ txHash }) => txHash)
  const held = await within(
    () => sql<{ tx_hash: string; position: number }[]>`
    select tx_hash, position from purchases
    where account_id = ${accountId} and chain = ${demand.chain} and invoice_id <> ${invoiceId} and tx_hash = any(${array(hashes)}::text[])
      and position is not null and state in ('forwarding', 'unknown', 'paid')`,
  )
  return held.some((one) =>
    transfers.some(
      ({ txHash, position }) => txHash === one.tx_hash && position === Number(one.position),
    ),
  )
}

/**
 * Purchases on a chain whose payment is not settled and that are due to be looked at, one of each
 * account first, so that the many hopeless ones of one account do not hold up the others'. Those
 * named as `looked`, and attempts under way that need not have died yet, are left out.
 *
 * `updated_at` of an open purchase is when it is due. Each look makes it due again after an eighth
 * of its age: a payment that never comes costs few looks. One that the chain cannot be asked about
 * and that counts for good, having neither a transaction nor a nonce or message, is due no more.
 */
export async function nextOpen(
  sql: Sql,
  chain: InvoiceChain,
  limit: number,
  looked: readonly string[],
): Promise<readonly Purchase[]> {
  const isDue = sql`chain = ${chain} and updated_at <= now() and (
    state in ('unknown', 'paid') or state = 'forwarding' and forwarded_at < ${ago(sql, attemptLimitMs)}
  ) and invoice_id <> all(${array(looked)}::uuid[])`
  const rows = await within(
    () => sql<Row[]>`
    with due as (
      select invoice_id, updated_at, row_number() over (partition by account_id order by updated_at) as turn
      from purchases where ${isDue}
    )
    update purchases set updated_at = case
      when tx_hash is null and nonce is null and message is null and (state = 'paid' or chain <> 'solana') then 'infinity'
      else ${dueNext(sql)}
    end
    where invoice_id in (
      select invoice_id from purchases
      where invoice_id in (select invoice_id from due order by turn, updated_at limit ${limit}) and ${isDue}
      for update skip locked
    )
    returning *`,
  )
  return rows.map(decode)
}

function dueNext(sql: Sql): Fragment {
  return sql`now() + greatest(now() - forwarded_at, interval '1 second') / 8`
}

/**
 * Makes open purchases due now that a wrong clock has put off: their next look is much further away
 * than their age says. So are those due no more that have a message: a process of an earlier
 * version knows of none. Returns how many. It reads all open purchases: it must be called seldom.
 */
export async function bringForward(sql: Sql): Promise<number> {
  const rows = await within(
    () => sql`
    update purchases set updated_at = now() where invoice_id in (
      select invoice_id from purchases
      where state in ('forwarding', 'unknown', 'paid')
        and (updated_at < 'infinity' or message is not null)
        -- Much further: another process may have looked at it since this statement began.
        and updated_at > ${dueNext(sql)} + interval '1 minute'
      for update skip locked
    )
    returning 1`,
  )
  return rows.length
}

/**
 * How long an invoice under a mandate waits for payment; until then its amount counts against the
 * mandate.
 */
const unpaidLimitMs = 3_600_000

/**
 * Lapses purchases under mandates that were not paid in time, and returns the invoices that must be
 * voided: those of all that have lapsed, and those without a mandate that gave way to another
 * payment, whose attempt has died since. Nothing can pay them any more. They are returned again
 * until `markReleased`. The times are those of PostgreSQL's clock, as processes' clocks may differ.
 */
export async function lapseUnpaid(sql: Sql, limit: number): Promise<readonly string[]> {
  const rows = await within(
    () => sql<{ id: string }[]>`
    with lapsed as (
      update purchases set state = 'lapsed', updated_at = ${clock(sql)} where invoice_id in (
        select invoice_id from purchases where mandate_id is not null and released_at is null and (
          state = 'lapsed' or state in ('quoted', 'refused') and updated_at < ${ago(sql, unpaidLimitMs)}
        )
        order by updated_at limit ${limit} for update skip locked
      )
      returning invoice_id
    ), gave_way as (
      select invoice_id from purchases where ${gaveWay(sql)} order by updated_at limit ${limit}
    )
    select invoice_id as id from lapsed union all select invoice_id from gave_way`,
  )
  return rows.map(({ id }) => id)
}

/**
 * Whether a purchase without a mandate gave way to a payment, copies of which need not be told so
 * any more.
 */
function gaveWay(sql: Sql) {
  return sql`mandate_id is null and proof like 'way for %' and updated_at < ${ago(sql, attemptLimitMs)}`
}

/** How long after a payment's time is over the chain may take to tell what became of it. */
const tellingDays = 1

/**
 * Gives up the purchase behind an invoice that its account wants to void: no payment can be
 * forwarded for it any more. Without a mandate, a payment that was not taken is free for another
 * invoice, and one that may have been is looked for on. False where the invoice must stay, as a
 * payment of it has been taken or may yet be; then the purchase stays what it is, and its payment
 * is looked for on.
 */
export async function giveUp(sql: Sql, invoiceId: string): Promise<boolean> {
  const isOver = sql`greatest(forwarded_at, valid_before) < now() - make_interval(days => ${tellingDays})`
  // An invoice to which a named transaction is credited is not voided, whatever its age. A purchase
  // with a position has a transfer that the chain has shown and that is being credited.
  const [row] = await within(
    () => sql<[{ is_free: boolean }]>`
    with free as (
      update purchases set state = case when mandate_id is null then state else 'lapsed' end,
        released_at = case when mandate_id is null then ${clock(sql)} else released_at end,
        proof = case when mandate_id is null and ${isWaiting(sql)} then null else proof end
      where invoice_id = ${invoiceId} and ${isUnpaid(sql)} and (
        ${isWaiting(sql)} or state in ('forwarding', 'unknown', 'paid') and ${isOver} and position is null
      )
      returning 1
    )
    select exists (select from free) or not exists (select from purchases where invoice_id = ${invoiceId}) as is_free`,
  )
  return row.is_free
}

/**
 * Records that the invoice of a purchase that has been given up is void, so that the mandate has
 * got back the amount bound by it.
 */
export async function markReleased(sql: Sql, invoiceId: string): Promise<void> {
  await within(
    () => sql`
    update purchases set released_at = ${clock(sql)}, proof = case when ${gaveWay(sql)} then null else proof end
    where invoice_id = ${invoiceId}`,
  )
}

/** For how long a purchase is looked at of which only its invoice knows the block. */
const reorgDays = 7

/**
 * A settled purchase and the block of its payment. `isOpen` when its invoice is not settled any
 * more.
 */
export type Settled = {
  readonly purchase: Purchase
  readonly blockNumber: number
  readonly isOpen: boolean
}

/** The purchases that are settled by a payment in block `block` or later. */
export async function settledSince(
  sql: Sql,
  chain: InvoiceChain,
  block: number,
): Promise<readonly Settled[]> {
  const settled = sql`chain = ${chain} and state = 'settled'`
  const rows = await within(
    () => sql<(Row & { block: bigint; is_open: boolean })[]>`
    with known as (
      select * from purchases where ${settled} and settled_in >= ${block}
    ), unknown as (
      select * from purchases where ${settled} and settled_in is null and updated_at > now() - make_interval(days => ${reorgDays})
    )
    select known.*, settled_in as block, invoices.state in ('draft', 'sent', 'paid') as is_open
    from known join invoices on invoices.id = invoice_id
    union all
    select unknown.*, in_invoice, invoices.state in ('draft', 'sent', 'paid')
    from unknown join invoices on invoices.id = invoice_id
      cross join lateral coalesce((invoices.progress::json -> 'settlement' ->> 'blockNumber')::bigint, ${block}) as in_invoice
    where in_invoice >= ${block}`,
  )
  return rows.map((row) => ({
    purchase: decode(row),
    blockNumber: Number(row.block),
    isOpen: row.is_open,
  }))
}

type Row = {
  invoice_id: string
  account_id: string
  resource: string
  chain: InvoiceChain
  pay_to: string
  usdc_base: bigint
  agent_id: string | null
  mandate_id: string | null
  state: PurchaseState
  authorizer: string | null
  nonce: string | null
  signer: string | null
  message: string | null
  valid_before: Date | null
  tx_hash: string | null
  reservation_id: string | null
  reserved_minor: bigint | null
  reserved_currency: string | null
  first_forwarded_at: Date | null
  forwarded_at: Date | null
  created_at: Date
}

function decode(row: Row): Purchase {
  return {
    invoiceId: row.invoice_id,
    accountId: row.account_id,
    resource: row.resource,
    demand: { chain: row.chain, payTo: row.pay_to, usdcBase: row.usdc_base },
    agentId: row.agent_id,
    mandateId: row.mandate_id,
    state: row.state,
    payer: row.authorizer ?? (row.message === null ? row.signer : null),
    nonce: row.nonce,
    message: row.message && row.signer ? { payer: row.signer, nonce: row.message } : null,
    validBeforeMs: row.valid_before?.getTime() ?? null,
    txHash: row.tx_hash,
    reservation:
      row.reservation_id && row.reserved_minor !== null && row.reserved_currency
        ? {
            id: row.reservation_id,
            amountMinor: row.reserved_minor,
            currency: row.reserved_currency,
          }
        : null,
    firstForwardedAt: row.first_forwarded_at,
    forwardedAt: row.forwarded_at,
    createdAt: row.created_at,
  }
}
