import type { Invoices } from '../actors/invoices.ts'
import type { Payloads, Queues } from '../queues/queues.ts'
import { now } from './clock.ts'

/** What happens once transfers have settled these invoices: nobody keeps what they were before, and their work begins. */
export function afterSettling({ invoices, queues }: { invoices: Invoices; queues: Queues }) {
  return (invoiceIds: readonly string[]) => {
    invoices.forget(invoiceIds)
    queues.wake('outbox')
    queues.wake('anchor')
  }
}

const longestExpiryMs = 86_400_000

/** Has the invoice or mandate `id` expire at `expiresAt` (ISO 8601). */
export function expireLater(
  queues: Queues,
  id: string,
  expiresAt: string,
  payload: Payloads['expiry'],
): void {
  const delayMs = Date.parse(expiresAt) - now().getTime()
  // What is due later is the sweep's: a job that sleeps for months is only something to lose.
  if (delayMs > longestExpiryMs) return
  void queues.add('expiry', payload, { jobId: `expiry-${id}`, delayMs })
}
