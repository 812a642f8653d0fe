import { createHash } from 'node:crypto'
import type { Idempotency, Replay } from '../../actors/once.ts'
import { invalidField } from '../../domain/error.ts'
import type { Answer, Call } from '../operation.ts'

/**
 * The idempotency of this POST; null when it carries no `Idempotency-Key`. `wrap` writes the answer
 * around the JSON text of what was created. Errors: `invalid_request` for a key that is not 1 to
 * 255 characters.
 */
export function idempotencyOf(
  { request, bytes }: Call,
  route: string,
  wrap: (json: string) => string,
  status = 201,
): Idempotency | null {
  const key = request.headers.get('idempotency-key')
  if (key === null) return null
  if (key.length < 1 || key.length > 255)
    throw invalidField('Idempotency-Key', 'must have 1 to 255 characters')
  return { route, key, requestHash: createHash('sha256').update(bytes).digest(), status, wrap }
}

/** Replays the first answer to the same request. */
export function replayed({ status, body }: Replay): Answer {
  return { status, body, headers: { 'idempotent-replayed': 'true' } }
}
