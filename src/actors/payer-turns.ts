import { DomainError } from '../domain/error.ts'
import { keepNewest } from '../scheduling/bounded.ts'
import { createCounts } from '../scheduling/counts.ts'
import type { PaymentName } from '../storage/x402/payments.ts'

/**
 * Bounds what a payer can have the service spend on fees for payments that fail on chain: nobody
 * else knows beforehand that he has signed more than he has, or will take his money away first, or
 * that his wallet is a contract which agrees only while it is asked.
 */
export type PayerTurns = {
  /**
   * Runs `settle` as soon as fewer payments of this payer are under way than he is trusted with:
   * one, and one more for each that was settled. It is told whether it has waited. Another try at a
   * payment under way is run at once. Errors: `unavailable` where that takes too long.
   */
  take<Result>(
    payment: PaymentName,
    settle: (hasWaited: boolean) => Promise<Result>,
  ): Promise<Result>
  /** Whether a payment of this payer has failed on chain within the last ten minutes. */
  hasFailed(payer: Payer): boolean
  /** Notes that a payment of this payer has arrived. What has failed before counts no more. */
  noteSettled(payer: Payer): void
  /** Notes that a payment of this payer has failed on chain. */
  noteFailed(payer: Payer): void
}

type Payer = Pick<PaymentName, 'network' | 'payer'>
type Standing = { readonly mostAtOnce: number; readonly failedAtMs: number }

const stranger: Standing = { mostAtOnce: 1, failedAtMs: Number.NEGATIVE_INFINITY }
const mostTrusted = 8
const keptPayers = 10_000
const refusedForMs = 600_000
const patienceMs = 30_000
const lookEveryMs = 25

export function createPayerTurns({ steadyMs }: { steadyMs(): number }): PayerTurns {
  const standings = new Map<string, Standing>()
  /** The payments under way, by payer, and the tries at each, by its key. */
  const payments = createCounts()
  const tries = createCounts()

  function standingOf(payer: Payer): Standing {
    return standings.get(nameOf(payer)) ?? stranger
  }

  function isFull(payment: PaymentName): boolean {
    const isUnderWay = tries.of(payment.key) > 0
    return !isUnderWay && payments.of(nameOf(payment)) >= standingOf(payment).mostAtOnce
  }

  function count(payment: PaymentName, change: 1 | -1): void {
    const before = tries.of(payment.key)
    tries.add(payment.key, change)
    if (before === 0 || before + change === 0) payments.add(nameOf(payment), change)
  }

  function note(payer: Payer, standing: Standing): void {
    keepNewest(standings, nameOf(payer), standing, keptPayers)
  }

  return {
    async take(payment, settle) {
      const giveUpAt = steadyMs() + patienceMs
      const hasToWait = isFull(payment)
      while (isFull(payment)) {
        if (steadyMs() > giveUpAt) throw busy()
        await Bun.sleep(lookEveryMs)
      }
      count(payment, 1)
      try {
        return await settle(hasToWait)
      } finally {
        count(payment, -1)
      }
    },
    hasFailed: (payer) => steadyMs() < standingOf(payer).failedAtMs + refusedForMs,
    noteSettled(payer) {
      const mostAtOnce = Math.min(standingOf(payer).mostAtOnce + 1, mostTrusted)
      note(payer, { ...stranger, mostAtOnce })
    },
    noteFailed(payer) {
      note(payer, { ...stranger, failedAtMs: steadyMs() })
    },
  }
}

function nameOf({ network, payer }: Payer): string {
  return `${network}:${payer}`
}

function busy(): DomainError {
  const message = 'Other payments of this payer are being settled; send it again shortly'
  return new DomainError('unavailable', message, { retryAfterSeconds: 5 })
}
