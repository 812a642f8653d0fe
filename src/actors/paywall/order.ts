import { DomainError } from '../../domain/error.ts'
import type { Network } from '../../domain/network.ts'
import {
  type PaymentOption,
  type PaymentRequired,
  paymentRequired,
  type Resource,
} from '../../domain/x402/payment-required.ts'
import type { Owed, PaymentNetwork, SettledPayment } from '../../domain/x402/settlement.ts'

/** The stored answer to a payment. `body` is JSON text. */
export type Delivered = { readonly status: number; readonly body: string }

/** What a caller wants to buy. Once it is paid, delivery cannot be refused. */
export type Order = {
  readonly resource: Resource
  /** The same payment for another request is a conflict. */
  readonly requestHash: string
  /** Must be idempotent by `payment.key`: after a crash, sending the payment again repeats it. */
  deliver(payment: SettledPayment): Promise<Delivered>
}

/** `identifier`: the payer's own name for the purchase; another payment by it buys no more. */
export type PaidOrder = Order & {
  readonly paymentHash: string
  readonly identifier: string | null
}

/**
 * The outcome of a payment. `repeat`: paid before, with the first answer. `conflict`: it has bought
 * something else. `settling` (a copy is being settled) and `pending` (possibly paid) are not final:
 * send the same payment again.
 */
export type PaymentOutcome =
  | {
      readonly kind: 'delivered' | 'repeat'
      readonly payment: SettledPayment
      readonly answer: Delivered
    }
  | { readonly kind: 'conflict' | 'settling' }
  | { readonly kind: 'refused'; readonly required: PaymentRequired }
  | { readonly kind: 'pending'; readonly network: Network; readonly txHash: string | null }

export type Networks = readonly PaymentNetwork[]

export function findNetwork(networks: Networks, network: Network): PaymentNetwork | undefined {
  return networks.find((one) => one.network === network)
}

/** The ways to pay now: what a facilitator settles may change. */
export function optionsOf(networks: Networks): readonly PaymentOption[] {
  return networks.flatMap((one) => one.option() ?? [])
}

/** What must be paid for a resource. Errors: `unavailable` if no network is configured. */
export function requiredFor(
  networks: Networks,
  resource: Resource,
  problem?: string,
): PaymentRequired {
  const options = optionsOf(networks)
  if (options.length === 0)
    throw new DomainError('unavailable', 'No network is configured to be paid on')
  return paymentRequired(resource, options, problem)
}

export function refused(
  networks: Networks,
  { resource }: Pick<Order, 'resource'>,
  problem: string,
): PaymentOutcome {
  return { kind: 'refused', required: requiredFor(networks, resource, problem) }
}

export function termsOf(
  { resource, requestHash, paymentHash, identifier }: PaidOrder,
  { payTo, asset }: PaymentOption,
): Owed & Pick<PaidOrder, 'requestHash' | 'paymentHash' | 'identifier'> {
  return { paymentHash, identifier, requestHash, usdcBase: resource.priceUsdcBase, payTo, asset }
}

/** The answer of a chain. Errors: `unavailable`, since the payment may be good. */
export async function fromChain<Answer>(question: Promise<Answer>): Promise<Answer> {
  try {
    return await question
  } catch (error) {
    const message = 'The payment cannot be checked now; send it again shortly'
    throw new DomainError('unavailable', message, {
      operatorText: `x402: ${error}`,
      retryAfterSeconds: 5,
    })
  }
}
