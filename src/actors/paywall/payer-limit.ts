import { DomainError } from '../../domain/error.ts'
import { keepNewest } from '../../scheduling/cache.ts'
import { createConcurrencyLimit, type Release } from '../../scheduling/limiter.ts'
import type { PaymentName } from '../../storage/x402/payments.ts'

type Payer = Pick<PaymentName, 'network' | 'payer'>
type History = { readonly maxAtOnce: number; readonly failedAtMs: number }
type UnderWay = { tries: number; readonly hasWaited: boolean; readonly started: Promise<Release> }

const unknown: History = { maxAtOnce: 1, failedAtMs: Number.NEGATIVE_INFINITY }
const mostTrusted = 8
const keptPayers = 10_000
const refusedForMs = 600_000
const maxWaitMs = 30_000

export type PayerLimit = ReturnType<typeof createPayerLimit>

/**
 * Bounds the fees that a payer can make the service spend on payments that fail on chain, such as
 * those for more than the payer's balance.
 */
export function createPayerLimit({ steadyMs }: { steadyMs(): number }) {
  const histories = new Map<string, History>()
  const underWay = new Map<string, UnderWay>()
  const limit = createConcurrencyLimit({
    perKey: (payer) => (histories.get(payer) ?? unknown).maxAtOnce,
    maxWaitMs,
    refusal: busy,
  })

  /**
   * Runs `settle` once the payer has room: for one payment at a time, and one more for each that
   * was settled. Another try at a payment under way runs at once. Errors: `unavailable` after 30 s.
   */
  async function run<Result>(
    payment: PaymentName,
    settle: (hasWaited: boolean) => Promise<Result>,
  ): Promise<Result> {
    const payer = nameOf(payment)
    const current = underWay.get(payment.key) ?? {
      tries: 0,
      hasWaited: !limit.hasRoom(payer),
      started: limit.acquire(payer),
    }
    underWay.set(payment.key, current)
    current.tries++
    try {
      await current.started
      return await settle(current.hasWaited)
    } finally {
      current.tries--
      if (current.tries === 0) {
        underWay.delete(payment.key)
        void current.started.then(
          (release) => release(),
          () => {},
        )
      }
    }
  }

  function note(payer: Payer, history: History): void {
    keepNewest(histories, nameOf(payer), history, keptPayers)
  }

  function historyOf(payer: Payer): History {
    return histories.get(nameOf(payer)) ?? unknown
  }

  return {
    run,
    /** Whether a payment has failed on chain within the last ten minutes. */
    hasFailed: (payer: Payer): boolean => steadyMs() < historyOf(payer).failedAtMs + refusedForMs,
    /** Clears earlier failures. */
    noteSettled(payer: Payer): void {
      const maxAtOnce = Math.min(historyOf(payer).maxAtOnce + 1, mostTrusted)
      note(payer, { ...unknown, maxAtOnce })
    },
    noteFailed(payer: Payer): void {
      note(payer, { ...unknown, failedAtMs: steadyMs() })
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
