import type { Identified } from '../x402/forwarded-payment.ts'
import type { PaymentRequirements } from '../x402/requirements.ts'
import type { Delivery } from './delivery.ts'

/**
 * - `quoted`: no payment has been forwarded
 * - `refused`: it was not taken; another one may be forwarded
 * - `unknown`: it may have been taken, and the chain will tell
 * - `paid`: it was accepted, and is not final on chain yet
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

/** One for each invoice of an upstream's 402. */
export type Purchase = {
  readonly invoiceId: string
  readonly accountId: string
  /** A hash of method and URL. */
  readonly resource: string
  readonly requirements: PaymentRequirements
  readonly agentId: string | null
  readonly mandateId: string | null
  /** Of what the upstream demanded, as 0x and hex; null if it was not read to its end. */
  readonly demandSha256: string | null
  readonly version: number
  readonly state: State
  /** The payment forwarded last. */
  readonly payment: Payment | null
  /** As the upstream names it or the chain shows it. */
  readonly txHash: string | null
  /** The position of the transfer that pays this purchase and no other. */
  readonly position: number | null
  /** The block of a settled payment. */
  readonly settledIn: number | null
  /** The part of the agent's budget held for it. */
  readonly reservation: Reservation | null
  /** What was handed over of an answer to its payment. */
  readonly delivery: Delivery | null
  /** The attempt whose answer may still be handed over: the version that forwarded it. */
  readonly delivering: number | null
  /** When it was given up: nothing more is forwarded for it. */
  readonly abandonedAt: Date | null
  /** The key of another invoice's payment that it was given up for. */
  readonly supersededBy: string | null
  /** Given up, and its invoice is still to be voided. */
  readonly isVoidPending: boolean
  readonly createdAt: Date
  /** By PostgreSQL's clock. */
  readonly readAt: Date
}

export type Payment = {
  /** The same payment always has the same key. */
  readonly key: string
  /** Null if it cannot be read. */
  readonly payer: string | null
  /** Of its EIP-3009 authorization. */
  readonly nonce: string | null
  /** Identifies the message signed on Solana. */
  readonly message: string | null
  readonly validBefore: Date | null
  readonly identified: Identified | null
  /** Start of the first attempt by which it may have been taken. */
  readonly firstForwardedAt: Date
  /** Start of the last attempt, or when its transaction was named. */
  readonly forwardedAt: Date
}

export type Reservation = {
  readonly id: string
  readonly amountMinor: bigint
  readonly currency: string
}

type New = Pick<
  Purchase,
  'invoiceId' | 'accountId' | 'resource' | 'requirements' | 'agentId' | 'mandateId' | 'demandSha256'
>

/** A purchase of which only the price has been asked. */
export function quote(wanted: New, now: Date): Purchase {
  const { invoiceId, accountId, resource, requirements, agentId, mandateId, demandSha256 } = wanted
  return {
    invoiceId,
    accountId,
    resource,
    requirements,
    agentId,
    mandateId,
    demandSha256,
    version: 1,
    state: 'quoted',
    payment: null,
    txHash: null,
    position: null,
    settledIn: null,
    reservation: null,
    delivery: null,
    delivering: null,
    abandonedAt: null,
    supersededBy: null,
    isVoidPending: false,
    createdAt: now,
    readAt: now,
  }
}

/** An attempt that takes longer counts as dead. */
export const attemptLimitMs = 60_000

/** Whether a process may still be forwarding its payment. */
export function isUnderWay({ state, payment }: Purchase, now: Date): boolean {
  return state === 'forwarding' && payment !== null && ageMs(payment, now) < attemptLimitMs
}

/** Answers that take longer may be cut off. */
export const longestStreamMs = 600_000

/** Whether its answer may still be handed over. After the longest stream the process is dead. */
export function isDeliveryUnderWay({ delivering, payment }: Purchase, now: Date): boolean {
  if (delivering === null || payment === null) return false
  return ageMs(payment, now) < attemptLimitMs + longestStreamMs
}

/** Whether it waits for a payment: the first, or one after others that paid nothing. */
export function isWaiting({ state }: Purchase): boolean {
  return state === 'quoted' || state === 'refused' || state === 'expired'
}

/** By the word of the upstream or the chain. */
export function isAccepted({ state }: Purchase): boolean {
  return state === 'paid' || state === 'settled'
}

/** One that was accepted stays accepted. */
export function isAbandoned(purchase: Purchase): boolean {
  return purchase.abandonedAt !== null && !isAccepted(purchase)
}

/** How long the chain may take to show the outcome of a payment that is over. */
const outcomeMs = 86_400_000

/** While it waits, or a day after its payment could last be taken without a trace on chain. */
export function mayAbandon(purchase: Purchase, now: Date): boolean {
  const { state, payment, position } = purchase
  if (isWaiting(purchase)) return true
  if (state === 'settled' || payment === null || position !== null) return false
  const latestMs = Math.max(payment.forwardedAt.getTime(), payment.validBefore?.getTime() ?? 0)
  return now.getTime() - latestMs > outcomeMs
}

/** How long a payment without an end may take to appear on chain. */
const patienceMs = 86_400_000

/** Whether a payment that does not say until when it is valid would be on chain by now. */
export function isOverdue({ payment }: Purchase, nowMs: number): boolean {
  return payment !== null && nowMs - payment.forwardedAt.getTime() > patienceMs
}

/** A transfer made before: no other payment can take its place. */
export function isTransfer({ payment }: Purchase): boolean {
  if (payment?.payer == null) return false
  return payment.nonce === null && payment.message === null && payment.validBefore === null
}

function ageMs({ forwardedAt }: Payment, now: Date): number {
  return now.getTime() - forwardedAt.getTime()
}
