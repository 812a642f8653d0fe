import {
  type Answer,
  type Outcome,
  outcomeOf,
  saysTaken,
  txHashAfter,
} from '../../domain/purchases/attempt.ts'
import { authorizationOf, messageOf } from '../../domain/purchases/evidence.ts'
import type { Purchase } from '../../domain/purchases/purchase.ts'
import type { Sql } from '../../storage/postgres/db.ts'
import { load } from '../../storage/purchases/purchases.ts'
import type { createPurchaseBudgets } from './budgets.ts'
import type { createPurchaseCredits } from './credits.ts'
import { execute } from './execute.ts'
import { isTakenOnChain, type PurchaseReaders } from './lookup.ts'
import type { Prepared } from './preparing.ts'

type Parts = {
  readonly sql: Sql
  readonly budget: ReturnType<typeof createPurchaseBudgets>
  readonly credits: ReturnType<typeof createPurchaseCredits>
  readonly readers: PurchaseReaders
  readonly log: { warn(line: object, message: string): void }
}

/** What becomes of payments that are forwarded: as upstreams tell, and as the chain shows. */
export function createOutcomes({ sql, budget, credits, readers, log }: Parts) {
  /**
   * The upstream has answered an attempt with its payment. What the answer means is recorded as far
   * as it can be: the answer goes on in any case, and a minute later the chain is asked instead.
   */
  async function answered({ purchase, isInDoubt }: Prepared, answer: Answer): Promise<Outcome> {
    const isTaken = saysTaken(answer) ?? (await isTakenOnChain(readers, purchase))
    const outcome = outcomeOf(answer, { isTaken, isInDoubt })
    const txHash = txHashAfter(outcome, purchase, answer)
    await recorded(purchase, async () => {
      if (outcome === 'taken') await accept(purchase, txHash)
      else await end(purchase, { kind: 'suspend', txHash }, outcome === 'failed')
    })
    return outcome
  }

  /** The upstream has not answered; `isUnsent`: the payment has certainly not reached it. */
  async function unanswered(
    { purchase, isInDoubt }: Prepared,
    isUnsent: boolean,
  ): Promise<'not_taken' | 'pending'> {
    const isRefused = isUnsent && !isInDoubt
    const { txHash } = purchase
    await recorded(purchase, () =>
      end(purchase, isRefused ? { kind: 'refuse' } : { kind: 'suspend', txHash }, isRefused),
    )
    return isRefused ? 'not_taken' : 'pending'
  }

  /**
   * The upstream has answered a payment that was accepted before, perhaps naming its transaction
   * only now. Where the chain has shown one meanwhile, that stays.
   */
  async function repeated(purchase: Purchase, { success, txHash }: Answer): Promise<void> {
    // One that failed is a second try at the payment, and not what was accepted.
    if (txHash === null || success === false) return
    await recorded(purchase, async () => {
      if (await execute(sql, purchase, { kind: 'name', txHash })) await creditBy(purchase, txHash)
    })
  }

  async function recorded({ invoiceId }: Purchase, record: () => Promise<unknown>): Promise<void> {
    await Promise.try(record).catch((err) =>
      log.warn({ err, invoiceId }, 'the outcome of a purchase was not recorded'),
    )
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

  return { answered, unanswered, repeated, accept, discredit, forgetTransaction, expire }
}
