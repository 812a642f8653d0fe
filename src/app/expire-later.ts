import type { Payloads, Queues } from '../queues/queues.ts'
import { now } from './clock.ts'

const longestExpiryMs = 86_400_000

/** Schedules the expiry of the invoice or mandate `id`, `graceMs` after `expiresAt` (ISO 8601). */
export function expireLater(
  queues: Queues,
  id: string,
  expiresAt: string,
  payload: Payloads['expiry'],
  graceMs = 0,
): void {
  const delayMs = Date.parse(expiresAt) - now().getTime() + graceMs
  // What is due later is left to the sweep: a job that sleeps for months only risks being lost.
  if (delayMs > longestExpiryMs) return
  void queues.add('expiry', payload, { jobId: `expiry-${id}`, delayMs })
}
