import { DomainError, hasReason } from '../domain/error.ts'
import type { FirstAnswer } from '../storage/postgres/idempotency.ts'

/**
 * An idempotent creation: a repeat with the same key and request hash gets the first answer again.
 */
export type Idempotency = {
  readonly route: string
  readonly key: string
  readonly requestHash: Uint8Array
  readonly status: number
  /** Builds the whole answer around the JSON of what was created. */
  readonly wrap: (json: string) => string
}

export type Replay = { readonly kind: 'replayed'; readonly status: number; readonly body: string }

export type Once = ReturnType<typeof createOnce>

/**
 * Runs creations whose own statement stores the idempotency key. While one with a key is running in
 * this process, a second is refused with `idempotency_in_progress`. If a creation fails and its key
 * was already answered, that first answer is returned.
 */
export function createOnce(store: {
  /** The answer stored when an idempotency key was first used, or null. */
  firstAnswer(accountId: string, route: string, key: string): Promise<FirstAnswer | null>
}) {
  const running = new Set<string>()

  async function answered(accountId: string, idempotency: Idempotency | null) {
    const first =
      idempotency && (await store.firstAnswer(accountId, idempotency.route, idempotency.key))
    return first && replay(first, idempotency)
  }

  /** For a creation whose statement itself answers a repeated key, or is refused alone for it. */
  async function run<Outcome>(
    accountId: string,
    idempotency: Idempotency | null,
    create: () => Promise<Outcome>,
  ): Promise<Outcome | Replay> {
    if (!idempotency) return create()
    const name = `${accountId} ${idempotency.route} ${idempotency.key}`
    if (running.has(name)) throw inProgress()
    running.add(name)
    try {
      return await create()
    } catch (error) {
      // The database is away, so the first answer cannot be looked up either.
      if (hasReason(error, 'unavailable')) throw error
      // What was valid the first time (a due date, a rate, a wallet) may be refused now; the first
      // answer stands.
      const first = await answered(accountId, idempotency)
      if (first) return first
      throw error
    } finally {
      running.delete(name)
    }
  }

  /**
   * Looks for the first answer beforehand: for a creation where a repeated key would fail a whole
   * batch, or where the work before the statement is costly.
   */
  function unlessAnswered<Outcome>(
    accountId: string,
    idempotency: Idempotency | null,
    create: () => Promise<Outcome>,
  ): Promise<Outcome | Replay> {
    return run(
      accountId,
      idempotency,
      async () => (await answered(accountId, idempotency)) ?? (await create()),
    )
  }

  return { run, unlessAnswered }
}

/**
 * Replays the first answer. Errors: `idempotency_key_reused` if the request was a different one.
 */
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
