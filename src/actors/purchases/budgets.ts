import { createHash } from 'node:crypto'
import { hasReason } from '../../domain/error.ts'
import type { Idempotency } from '../../domain/idempotency.ts'
import { costMinor } from '../../domain/purchases/order.ts'
import type { Purchase, Reservation } from '../../domain/purchases/purchase.ts'
import type { Sql } from '../../storage/postgres/db.ts'
import type { Budgets } from '../budgets.ts'
import type { FxOf } from '../exchange-rates.ts'
import { execute } from './execute.ts'

type Options = {
  readonly sql: Sql
  readonly budgets: Budgets
  readonly fxOf: FxOf
  readonly log: { warn(line: object, message: string): void }
}

/** Holds on agents' budgets for purchases, spent once those are paid. Steps may be repeated. */
export function createPurchaseBudgets({ sql, budgets, fxOf, log }: Options) {
  /** Whether an earlier attempt with this payment has spent its amount; a mere hold is released. */
  async function isCounted(purchase: Purchase): Promise<boolean> {
    return purchase.reservation !== null && !(await release(purchase))
  }

  /**
   * Holds the amount of a purchase if its agent has a budget; null when the purchase has changed.
   * Errors: `budget_exceeded`.
   */
  async function hold(purchase: Purchase, agentId: string): Promise<Purchase | null> {
    const reservation = await reserve(purchase, agentId).catch((error) => {
      if (!hasReason(error, 'invalid_request')) throw error
      // The currency of the budget may have changed.
      return reserve(purchase, agentId)
    })
    return reservation ? execute(sql, purchase, { kind: 'reserve', reservation }) : purchase
  }

  /** Null where the agent has no budget. */
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
    const amountMinor = costMinor(usdcBase, currency, await fxOf(currency))
    return { agentId, amountMinor, currency }
  }

  /** False if it has already been spent. */
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

  /** Spends what is held, or counts what no longer is, if the budget has room. */
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

  /** Counts a payment that the chain reports after its reservation expired or was released. */
  async function spendLate(purchase: Purchase, reservation: Reservation): Promise<Purchase> {
    const { invoiceId, agentId } = purchase
    const lateId = await holdLate(purchase, reservation).catch((error) => {
      if (!hasReason(error, 'budget_exceeded', 'invalid_request')) throw error
      log.warn({ err: error, invoiceId, agentId }, 'a late payment does not fit into its budget')
      return null
    })
    if (lateId === null) return purchase
    const late = { ...reservation, id: lateId }
    // Recorded before it is spent, so that another attempt does not count it again. If another
    // attempt has taken over, that one counts the payment.
    const noted = await execute(sql, purchase, { kind: 'reserve', reservation: late })
    return noted ? spend(noted) : purchase
  }

  /** Reserves the same amount again, once per reservation. */
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

/** Makes something for a purchase once per `key`; the same key with another subject is refused. */
export function oncePerKey(key: string, subject: string): Idempotency {
  return {
    route: 'x402 purchase',
    key,
    requestHash: createHash('sha256').update(subject).digest(),
  }
}
