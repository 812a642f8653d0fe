import { open, type SealKey } from '../domain/accounts/secret.ts'
import { addNewest } from '../scheduling/cache.ts'
import { findSigningSecrets } from '../storage/accounts/accounts.ts'
import type { Sql } from '../storage/postgres/db.ts'
import type { Log } from '../telemetry/log.ts'
import { createGroupCommit } from './group-commit.ts'

/**
 * Opens a sealed secret of the webhook or account `ownerId`; null if it was sealed under another
 * key or is damaged.
 */
export type OpenSecret = (sealed: Uint8Array, ownerId: string) => string | null

const maxReported = 10_000

/** Creates an opener that logs an error once per webhook or account whose secret does not open. */
export function secretOpener(sealKey: SealKey, log: Pick<Log, 'error'>): OpenSecret {
  const reported = new Set<string>()
  return (sealed, ownerId) => {
    try {
      return open(sealed, sealKey)
    } catch (err) {
      if (addNewest(reported, ownerId, maxReported))
        log.error({ err, ownerId }, 'a secret cannot be opened')
      return null
    }
  }
}

export type SigningSecrets = ReturnType<typeof createSigningSecrets>

/**
 * Finds the secrets that sign for an account: its current one, or else `deploymentSecret`, and
 * during a rotation the previous one. Rejects if the current one cannot be opened: the signature is
 * not wrong then.
 */
export function createSigningSecrets(parts: {
  readonly sql: Sql
  readonly openSecret: OpenSecret
  readonly deploymentSecret: string | null
}) {
  const { sql, openSecret, deploymentSecret } = parts
  const reads = createGroupCommit({
    lanes: 1,
    maxBatch: 128,
    maxWaiting: 10_000,
    flush: (_, accountIds: readonly string[]) => findSigningSecrets(sql, accountIds),
  })
  const secretOf = (accountId: string, sealed: Uint8Array | null) =>
    sealed ? openSecret(sealed, accountId) : deploymentSecret

  return async (accountId: string): Promise<readonly string[]> => {
    const { current, previous } = await reads.submit(accountId, accountId)
    const newest = secretOf(accountId, current)
    if (current && newest === null) throw new Error('a signing secret cannot be opened')
    const before = previous && secretOf(accountId, previous.sealed)
    return [newest, before].filter((secret) => secret !== null)
  }
}
