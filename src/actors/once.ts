import { DomainError, hasReason } from '../domain/error.ts'
import { type Idempotency, type Replay, replay } from '../domain/idempotency.ts'
import type { Sql } from '../storage/postgres/db.ts'
import { firstUse } from '../storage/postgres/idempotency.ts'

export type Once = ReturnType<typeof createOnce>

/**
 * Runs creations whose own statement stores the idempotency key. A second one with the same key is
 * refused as `idempotency_in_progress` while the first runs in this process, and has stored nothing
 * yet. A creation that fails although its key was used before is a replay.
 */
export function createOnce(sql: Sql) {
  const running = new Set<string>()

  async function usedBefore(accountId: string, idempotency: Idempotency | null) {
    const first = idempotency && (await firstUse(sql, accountId, idempotency))
    return first && replay(first, idempotency)
  }

  /** For a creation whose own statement notices a used key, and fails alone. */
  async function run<Outcome>(
    accountId: string,
    idempotency: Idempotency | null,
    create: () => Promise<Outcome>,
  ): Promise<Outcome | Replay> {
    if (!idempotency) return create()
    const name = `${accountId} ${idempotency.route} ${idempotency.key}`
    if (running.has(name)) {
      // What runs may itself be a replay of a request that has finished.
      const first = await usedBefore(accountId, idempotency)
      if (first) return first
      throw inProgress()
    }
    running.add(name)
    try {
      return await create()
    } catch (error) {
      // Then the first use cannot be looked up either.
      if (hasReason(error, 'unavailable')) throw error
      // What was valid the first time (a due date, a rate, a wallet) may be refused now.
      const first = await usedBefore(accountId, idempotency)
      if (first) return first
      throw error
    } finally {
      running.delete(name)
    }
  }

  /** Looks for the first use beforehand: where a used key would fail a batch, or work is costly. */
  function unlessUsed<Outcome>(
    accountId: string,
    idempotency: Idempotency | null,
    create: () => Promise<Outcome>,
  ): Promise<Outcome | Replay> {
    return run(
      accountId,
      idempotency,
      async () => (await usedBefore(accountId, idempotency)) ?? (await create()),
    )
  }

  return { run, unlessUsed }
}

function inProgress(): DomainError {
  return new DomainError(
    'idempotency_in_progress',
    'A request with this Idempotency-Key is still running',
    { retryAfterSeconds: 1 },
  )
}
