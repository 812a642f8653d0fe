import type { PaymentKind } from '../x402/forwarded-payment.ts'
import type { PaymentRequirements } from '../x402/requirements.ts'
import type { Delivery } from './delivery.ts'

/**
 * - `quoted`: an ask for the same is answered with it; nothing is held
 * - `replaced`: it can still be paid, but an ask is answered with a newer one
 * - `held`: a payment for it is counted, and the chain will tell whether it came
 * - `paid`: accepted by the upstream or seen on chain, and not final yet
 * - `settled`: final on chain
 * - `over`: nobody paid it
 */
export const states = ['quoted', 'replaced', 'held', 'paid', 'settled', 'over'] as const
export type State = (typeof states)[number]

/** What is bought through the proxy: one for each invoice made of an upstream's 402. */
export type Purchase = {
  readonly invoiceId: string
  readonly accountId: string
  /** A hash of method, URL and the request's body. */
  readonly resource: string
  /** All payable options of the 402, in its order. */
  readonly options: readonly PaymentRequirements[]
  /** The option that is paid; until then the first. */
  readonly option: PaymentRequirements
  readonly agentId: string | null
  readonly mandateId: string | null
  /** Of what the upstream demanded, as 0x and hex; null if it was not read to its end. */
  readonly demandSha256: string | null
  readonly version: number
  readonly state: State
  /** The payment that was claimed for it. */
  readonly payment: Payment | null
  /** Whether another account has proven the same payment before: then a transfer is that one's. */
  readonly isCopied: boolean
  /** As the upstream names it or the chain shows it. */
  readonly txHash: string | null
  /** The transfer that has paid it, in the transaction of a settled payment, and its block. */
  readonly position: number | null
  readonly settledIn: number | null
  /** What its agent's budget counts for it; null: the agent has no budget. */
  readonly hold: Hold | null
  /** Whether an attempt to forward the payment is under way, if it is young enough. */
  readonly isForwarding: boolean
  /** The attempt whose answer may still be handed over: the version that forwarded it. */
  readonly attempt: number | null
  /** What was handed over of answers to its payment, and of which attempt last. */
  readonly delivery: Delivery | null
  readonly delivered: number | null
  readonly createdAt: Date
  /** By PostgreSQL's clock. */
  readonly readAt: Date
}

export type Payment = {
  /** The same payment always has the same key. */
  readonly key: string
  /** Null if it cannot be read. */
  readonly payer: string | null
  /** Of its EIP-3009 authorization or Permit2 permit, as 32 bytes. */
  readonly nonce: string | null
  readonly kind: PaymentKind
  /** Identifies the message signed on Solana. */
  readonly message: string | null
  readonly validBefore: Date | null
  /** Whether its payer has signed it for this, as far as we can tell: only then it settles. */
  readonly isProven: boolean
  readonly names: Names
  readonly firstForwardedAt: Date
  /** Start of the last attempt. */
  readonly forwardedAt: Date
}

/**
 * The buyer's own names for the purchase: x402's `payment-identifier`, and the `Idempotency-Key`.
 * With either, `header` is what is sent again.
 */
export type Names = {
  readonly paymentId: string | null
  readonly idempotencyKey: string | null
  readonly header: string | null
}

/** An amount that a budget counts, in the period in which the payment was claimed. */
export type Hold = { readonly amountMinor: bigint; readonly periodNumber: number }

type New = Pick<
  Purchase,
  'invoiceId' | 'accountId' | 'resource' | 'options' | 'agentId' | 'mandateId' | 'demandSha256'
>

/** A purchase of which only the price has been asked; `options` has at least one. */
export function quote(wanted: New, now: Date): Purchase {
  const { invoiceId, accountId, resource, options, agentId, mandateId, demandSha256 } = wanted
  return {
    ...{ invoiceId, accountId, resource, options, agentId, mandateId, demandSha256 },
    option: options[0] as PaymentRequirements,
    version: 1,
    state: 'quoted',
    payment: null,
    isCopied: false,
    txHash: null,
    position: null,
    settledIn: null,
    hold: null,
    isForwarding: false,
    attempt: null,
    delivery: null,
    delivered: null,
    createdAt: now,
    readAt: now,
  }
}

/** An attempt that takes longer counts as dead. */
export const attemptLimitMs = 60_000
/** Answers that take longer may be cut off. */
export const longestStreamMs = 600_000
/** How long a quote answers further asks. */
const quoteMs = 900_000
/** How long a payment without an end, or one taken by the upstream's word alone, counts. */
const patienceMs = 86_400_000

/** Whether a process may still be forwarding its payment. */
export function isUnderWay(purchase: Purchase): boolean {
  return purchase.isForwarding && sinceForwardedMs(purchase) < attemptLimitMs
}

/**
 * Whether an answer may still be handed over. After the time for an answer, or for the longest
 * stream, nobody is left to do it.
 */
export function isDeliveryUnderWay(purchase: Purchase): boolean {
  const { attempt, delivered, isForwarding } = purchase
  if (attempt === null || attempt === delivered) return false
  const limitMs = isForwarding ? attemptLimitMs : attemptLimitMs + longestStreamMs
  return sinceForwardedMs(purchase) < limitMs
}

/** Whether its payment has been out for a day. */
export function isOverdue(purchase: Purchase): boolean {
  return sinceForwardedMs(purchase) > patienceMs
}

/** By the word of the upstream or the chain. */
export function isAccepted({ state }: Purchase): boolean {
  return state === 'paid' || state === 'settled'
}

/** Whether an ask for the same, answered with these options, is answered with it. */
export function answers(
  { state, options, createdAt, readAt }: Purchase,
  asked: readonly PaymentRequirements[],
): boolean {
  const isYoung = readAt.getTime() - createdAt.getTime() < quoteMs
  return state === 'quoted' && isYoung && textOf(options) === textOf(asked)
}

export type Counted = {
  readonly heldMinor: bigint
  readonly spentMinor: bigint
  readonly boundBase: bigint
}

/** What budget and mandate count for it, now that its payment is claimed or accepted. */
export function countedOf(purchase: Purchase): Counted {
  const { state, hold, mandateId, option } = purchase
  const amountMinor = hold?.amountMinor ?? 0n
  const isSpent = isAccepted(purchase)
  return {
    heldMinor: state === 'held' ? amountMinor : 0n,
    spentMinor: isSpent ? amountMinor : 0n,
    boundBase: mandateId !== null && (isSpent || state === 'held') ? option.usdcBase : 0n,
  }
}

function sinceForwardedMs({ payment, readAt }: Purchase): number {
  return payment ? readAt.getTime() - payment.forwardedAt.getTime() : 0
}

function textOf(options: readonly PaymentRequirements[]): string {
  return options.map(({ network, payTo, usdcBase }) => `${network} ${payTo} ${usdcBase}`).join()
}
