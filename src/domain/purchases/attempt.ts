import type { ForwardedPayment } from '../x402/forwarded-payment.ts'
import { isSame } from '../x402/requirements.ts'
import type { Command } from './decide.ts'
import { isAbandoned, isAccepted, isTransfer, isUnderWay, type Purchase } from './purchase.ts'

/** A payment that an agent sends for a resource. */
export type Attempt = {
  readonly accountId: string
  readonly resource: string
  readonly payment: ForwardedPayment
  readonly agentId: string | null
  /** null: none, or that of an invoice the caller names or has already paid with this payment. */
  readonly mandateId: string | null
  /** null: the newest that fits. */
  readonly invoiceId: string | null
}

/**
 * What a payment means that a purchase already knows:
 * - `again`: it may be forwarded once more
 * - `busy`: another attempt is forwarding it
 * - `done`: it has been accepted
 * - `spent`: it has been accepted for another resource
 * - `elsewhere`: it differs in resource, mandate, amount or validity, or its purchase was given up
 */
export function judgeRepeat(known: Purchase, attempt: Attempt, now: Date) {
  if (isAbandoned(known) || !isFor(known, attempt))
    return known.resource !== attempt.resource && isAccepted(known) ? 'spent' : 'elsewhere'
  if (isAccepted(known)) return 'done'
  return isUnderWay(known, now) ? 'busy' : 'again'
}

/**
 * Whether this is the payment the purchase knows, not another with the same key. One that is signed
 * anew under the same id may differ in anything else.
 */
function isFor(known: Purchase, attempt: Attempt): boolean {
  const { resource, payment, mandateId } = attempt
  const isUnder = mandateId === null || mandateId === known.mandateId
  if (isSignedAnew(known, attempt)) return known.resource === resource && isUnder
  const isAsMuch = payment.requirements === null || isSame(payment.requirements, known.requirements)
  const isAsLong = validBeforeOf(payment)?.getTime() === known.payment?.validBefore?.getTime()
  return known.resource === resource && isUnder && isAsMuch && isAsLong
}

/** Whether the purchase has another payment than the attempt: it was found by the payment's id. */
function isSignedAnew({ payment: known }: Purchase, { payment }: Attempt): boolean {
  return known !== null && known.key !== payment.key
}

type Forward = Extract<Command, { kind: 'forward' }>

/**
 * The command that forwards a known payment again. If it was signed anew under the same id, the
 * first one is forwarded: no upstream can take both.
 */
export function forwardAgain(known: Purchase, attempt: Attempt): Forward {
  const { payment } = known
  if (payment === null || !isSignedAnew(known, attempt)) return forwardOf(attempt)
  return { kind: 'forward', payment, txHash: null, agentId: attempt.agentId }
}

/** The command that forwards the payment of an attempt. */
export function forwardOf({ payment, agentId }: Attempt): Forward {
  const { key, authorization, transfer, txHash, identified } = payment
  const traces = {
    payer: transfer?.payer ?? payment.payer,
    nonce: authorization?.nonce ?? null,
    message: transfer?.nonce ?? null,
    validBefore: validBeforeOf(payment),
    identified,
  }
  return { kind: 'forward', payment: { key, ...traces }, txHash, agentId }
}

// Within PostgreSQL's range.
const latestMs = Date.UTC(9999, 0)

function validBeforeOf({ validBeforeMs }: ForwardedPayment): Date | null {
  return validBeforeMs === null ? null : new Date(Math.min(validBeforeMs, latestMs))
}

/** `success` is what the upstream says of the settlement. */
export type Answer = {
  readonly isOk: boolean
  readonly success: boolean | null
  readonly txHash: string | null
}

/** By the upstream's word; null: only the chain can tell. */
export function saysTaken({ isOk, success }: Answer): boolean | null {
  if (isOk) return success !== false
  return success ? true : null
}

/** `pending`: it may have been taken; `failed`: the chain has the last word. */
export type Outcome = 'taken' | 'pending' | 'failed'

/** What an answer means, given whether the payment is known to be taken, or may be. */
export function outcomeOf(
  { isOk, txHash }: Answer,
  { isTaken, isInDoubt }: { readonly isTaken: boolean; readonly isInDoubt: boolean },
): Outcome {
  if (isTaken) return 'taken'
  // An upstream that names a transaction has sent it.
  return isOk || isInDoubt || txHash !== null ? 'pending' : 'failed'
}

/**
 * The transaction to look a payment up by: once it was taken, the one named last, which may replace
 * another. Until then the first: where a payment was sent twice, the second one fails.
 */
export function txHashAfter(outcome: Outcome, purchase: Purchase, { txHash }: Answer) {
  return outcome === 'taken' && !isTransfer(purchase)
    ? (txHash ?? purchase.txHash)
    : (purchase.txHash ?? txHash)
}
