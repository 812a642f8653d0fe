import type { Command } from '../../domain/purchases/decide.ts'
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

/** The outcomes of payments, with their effects on budgets and invoices. */
export function createOutcomes({ sql, budget, credits }: Parts) {
  /**
   * The payment was taken: its amount is spent, and the invoice is paid as soon as the transaction
   * is known (`txHash` null: not yet). Null where the purchase has changed meanwhile.
   */
  async function accept(purchase: Purchase, txHash: string | null): Promise<Purchase | null> {
    const counted = purchase.state === 'paid' ? purchase : await count(purchase, txHash)
    const isKnown = counted.state === 'paid' && counted.txHash === txHash
    const accepted = isKnown ? counted : await execute(sql, counted, { kind: 'accept', txHash })
    // If the purchase has changed, its newer state names the transaction.
    if (accepted && txHash !== null) await creditBy(accepted, txHash)
    return accepted
  }

  async function count(purchase: Purchase, txHash: string | null): Promise<Purchase> {
    const isSought = authorizationOf(purchase) !== null || messageOf(purchase) !== null
    if (txHash === null || txHash === purchase.txHash || isSought) return budget.spend(purchase)
    // Recorded first: if this process dies, nothing else leads to the payment.
    const named = await execute(sql, purchase, { kind: 'name', txHash })
    return budget.spend(named ?? purchase)
  }

  /** The upstream names the transaction of an accepted payment; a known one stays. */
  async function name(purchase: Purchase, txHash: string): Promise<void> {
    if (await execute(sql, purchase, { kind: 'name', txHash })) await creditBy(purchase, txHash)
  }

  async function end(
    purchase: Purchase,
    command: Extract<Command, { kind: 'refuse' | 'suspend' }>,
    isReleased: boolean,
  ): Promise<void> {
    if (isReleased) await budget.release(purchase)
    await execute(sql, purchase, command)
  }

  async function creditBy(purchase: Purchase, txHash: string): Promise<void> {
    await credits.creditBy(purchase, txHash)
    // An `expire` in between may not have seen the credit.
    const now = await load(sql, purchase.invoiceId)
    if (now?.txHash !== txHash) await credits.revert(purchase, txHash)
  }

  /** Reverts unconfirmed credits, unless the purchase has changed since it was read. */
  async function discredit(purchase: Purchase): Promise<void> {
    // Read first: a transaction that is named later has a key that is not among these.
    const keys = await credits.unconfirmedOf(purchase)
    if (keys.length === 0) return
    const now = await load(sql, purchase.invoiceId)
    if (now?.version === purchase.version) await credits.revertAll(purchase, keys)
  }

  /** The named transaction did not take the payment; another one may yet take it. */
  async function forgetTransaction(purchase: Purchase): Promise<void> {
    // First: the hash is gone afterwards.
    if (purchase.txHash !== null) await credits.revert(purchase, purchase.txHash)
    await execute(sql, purchase, { kind: 'forget' })
  }

  /** The payment can no longer be taken, or was never made. */
  async function expire(purchase: Purchase): Promise<void> {
    // First: nothing looks at the purchase once it has expired.
    await credits.revertAll(purchase, await credits.unconfirmedOf(purchase))
    await budget.release(purchase)
    const expired = await execute(sql, purchase, { kind: 'expire' })
    // An `accept` in between may have credited it.
    if (expired && purchase.txHash !== null) await credits.revert(purchase, purchase.txHash)
  }

  return { accept, name, end, discredit, forgetTransaction, expire }
}
