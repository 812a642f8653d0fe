import { authorizationOf, messageOf } from '../../domain/purchases/evidence.ts'
import type { Purchase } from '../../domain/purchases/purchase.ts'
import type { Sql } from '../../storage/postgres/db.ts'
import { load } from '../../storage/purchases/purchases.ts'
import type { createPurchaseBudgets } from './budgets.ts'
import type { createPurchaseCredits } from './credits.ts'
import { execute } from './execute.ts'

export type Outcomes = ReturnType<typeof createOutcomes>

type Parts = {
  readonly sql: Sql
  readonly budget: ReturnType<typeof createPurchaseBudgets>
  readonly credits: ReturnType<typeof createPurchaseCredits>
}

/** What becomes of payments, with the budgets and invoices that follow from it. */
export function createOutcomes({ sql, budget, credits }: Parts) {
  /**
   * The payment was taken: its amount is spent from the budget, and the invoice is paid as soon as
   * the transaction is known. `txHash` null: the chain will tell it. Returns the purchase as
   * accepted; null where it has changed meanwhile.
   */
  async function accept(purchase: Purchase, txHash: string | null): Promise<Purchase | null> {
    const counted = purchase.state === 'paid' ? purchase : await count(purchase, txHash)
    const isKnown = counted.state === 'paid' && counted.txHash === txHash
    const accepted = isKnown ? counted : await execute(sql, counted, { kind: 'accept', txHash })
    // If the purchase has changed meanwhile, its newer state knows better what paid the invoice.
    if (accepted && txHash !== null) await creditBy(accepted, txHash)
    return accepted
  }

  /** Spends the amount from the budget. */
  async function count(purchase: Purchase, txHash: string | null): Promise<Purchase> {
    const isSought = authorizationOf(purchase) !== null || messageOf(purchase) !== null
    if (txHash === null || txHash === purchase.txHash || isSought) return budget.spend(purchase)
    // Recorded first, as nothing else may lead to the payment, should this process die.
    const named = await execute(sql, purchase, { kind: 'name', txHash })
    return budget.spend(named ?? purchase)
  }

  /** The upstream names the transaction of an accepted payment. One that is known already stays. */
  async function name(purchase: Purchase, txHash: string): Promise<void> {
    if (await execute(sql, purchase, { kind: 'name', txHash })) await creditBy(purchase, txHash)
  }

  /** Ends an attempt, and releases the budget it has held where the payment was not taken. */
  async function end(
    purchase: Purchase,
    command: { kind: 'refuse' } | { kind: 'suspend'; txHash: string | null },
    isReleased: boolean,
  ): Promise<void> {
    if (isReleased) await budget.release(purchase)
    await execute(sql, purchase, command)
  }

  /** Credits the invoice by a transaction that has just been named. */
  async function creditBy(purchase: Purchase, txHash: string): Promise<void> {
    await credits.creditBy(purchase, txHash)
    // Whoever gave the payment up meanwhile may not have seen that it was credited.
    const now = await load(sql, purchase.invoiceId)
    if (now?.txHash !== txHash) await credits.revert(purchase, txHash)
  }

  /**
   * Credits the invoice no longer by what was named for the payment and did not pay. Nothing is
   * done where the purchase has changed since it was read: another transaction may be named by now.
   */
  async function discredit(purchase: Purchase): Promise<void> {
    // In this order: what is named from then on is credited under a key that is not among these.
    const keys = await credits.unconfirmedOf(purchase)
    if (keys.length === 0) return
    const now = await load(sql, purchase.invoiceId)
    if (now?.version === purchase.version) await credits.revertAll(purchase, keys)
  }

  /**
   * The transaction that was named for the payment did not take it: nothing is credited by it any
   * more, but another one may yet take the payment.
   */
  async function forgetTransaction(purchase: Purchase): Promise<void> {
    // First, since afterwards nothing tells what it was.
    if (purchase.txHash !== null) await credits.revert(purchase, purchase.txHash)
    await execute(sql, purchase, { kind: 'forget' })
  }

  /**
   * The payment can no longer be taken, or was never made: as if it had not been forwarded. Under a
   * mandate, its invoice is given up.
   */
  async function expire(purchase: Purchase): Promise<void> {
    // Done before the purchase is marked as final, since nothing looks at it afterwards.
    await credits.revertAll(purchase, await credits.unconfirmedOf(purchase))
    await budget.release(purchase)
    const expired = await execute(sql, purchase, { kind: 'expire' })
    // Whoever accepted it may have credited it in between.
    if (expired && purchase.txHash !== null) await credits.revert(purchase, purchase.txHash)
  }

  return { accept, name, end, discredit, forgetTransaction, expire }
}
