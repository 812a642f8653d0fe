import {
  type Answer,
  type Outcome,
  outcomeOf,
  saysTaken,
  txHashAfter,
} from '../../domain/purchases/attempt.ts'
import type { Delivery } from '../../domain/purchases/delivery.ts'
import type { Purchase } from '../../domain/purchases/purchase.ts'
import type { Sql } from '../../storage/postgres/db.ts'
import { commitDelivery, load } from '../../storage/purchases/purchases.ts'
import { changeBy } from './execute.ts'
import { isTakenOnChain, type PurchaseReaders } from './lookup.ts'
import type { Outcomes } from './outcomes.ts'
import type { Prepared } from './prepared.ts'

type Parts = {
  readonly sql: Sql
  readonly outcomes: Outcomes
  readonly readers: PurchaseReaders
  readonly log: { warn(line: object, message: string): void }
}

/** Each failed try has lost against another change, or has met an attempt under way. */
const mostTries = 40
const tryAgainMs = 50

export function createAnswers({ sql, outcomes, readers, log }: Parts) {
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
      else {
        const suspend = { kind: 'suspend', txHash, isAnswered: true } as const
        await outcomes.end(purchase, suspend, outcome === 'failed')
      }
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
        isRefused ? { kind: 'refuse' } : { kind: 'suspend', txHash, isAnswered: false },
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

  /** What was handed over of the answer to a payment. Never rejects. */
  function delivered({ purchase, isRepeat }: Prepared, delivery: Delivery): Promise<void> {
    const { invoiceId, payment, delivering } = purchase
    const attempt = isRepeat ? null : delivering
    const command = { kind: 'deliver', key: payment?.key ?? '', attempt, delivery } as const
    const note = async () => {
      for (let tries = 1; tries <= mostTries; tries++) {
        const now = await load(sql, invoiceId)
        const change = now && changeBy(now, command)
        if (change ? await commitDelivery(sql, change) : now?.state !== 'forwarding') return
        await Bun.sleep(tryAgainMs)
      }
      throw new Error('others have changed the purchase meanwhile')
    }
    return recorded(purchase, note, 'the delivery of a purchase was not recorded')
  }

  async function recorded(
    { invoiceId }: Purchase,
    record: () => Promise<unknown>,
    failure = 'the outcome of a purchase was not recorded',
  ): Promise<void> {
    await Promise.try(record).catch((err) => log.warn({ err, invoiceId }, failure))
  }

  return { answered, unanswered, repeated, delivered }
}
