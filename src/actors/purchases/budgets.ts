import { createHash } from 'node:crypto'
import { hasReason } from '../../domain/error.ts'
import type { Idempotency } from '../../domain/idempotency.ts'
import type { Fx } from '../../domain/invoices/request.ts'
import { costMinor } from '../../domain/purchases/order.ts'
import type { Purchase, Reservation } from '../../domain/purchases/purchase.ts'
import type { Sql } from '../../storage/postgres/db.ts'
import type { Budgets } from '../budgets.ts'
import { execute } from './execute.ts'

type Options = {
  readonly sql: Sql
  readonly budgets: Budgets
  readonly fx: Fx
  readonly log: { warn(line: object, message: string): void }
}

/**
 * The parts of agents' budgets that are held for purchases, and spent once they are paid. Every
 * step may be repeated.
 */
export function createPurchaseBudgets({ sql, budgets, fx, log }: Options) {
  /** Whether an earlier attempt with this payment has spent its amount; a mere hold is released. */
  async function isCounted(purchase: Purchase): Promise<boolean> {
    return purchase.reservation !== null && !(await release(purchase))
  }

  /**
   * Holds the amount of a purchase, where its agent has a budget; null when the purchase has
   * changed meanwhile. Errors: `budget_exceeded`.
   */
  async function hold(purchase: Purchase, agentId: string): Promise<Purchase | null> {
    const reservation = await reserve(purchase, agentId).catch((error) => {
      if (!hasReason(error, 'invalid_request')) throw error
      // The budget may have been given another currency since that was read.
      return reserve(purchase, agentId)
    })
    return reservation ? execute(sql, purchase, { kind: 'reserve', reservation }) : purchase
  }

  /** Reserves the amount of a purchase; null where its agent has no budget. */
  async function reserve({ accountId, requirements }: Purchase, agentId: string) {
    const wish = await wishOf(accountId, agentId, requirements.usdcBase)
    const held = wish && (await budgets.reserve(accountId, wish, null))
    if (held?.kind !== 'reserved' || held.reserved.reservationId === null) return null
    return { ...wish, id: held.reserved.reservationId } as Reservation
  }

  async function wishOf(accountId: string, agentId: string, usdcBase: bigint) {
    const budget = await budgets.get(accountId, agentId).catch((error) => {
      if (hasReason(error, 'not_found')) return null
      throw error
    })
    if (!budget) return null
    const { currency } = budget
    return { agentId, amountMinor: costMinor(usdcBase, currency, fx), currency }
  }

  /** Releases what is held; false if it has already been spent. */
  async function release({ accountId, reservation }: Purchase): Promise<boolean> {
    if (!reservation) return true
    try {
      await budgets.release(accountId, reservation.id)
      return true
    } catch (error) {
      if (hasReason(error, 'invalid_state')) return false
      // It expired long ago and has been deleted.
      if (hasReason(error, 'not_found')) return true
      throw error
    }
  }

  /**
   * Spends what is held; what is held no more is counted as far as the budget has room. Returns the
   * purchase afterwards.
   */
  async function spend(purchase: Purchase): Promise<Purchase> {
    const { accountId, reservation } = purchase
    if (!reservation) return purchase
    try {
      await budgets.commit(accountId, reservation.id)
      return purchase
    } catch (error) {
      if (!hasReason(error, 'invalid_state', 'not_found')) throw error
      return spendLate(purchase, reservation)
    }
  }

  /**
   * The reservation expired or was released before the chain reported the payment: the payment is
   * still counted, as far as the budget has room.
   */
  async function spendLate(purchase: Purchase, reservation: Reservation): Promise<Purchase> {
    const { invoiceId, agentId } = purchase
    const lateId = await holdLate(purchase, reservation).catch((error) => {
      if (!hasReason(error, 'budget_exceeded', 'invalid_request')) throw error
      log.warn({ err: error, invoiceId, agentId }, 'a late payment does not fit into its budget')
      return null
    })
    if (lateId === null) return purchase
    const late = { ...reservation, id: lateId }
    // Noted before it is spent, so that another attempt with this payment knows that it is counted.
    // An attempt that has taken over meanwhile counts the payment itself.
    const noted = await execute(sql, purchase, { kind: 'reserve', reservation: late })
    return noted ? spend(noted) : purchase
  }

  /** Reserves the same amount again, but only once per reservation. */
  async function holdLate(
    { accountId, invoiceId, agentId }: Purchase,
    { id, amountMinor, currency }: Reservation,
  ): Promise<string | null> {
    const idempotency = oncePerKey(`late ${id}`, invoiceId)
    const wish = { agentId: agentId ?? '', amountMinor, currency }
    const held = await budgets.reserve(accountId, wish, idempotency)
    return held.kind === 'reserved' ? held.reserved.reservationId : held.subjectId
  }

  return { isCounted, hold, release, spend }
}

/**
 * Makes something for a purchase only once per `key`, such as its invoice; `subject` is what it is
 * made for, and the same key with another subject is refused.
 */
export function oncePerKey(key: string, subject: string): Idempotency {
  return {
    route: 'x402 purchase',
    key,
    requestHash: createHash('sha256').update(subject).digest(),
  }
}
