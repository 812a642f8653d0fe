import { hasReason } from '../../domain/error.ts'
import type { SettledPayment } from '../../domain/x402/settlement.ts'
import type { Sql } from '../../storage/postgres/db.ts'
import {
  type ClaimedPayment,
  findPayment,
  keepAnswer,
  markPending,
  releasePayment,
} from '../../storage/x402/payments.ts'
import { type Networks, type PaidOrder, type PaymentOutcome, refused } from './order.ts'
import type { PayerLimit } from './payer-limit.ts'
import type { Reconciliation, Unresolved } from './reconciliation.ts'

export type DeliveryParts = {
  readonly sql: Sql
  readonly networks: Networks
  readonly payers: PayerLimit
  readonly reconciliation: Reconciliation
}

export type Delivery = ReturnType<typeof createDelivery>

export function createDelivery({ sql, networks, payers, reconciliation }: DeliveryParts) {
  /** Answers a payment that was claimed before; `earlier` null: it has bought something else. */
  async function answerAgain(
    order: PaidOrder,
    earlier: ClaimedPayment | null,
  ): Promise<PaymentOutcome> {
    if (!earlier || !isFor(earlier, order)) return { kind: 'conflict' }
    const { state, txHash, status, body } = earlier
    if (state === 'settled' && txHash !== null) {
      const payment = paidBy(earlier, txHash)
      return status !== null && body !== null
        ? { kind: 'repeat', payment, answer: { status, body } }
        : deliver(order, payment)
    }
    return reconciliation.isRunning(earlier) ? { kind: 'settling' } : resolve(order, earlier, null)
  }

  /** Asks the chain about a claim that ended without an outcome; `problem` is why, if known. */
  async function resolve(
    order: PaidOrder,
    claim: Unresolved,
    problem: string | null,
  ): Promise<PaymentOutcome> {
    const { key, network, payer } = claim
    const outcome = await reconciliation.outcomeOf(claim).catch(() => 'unknown' as const)
    if (typeof outcome === 'object') return deliver(order, paidBy(claim, outcome.txHash))
    if (outcome === 'unpaid') {
      // Another try may have taken over the claim: its buyer must not be asked to pay again.
      return (await releasePayment(sql, claim))
        ? refused(networks, order, problem ?? 'The payment was not settled in time')
        : { kind: 'settling' }
    }
    await markPending(sql, claim)
    const { txHash = null } =
      (await findPayment(sql, { key, network, payer, txHash: null, identifier: null })) ?? {}
    return { kind: 'pending', network, txHash }
  }

  /** Marks a payment as settled, delivers for it, and keeps the answer. */
  async function deliver(order: PaidOrder, paid: SettledPayment): Promise<PaymentOutcome> {
    // What is delivered depends on the time of the claim, which another try may have taken over.
    const claim = { key: paid.key, createdAt: paid.claimedAt }
    const claimedAt = await reconciliation.settle(claim, paid.txHash)
    if (claimedAt === null) return { kind: 'conflict' }
    payers.noteSettled(paid)
    const payment = { ...paid, claimedAt }
    try {
      const answer = await order.deliver(payment)
      await keepAnswer(sql, payment.key, answer)
      return { kind: 'delivered', payment, answer }
    } catch (error) {
      if (hasReason(error, 'idempotency_in_progress')) return { kind: 'settling' }
      throw error
    }
  }

  return { answerAgain, resolve, deliver }
}

export function paidBy(
  { key, createdAt: claimedAt, network, payer }: Unresolved,
  txHash: string,
): SettledPayment {
  return { key, claimedAt, network, payer, txHash }
}

export function isFor(
  claim: ClaimedPayment,
  { paymentHash, identifier, requestHash }: PaidOrder,
): boolean {
  const isSame = identifier !== null && claim.identifier === identifier
  return (isSame || claim.paymentHash === paymentHash) && claim.requestHash === requestHash
}
