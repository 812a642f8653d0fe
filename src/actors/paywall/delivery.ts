import { hasReason } from '../../domain/error.ts'
import type { SettledBy, SettledPayment } from '../../domain/x402/settlement.ts'
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

const askAgainMs = 200

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
    const { txHash, position, status, body } = earlier
    if (txHash !== null && position !== null) {
      const payment = paidBy(earlier, { txHash, position })
      return status !== null && body !== null
        ? { kind: 'repeat', payment, answer: { status, body } }
        : deliver(order, payment)
    }
    return reconciliation.isRunning(earlier) ? { kind: 'settling' } : resolve(order, earlier, null)
  }

  /**
   * Asks the chain, for `withinMs`, about a claim that ended without an outcome; `problem` is why,
   * if known.
   */
  async function resolve(
    order: PaidOrder,
    claim: Unresolved,
    problem: string | null,
    withinMs = 0,
  ): Promise<PaymentOutcome> {
    const { key, network, payer } = claim
    const outcome = await outcomeWithin(claim, withinMs)
    if (typeof outcome === 'object') return settle(order, claim, outcome)
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

  async function outcomeWithin(claim: Unresolved, limitMs: number) {
    const giveUpAt = performance.now() + limitMs
    for (;;) {
      const outcome = await reconciliation.outcomeOf(claim).catch(() => 'unknown' as const)
      if (outcome !== 'unknown' || performance.now() >= giveUpAt) return outcome
      await Bun.sleep(askAgainMs)
    }
  }

  /** Marks a payment as settled, and delivers for it. */
  async function settle(
    order: PaidOrder,
    claim: Unresolved,
    by: SettledBy,
  ): Promise<PaymentOutcome> {
    // What is delivered depends on the time of the claim, which another try may have taken over.
    const claimedAt = await reconciliation.settle(claim, by)
    if (claimedAt === null) return { kind: 'conflict' }
    return deliver(order, paidBy({ ...claim, createdAt: claimedAt }, by))
  }

  /** Delivers for a settled payment, and keeps the answer. */
  async function deliver(order: PaidOrder, payment: SettledPayment): Promise<PaymentOutcome> {
    payers.noteSettled(payment)
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
  { txHash, position }: SettledBy,
): SettledPayment {
  return { key, claimedAt, network, payer, txHash, position }
}

export function isFor(
  claim: ClaimedPayment,
  { paymentHash, identifier, requestHash }: PaidOrder,
): boolean {
  const isSame = identifier !== null && claim.identifier === identifier
  return (isSame || claim.paymentHash === paymentHash) && claim.requestHash === requestHash
}
