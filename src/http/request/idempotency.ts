import { createHash } from 'node:crypto'
import { invalidField } from '../../domain/error.ts'
import type { Idempotency } from '../../domain/idempotency.ts'
import type { Answer, Call } from '../operation.ts'

/** Null without an `Idempotency-Key`. Errors: as of `keyIn`. */
export function idempotencyOf({ request, bytes }: Call, route: string): Idempotency | null {
  const key = keyIn(request.headers)
  return key === null
    ? null
    : { route, key, requestHash: createHash('sha256').update(bytes).digest() }
}

/** The `Idempotency-Key`; null: none. Errors: `invalid_request` for an empty or too long one. */
export function keyIn(headers: Headers): string | null {
  const key = headers.get('idempotency-key')
  if (key !== null && (key.length < 1 || key.length > 255))
    throw invalidField('Idempotency-Key', 'must have 1 to 255 characters')
  return key
}

/** The answer to a repeated request. */
export function replayed(body: string, status = 201): Answer {
  return { status, body, headers: { 'idempotent-replayed': 'true' } }
}
