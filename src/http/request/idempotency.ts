import { createHash } from 'node:crypto'
import { invalidField } from '../../domain/error.ts'
import type { Idempotency } from '../../domain/idempotency.ts'
import type { Answer, Call } from '../operation.ts'

/** Null without an `Idempotency-Key`. Errors: `invalid_request` for an empty or too long one. */
export function idempotencyOf({ request, bytes }: Call, route: string): Idempotency | null {
  const key = request.headers.get('idempotency-key')
  if (key === null) return null
  if (key.length < 1 || key.length > 255)
    throw invalidField('Idempotency-Key', 'must have 1 to 255 characters')
  return { route, key, requestHash: createHash('sha256').update(bytes).digest() }
}

/** The answer to a repeated request. */
export function replayed(body: string, status = 201): Answer {
  return { status, body, headers: { 'idempotent-replayed': 'true' } }
}
