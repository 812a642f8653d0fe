import {
  type Answer,
  type Outcome,
  outcomeOf,
  saysTaken,
  txHashAfter,
} from '../../domain/purchases/attempt.ts'
import type { Purchase } from '../../domain/purchases/purchase.ts'
import { isTakenOnChain, type PurchaseReaders } from './lookup.ts'
import type { Outcomes } from './outcomes.ts'
import type { Prepared } from './prepared.ts'

type Parts = {
  readonly outcomes: Outcomes
  readonly readers: PurchaseReaders
  readonly log: { warn(line: object, message: string): void }
}

export function createAnswers({ outcomes, readers, log }: Parts) {
  /**
   * The upstream has answered an attempt. If its meaning cannot be recorded, the caller gets the
   * answer all the same, and a minute later the chain is asked.
   */
  async function answered({ purchase, isInDoubt }: Prepared, answer: Answer): Promise<Outcome> {
    const isTaken = saysTaken(answer) ?? (await isTakenOnChain(readers, purchase))
    const outcome = outcomeOf(answer, { isTaken, isInDoubt })
    const txHash = txHashAfter(outcome, purchase, answer)
    await recorded(purchase, async () => {
      if (outcome === 'taken') await outcomes.accept(purchase, txHash)
      else await outcomes.end(purchase, { kind: 'suspend', txHash }, outcome === 'failed')
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
      outcomes.end(
        purchase,
        isRefused ? { kind: 'refuse' } : { kind: 'suspend', txHash },
        isRefused,
      ),
    )
    return isRefused ? 'not_taken' : 'pending'
  }

  /** The upstream has answered a payment that was accepted before, perhaps with its transaction. */
  async function repeated(purchase: Purchase, { success, txHash }: Answer): Promise<void> {
    // A failed transaction is a second try, not what was accepted.
    if (txHash === null || success === false) return
    await recorded(purchase, () => outcomes.name(purchase, txHash))
  }

  async function recorded({ invoiceId }: Purchase, record: () => Promise<unknown>): Promise<void> {
    await Promise.try(record).catch((err) =>
      log.warn({ err, invoiceId }, 'the outcome of a purchase was not recorded'),
    )
  }

  return { answered, unanswered, repeated }
}
