import { DomainError } from './error.ts'

/**
 * Identifies a request that may be sent again. A repeat has the same `route` and `key`;
 * `requestHash` tells whether it asks for the same.
 */
export type Idempotency = {
  readonly route: string
  readonly key: string
  readonly requestHash: Uint8Array
}

/** What the first request with a key made; `made` is JSON text, null if its row tells it. */
export type FirstUse = {
  readonly requestHash: Uint8Array
  readonly subjectId: string
  readonly made: string | null
}

/** The outcome of a repeated request; `made` is empty where the row of what was made tells it. */
export type Replay = {
  readonly kind: 'replayed'
  readonly subjectId: string
  readonly made: string
}

/** Replays a first use. Errors: `idempotency_key_reused` if its request was a different one. */
export function replay(first: FirstUse, idempotency: Idempotency | null): Replay {
  if (!idempotency || !Buffer.from(first.requestHash).equals(idempotency.requestHash)) {
    throw new DomainError(
      'idempotency_key_reused',
      'This Idempotency-Key was used for a request with another body',
    )
  }
  return { kind: 'replayed', subjectId: first.subjectId, made: first.made ?? '' }
}
