import { DomainError } from './error.ts'

/** A repeat has the same `route` and `key`; the hash shows whether it asks for the same. */
export type Idempotency = {
  readonly route: string
  readonly key: string
  readonly requestHash: Uint8Array
}

/** What the first request made, as JSON text; null: read the row of the subject. */
export type FirstUse = {
  readonly requestHash: Uint8Array
  readonly subjectId: string
  readonly made: string | null
}

/** `made` is empty where the row of the subject is to be read. */
export type Replay = {
  readonly kind: 'replayed'
  readonly subjectId: string
  readonly made: string
}

/** Errors: `idempotency_key_reused` if the first request had another body. */
export function replay(first: FirstUse, idempotency: Idempotency | null): Replay {
  if (!idempotency || !Buffer.from(first.requestHash).equals(idempotency.requestHash)) {
    throw new DomainError(
      'idempotency_key_reused',
      'This Idempotency-Key was used for a request with another body',
    )
  }
  return { kind: 'replayed', subjectId: first.subjectId, made: first.made ?? '' }
}
