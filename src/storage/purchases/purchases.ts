import type { InvoiceChain } from '../../domain/network.ts'
import { eip3009Key, type SignedTransfer } from '../../domain/x402/forwarded-payment.ts'
import type { PaymentRequirements } from '../../domain/x402/requirements.ts'
import { array, clock, type Sql, uniqueViolation, unlessRefused, within } from '../postgres/db.ts'

/**
 * Where the payment of a purchase stands:
 * - `quoted`: none has been forwarded
 * - `forwarding`: an attempt is under way
 * - `refused`: it was not taken; another one may be forwarded
 * - `unknown`: it may have been taken, and the chain will tell
 * - `paid`: it was accepted, and is not final on chain yet
 * - `settled`: it is final on chain
 * - `lapsed`: it can no longer be taken
 */
export type PurchaseState =
  | 'quoted'
  | 'forwarding'
  | 'refused'
  | 'unknown'
  | 'paid'
  | 'settled'
  | 'lapsed'

/** A purchase through the proxy and the state of its payment; its invoice is due `requirements`. */
export type Purchase = {
  readonly invoiceId: string
  readonly accountId: string
  readonly resource: string
  readonly requirements: PaymentRequirements
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

/** How a payment ended; that it is final on chain is committed with its invoice. */
export type Concluded = {
  readonly state: PurchaseState
  readonly txHash: string | null
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
      tx_hash = ${next.txHash}, settled_in = null, updated_at = ${clock(sql)},
      position = case when ${next.txHash}::text is not null then position end,
      forwarded_at = case when tx_hash is null and ${next.txHash}::text is not null then ${clock(sql)} else forwarded_at end
    where invoice_id = ${invoiceId} and state = ${state} and forwarded_at = ${forwardedAt}
    returning 1`,
  )
  return moved.length === 1
}

/** Records the transaction of a payment that is being counted, unless it has changed meanwhile. */
export async function noteTransaction(
  sql: Sql,
  { invoiceId, state, forwardedAt }: Purchase,
  txHash: string,
): Promise<void> {
  await within(
    () => sql`
    update purchases set tx_hash = ${txHash}, position = null, updated_at = ${clock(sql)}
    where invoice_id = ${invoiceId} and state = ${state} and forwarded_at = ${forwardedAt}`,
  )
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

/** Whether a purchase names this transaction for its payment. */
export async function isNamed(sql: Sql, invoiceId: string, txHash: string): Promise<boolean> {
  const named = await within(
    () => sql`select 1 from purchases where invoice_id = ${invoiceId} and tx_hash = ${txHash}`,
  )
  return named.length === 1
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

/** A transfer on chain; `nonce` is that of the EIP-3009 authorization by which `from` made it. */
type Transfer = {
  readonly txHash: string
  readonly position: number
  readonly from: string
  readonly nonce: string | null
}

/**
 * Assigns a transfer on chain to this purchase; false when it pays another purchase of the account:
 * one that it is assigned to, or an open one whose authorization has made it.
 */
export async function takeTransfer(
  sql: Sql,
  { invoiceId, accountId, state, forwardedAt, requirements }: Purchase,
  transfer: Transfer,
): Promise<boolean> {
  const { from, nonce } = transfer
  if (nonce !== null) {
    const key = eip3009Key(requirements.network, { payer: from, nonce })
    const owners = await within(
      () => sql`
      select 1 from purchases where account_id = ${accountId} and proof = ${key} and invoice_id <> ${invoiceId}
        and state in ('forwarding', 'unknown', 'paid')`,
    )
    if (owners.length > 0) return false
  }
  return unlessRefused(
    () => sql`
    update purchases set tx_hash = ${transfer.txHash}, position = ${transfer.position}
    where invoice_id = ${invoiceId} and state = ${state} and forwarded_at = ${forwardedAt}`,
    [uniqueViolation],
  )
}

/**
 * Whether one of these transfers is assigned to another purchase of the account that is not settled
 * yet, and so may still be assigned another transfer.
 */
export async function isHeldOpen(
  sql: Sql,
  { invoiceId, accountId, requirements }: Purchase,
  transfers: readonly { readonly txHash: string; readonly position: number }[],
): Promise<boolean> {
  const hashes = transfers.map(({ txHash }) => txHash)
  const held = await within(
    () => sql<{ tx_hash: string; position: number }[]>`
    select tx_hash, position from purchases
    where account_id = ${accountId} and chain = ${requirements.network} and invoice_id <> ${invoiceId} and tx_hash = any(${array(hashes)}::text[])
      and position is not null and state in ('forwarding', 'unknown', 'paid')`,
  )
  return held.some((one) =>
    transfers.some(
      ({ txHash, position }) => txHash === one.tx_hash && position === Number(one.position),
    ),
  )
}

/** An attempt that has not ended within this time has died with its process. */
export const attemptLimitMs = 60_000

/**
 * Whether a purchase has been given up: its invoice is void, or about to be. Without a mandate, one
 * that has lapsed still waits for another payment, so `released_at` tells which are given up; and
 * an accepted one stays accepted.
 */
export function isGivenUp(sql: Sql) {
  return sql`case when mandate_id is null then released_at is not null and state not in ('paid', 'settled') else state = 'lapsed' end`
}

/** Whether a purchase waits for a payment: the first, or one after others that paid nothing. */
export function isWaiting(sql: Sql) {
  return sql`state in ('quoted', 'refused', 'lapsed')`
}

/** Whether nothing is credited to the invoice of a purchase, and it can still be paid. */
export function isUnpaid(sql: Sql) {
  return sql`exists (select from invoices where id = invoice_id and invoices.state in ('draft', 'sent'))`
}

export type Row = {
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

export function decode(row: Row): Purchase {
  return {
    invoiceId: row.invoice_id,
    accountId: row.account_id,
    resource: row.resource,
    requirements: { network: row.chain, payTo: row.pay_to, usdcBase: row.usdc_base },
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
