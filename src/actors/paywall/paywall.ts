import { hashOf } from '../../domain/hash.ts'
import { addressKey, type Network, networkNamed } from '../../domain/network.ts'
import {
  notAccepted,
  type PaymentPayload,
  type UnreadablePayload,
} from '../../domain/x402/payload.ts'
import { paymentIdIn } from '../../domain/x402/payment-identifier.ts'
import type { PaymentRequired, Resource } from '../../domain/x402/payment-required.ts'
import { createDelivery } from './delivery.ts'
import { findNetwork, type Order, type PaymentOutcome, refused, requiredFor } from './order.ts'
import { admitTransfer, type TransferParts } from './paid-transfers.ts'
import { createPayerLimit } from './payer-limit.ts'
import { createReconciliation, type ReconciliationParts } from './reconciliation.ts'
import { createSignedPayments } from './signed-payments.ts'

type Parts = ReconciliationParts & {
  /** Whether these 32 bytes (lower-case hex with 0x) are the reference of an invoice of ours. */
  isReference(nonce: string): boolean
  readonly isSignedByPayer: TransferParts['isSignedByPayer']
}

export type Paywall = ReturnType<typeof createPaywall>

export function createPaywall(parts: Parts) {
  const { sql, networks, isReference, isSignedByPayer } = parts
  const payers = createPayerLimit(parts)
  const reconciliation = createReconciliation(parts)
  const shared = { sql, networks, payers, reconciliation }
  const delivery = createDelivery(shared)
  const signed = createSignedPayments({ ...shared, delivery, isReference })

  /** Errors: `unavailable` if no network is configured. */
  function required(resource: Resource): PaymentRequired {
    return requiredFor(networks, resource)
  }

  /** Verifies, claims and settles a payment, and only then delivers; the answer is stored. */
  async function admit(
    order: Order,
    sent: PaymentPayload | UnreadablePayload,
  ): Promise<PaymentOutcome> {
    if (sent.kind === 'unreadable') return refused(networks, order, sent.problem)
    if (sent.kind === 'transfer') {
      const paid = { ...order, paymentHash: paymentHashOf(sent), identifier: null }
      return admitTransfer({ sql, networks, delivery, isSignedByPayer }, paid, sent)
    }
    const { extensions } = sent
    const identifier = paymentIdIn({ extensions }, 'payment')
    const network = networkNamed(sent.network)
    const payment = network && findNetwork(networks, network)?.readPayment(sent.payload)
    if (!payment) return refused(networks, order, notAccepted)
    const { payload } = payment
    const paid = { ...order, paymentHash: paymentHashOf({ network, payload }), identifier }
    return signed.admit(paid, payment)
  }

  return {
    required,
    admit,
    reconcile: reconciliation.reconcile,
  }
}

/** The hash of what a payment says, however its addresses are written. */
function paymentHashOf(
  sent: { network: Network | undefined; payload: object } | PaymentPayload,
): string {
  return hashOf(JSON.stringify(sent, (_, one) => (typeof one === 'string' ? addressKey(one) : one)))
}
