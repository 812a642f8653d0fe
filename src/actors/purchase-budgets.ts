import { hasReason } from '../domain/error.ts'
import type { Fx } from '../domain/invoices/request.ts'
import { costMinor } from '../domain/purchases/purchase.ts'
import type { Purchase, Reservation } from '../storage/purchases/purchases.ts'
import type { Budgets } from './budgets.ts'
import { oncePerKey } from './purchase-idempotency.ts'

/** The parts of agents' budgets that are held for purchases, and spent once they are paid. */
export type PurchaseBudgets = {
  /** Whether an earlier attempt with this payment has spent its amount; a mere hold is released. */
  isCounted(purchase: Purchase): Promise<boolean>
  /**
   * Holds the amount of a purchase, where its agent has a budget; null when the purchase has
   * changed meanwhile. Errors: `budget_exceeded`.
   */
  hold(purchase: Purchase, agentId: string): Promise<Purchase | null>
  /** Releases what is held; false if it has already been spent. */
  release(purchase: Purchase): Promise<boolean>
  /** Spends what is held; what is held no more is counted as far as the budget has room. */
  spend(purchase: Purchase): Promise<void>
}

type Options = {
  readonly budgets: Pick<Budgets, 'get' | 'reserve' | 'commit' | 'release'>
  readonly store: { noteReservation(purchase: Purchase, held: Reservation): Promise<boolean> }
  readonly fx: Fx
  readonly log: { warn(line: object, message: string): void }
}

/** Every step may be repeated. */
export function createPurchaseBudgets({ budgets, store, fx, log }: Options): PurchaseBudgets {
  return { isCounted, hold, release, spend }

  async function isCounted(purchase: Purchase): Promise<boolean> {
    return purchase.reservation !== null && !(await release(purchase))
  }

  async function hold(purchase: Purchase, agentId: string): Promise<Purchase | null> {
    const reservation = await reserve(purchase, agentId).catch((error) => {
      if (!hasReason(error, 'invalid_request')) throw error
      // The budget may have been given another currency since that was read.
      return reserve(purchase, agentId)
    })
    if (!reservation) return purchase
    return (await store.noteReservation(purchase, reservation))
      ? { ...purchase, reservation }
      : null
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

  async function spend(purchase: Purchase): Promise<void> {
    const { accountId, reservation } = purchase
    if (!reservation) return
    try {
      await budgets.commit(accountId, reservation.id)
    } catch (error) {
      if (!hasReason(error, 'invalid_state', 'not_found')) throw error
      await spendLate(purchase, reservation)
    }
  }

  /**
   * The reservation expired or was released before the chain reported the payment: the payment is
   * still counted, as far as the budget has room.
   */
  async function spendLate(purchase: Purchase, reservation: Reservation): Promise<void> {
    const { invoiceId, agentId } = purchase
    const lateId = await holdLate(purchase, reservation).catch((error) => {
      if (!hasReason(error, 'budget_exceeded', 'invalid_request')) throw error
      log.warn({ err: error, invoiceId, agentId }, 'a late payment does not fit into its budget')
      return null
    })
    if (lateId === null) return
    const late = { ...reservation, id: lateId }
    // Noted before it is spent, so that another attempt with this payment knows that it is counted.
    // An attempt that has taken over meanwhile counts the payment itself.
    if (await store.noteReservation(purchase, late)) await spend({ ...purchase, reservation: late })
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
}
