import type { PaymentRequirements } from '../x402/requirements.ts'

/**
 * The state of a purchase's payment:
 * - `quoted`: none has been forwarded
 * - `forwarding`: an attempt is under way
 * - `refused`: it was not taken; another one may be forwarded
 * - `unknown`: it may have been taken, and the chain will tell
 * - `paid`: it was accepted, and is not final on chain yet
 * - `settled`: it is final on chain
 * - `expired`: it can no longer be taken
 */
export const states = [
  'quoted',
  'forwarding',
  'refused',
  'unknown',
  'paid',
  'settled',
  'expired',
] as const
export type State = (typeof states)[number]

/**
 * A purchase that an account makes through the proxy; one for each invoice of an upstream's 402.
 */
export type Purchase = {
  readonly invoiceId: string
  readonly accountId: string
  /** Identifies what is bought: a hash of method and URL. */
  readonly resource: string
  /** What its invoice is due. */
  readonly requirements: PaymentRequirements
  readonly agentId: string | null
  /** The mandate that its invoice counts against. */
  readonly mandateId: string | null
  readonly version: number
  readonly state: State
  /** The payment that is, or was last, forwarded. */
  readonly payment: Payment | null
  /** The transaction of the payment, as the upstream names it or the chain shows it. */
  readonly txHash: string | null
  /** The position of the transfer that the chain shows to pay this purchase and no other. */
  readonly position: number | null
  /** The block of the payment once it is settled. */
  readonly settledIn: number | null
  /** The part of the agent's budget held for it. */
  readonly reservation: Reservation | null
  /** When it was given up: nothing is forwarded for it any more. */
  readonly abandonedAt: Date | null
  /** The key of the payment, for another invoice, that it was given up for. */
  readonly supersededBy: string | null
  /** Given up, and its invoice is still to be voided. */
  readonly isVoidPending: boolean
  readonly createdAt: Date
  /** PostgreSQL's time when it was read. */
  readonly readAt: Date
}

/** A forwarded payment, as far as it can be found on chain. */
export type Payment = {
  /** The same payment always has the same key. */
  readonly key: string
  /** The wallet that signed it; null if that cannot be read. */
  readonly payer: string | null
  /** The nonce of its EIP-3009 authorization. */
  readonly nonce: string | null
  /** Identifies the message that was signed on Solana. */
  readonly message: string | null
  readonly validBefore: Date | null
  /** Start of the first attempt by which it may have been taken. */
  readonly firstForwardedAt: Date
  /**
   * Start of the last attempt, or when its transaction was named, which then has a day to appear.
   */
  readonly forwardedAt: Date
}

export type Reservation = {
  readonly id: string
  readonly amountMinor: bigint
  readonly currency: string
}

type New = Pick<
  Purchase,
  'invoiceId' | 'accountId' | 'resource' | 'requirements' | 'agentId' | 'mandateId'
>

/** A purchase of which only the price has been asked. */
export function quote(wanted: New, now: Date): Purchase {
  const { invoiceId, accountId, resource, requirements, agentId, mandateId } = wanted
  return {
    invoiceId,
    accountId,
    resource,
    requirements,
    agentId,
    mandateId,
    version: 1,
    state: 'quoted',
    payment: null,
    txHash: null,
    position: null,
    settledIn: null,
    reservation: null,
    abandonedAt: null,
    supersededBy: null,
    isVoidPending: false,
    createdAt: now,
    readAt: now,
  }
}

/** An attempt that has not ended within this time counts as dead. */
export const attemptLimitMs = 60_000

/** Whether a process may still be forwarding its payment. */
export function isUnderWay({ state, payment }: Purchase, now: Date): boolean {
  return state === 'forwarding' && payment !== null && ageMs(payment, now) < attemptLimitMs
}

/** Whether it waits for a payment: the first, or one after others that paid nothing. */
export function isWaiting({ state }: Purchase): boolean {
  return state === 'quoted' || state === 'refused' || state === 'expired'
}

/** Whether its payment was taken, by the word of the upstream or the chain. */
export function isAccepted({ state }: Purchase): boolean {
  return state === 'paid' || state === 'settled'
}

/** Whether nothing is forwarded for it any more. One that was accepted stays accepted. */
export function isAbandoned(purchase: Purchase): boolean {
  return purchase.abandonedAt !== null && !isAccepted(purchase)
}

/** How long after a payment's time is over the chain may take to show its outcome. */
const outcomeMs = 86_400_000

/**
 * Whether its owner may give it up: it waits for a payment, or the chain has not shown its payment
 * for a day after that could last be taken.
 */
export function mayAbandon(purchase: Purchase, now: Date): boolean {
  const { state, payment, position } = purchase
  if (isWaiting(purchase)) return true
  if (state === 'settled' || payment === null || position !== null) return false
  const latestMs = Math.max(payment.forwardedAt.getTime(), payment.validBefore?.getTime() ?? 0)
  return now.getTime() - latestMs > outcomeMs
}

/** How long a payment without an end may take to appear on the chain after it was forwarded. */
const patienceMs = 86_400_000

/** Whether a payment that does not say until when it is valid would be on chain by now. */
export function isOverdue({ payment }: Purchase, nowMs: number): boolean {
  return payment !== null && nowMs - payment.forwardedAt.getTime() > patienceMs
}

/** Whether the payment is a transfer that its payer had made before: no other can pay it. */
export function isTransfer({ payment }: Purchase): boolean {
  if (payment?.payer == null) return false
  return payment.nonce === null && payment.message === null && payment.validBefore === null
}

function ageMs({ forwardedAt }: Payment, now: Date): number {
  return now.getTime() - forwardedAt.getTime()
}
