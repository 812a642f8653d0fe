import type { ForwardedPayment } from '../x402/forwarded-payment.ts'
import { isSame } from '../x402/requirements.ts'
import type { Command } from './decide.ts'
import { isAbandoned, isAccepted, isTransfer, isUnderWay, type Purchase } from './purchase.ts'

/** A payment that an agent sends for a resource, to be matched to the invoice it pays. */
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
 * What a payment means that a purchase already knows:
 * - `again`: it may be forwarded once more
 * - `busy`: another attempt is forwarding it
 * - `done`: it has been accepted
 * - `spent`: it has been accepted for another resource
 * - `elsewhere`: it was made for another resource or under another mandate, its nonce was signed
 *   for another amount or validity, or its purchase was given up
 */
export function judgeRepeat(known: Purchase, attempt: Attempt, now: Date) {
  if (isAbandoned(known) || !isFor(known, attempt))
    return known.resource !== attempt.resource && isAccepted(known) ? 'spent' : 'elsewhere'
  if (isAccepted(known)) return 'done'
  return isUnderWay(known, now) ? 'busy' : 'again'
}

/**
 * Whether the very payment is presented that the purchase knows, rather than another with its key.
 */
function isFor(known: Purchase, { resource, payment, mandateId }: Attempt): boolean {
  const isUnder = mandateId === null || mandateId === known.mandateId
  const isAsMuch = payment.requirements === null || isSame(payment.requirements, known.requirements)
  const isAsLong = validBeforeOf(payment)?.getTime() === known.payment?.validBefore?.getTime()
  return known.resource === resource && isUnder && isAsMuch && isAsLong
}

/** The command that forwards the payment of an attempt. */
export function forwardOf({ payment, agentId }: Attempt): Extract<Command, { kind: 'forward' }> {
  const { key, authorization, transfer, txHash } = payment
  const traces = {
    payer: transfer?.payer ?? payment.payer,
    nonce: authorization?.nonce ?? null,
    message: transfer?.nonce ?? null,
    validBefore: validBeforeOf(payment),
  }
  return { kind: 'forward', payment: { key, ...traces }, txHash, agentId }
}

// Far enough in the future, and within PostgreSQL's range.
const latestMs = Date.UTC(9999, 0)

function validBeforeOf({ validBeforeMs }: ForwardedPayment): Date | null {
  return validBeforeMs === null ? null : new Date(Math.min(validBeforeMs, latestMs))
}

/** What an upstream's answer tells of a payment; `success` is its word on the settlement. */
export type Answer = {
  readonly isOk: boolean
  readonly success: boolean | null
  readonly txHash: string | null
}

/** Whether the payment was taken, by the upstream's word; null: only the chain can tell. */
export function saysTaken({ isOk, success }: Answer): boolean | null {
  if (isOk) return success !== false
  return success ? true : null
}

/**
 * The outcome of an attempt:
 * - `taken`: the payment was taken
 * - `pending`: it may have been taken
 * - `failed`: apparently it was not, but the chain has the last word
 */
export type Outcome = 'taken' | 'pending' | 'failed'

/** What an answer means, given whether the payment is known to be taken, or may be. */
export function outcomeOf(
  { isOk, txHash }: Answer,
  { isTaken, isInDoubt }: { readonly isTaken: boolean; readonly isInDoubt: boolean },
): Outcome {
  if (isTaken) return 'taken'
  // An upstream that names a transaction has sent it, whatever it could learn of it.
  return isOk || isInDoubt || txHash !== null ? 'pending' : 'failed'
}

/**
 * The transaction by which a payment is looked up after an answer. Once it was taken, that is the
 * one named now: an earlier one may have been replaced. Until then the first one stays: of a
 * payment that was sent again, a second one fails where the first has succeeded. A transfer that
 * was made before is in its own, whatever is said.
 */
export function txHashAfter(outcome: Outcome, purchase: Purchase, { txHash }: Answer) {
  return outcome === 'taken' && !isTransfer(purchase)
    ? (txHash ?? purchase.txHash)
    : (purchase.txHash ?? txHash)
}
