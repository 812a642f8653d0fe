import { createHash } from 'node:crypto'
import type { Idempotency } from '../domain/idempotency.ts'

/**
 * Makes something for a purchase only once per `key`, such as its invoice; `subject` is what it is
 * made for, and the same key with another subject is refused.
 */
export function oncePerKey(key: string, subject: string): Idempotency {
  return {
    route: 'x402 purchase',
    key,
    requestHash: createHash('sha256').update(subject).digest(),
  }
}
