import { DomainError } from '../domain/error.ts'
import type { FirstAnswer } from '../storage/idempotency.ts'

/** A creation that may be repeated: the same key and hash get the first answer again. */
export type Idempotency = {
  readonly route: string
  readonly key: string
  readonly requestHash: Uint8Array
  readonly status: number
  /** The whole answer around the JSON of what was created. */
  readonly wrap: (json: string) => string
}

export type Replay = { readonly kind: 'replayed'; readonly status: number; readonly body: string }

/**
 * Runs a creation whose own statement stores the idempotency key. While one with this key is running, a second is refused with
 * `idempotency_in_progress`. Where `run` fails and the key was answered before, that first answer is given again.
 */
export type Once = <Outcome>(
  accountId: string,
  idempotency: Idempotency | null,
  run: () => Promise<Outcome>,
) => Promise<Outcome | Replay>

export function createOnce(store: {
  /** What was answered when an idempotency key was first used, or null. */
  firstAnswer(accountId: string, route: string, key: string): Promise<FirstAnswer | null>
}): Once {
  const running = new Set<string>()
  return async (accountId, idempotency, run) => {
    if (!idempotency) return run()
    const { route, key } = idempotency
    const name = `${accountId} ${route} ${key}`
    if (running.has(name)) throw inProgress()
    running.add(name)
    try {
      return await run()
    } catch (error) {
      // Nobody can be asked for the first answer either.
      if (error instanceof DomainError && error.reason === 'unavailable') throw error
      // What was right the first time (a due date, a rate, a wallet) may be refused now; the first answer stands.
      const first = await store.firstAnswer(accountId, route, key)
      if (first) return replay(first, idempotency)
      throw error
    } finally {
      running.delete(name)
    }
  }
}

/** The first answer again. Errors: `idempotency_key_reused` when the request was another one. */
export function replay(first: FirstAnswer, idempotency: Idempotency | null): Replay {
  if (!idempotency || !Buffer.from(first.requestHash).equals(idempotency.requestHash)) {
    throw new DomainError(
      'idempotency_key_reused',
      'This Idempotency-Key was used for a request with another body',
    )
  }
  return { kind: 'replayed', status: first.status, body: first.body }
}

function inProgress(): DomainError {
  return new DomainError(
    'idempotency_in_progress',
    'A request with this Idempotency-Key is still running',
    { retryAfterSeconds: 1 },
  )
}
