import { randomBytes } from 'node:crypto'
import { type Keys, openWith, seal } from '../domain/accounts/secret.ts'
import { addNewest } from '../scheduling/cache.ts'
import { findSigningSecrets } from '../storage/accounts/accounts.ts'
import { type Sql, unavailable } from '../storage/postgres/db.ts'
import { findOwnKey } from '../storage/postgres/secrets-key.ts'
import type { Log } from '../telemetry/log.ts'
import { createGroupCommit } from './group-commit.ts'

/**
 * Opens a sealed secret of the webhook or account `ownerId`; null if it was sealed under another
 * key or is damaged.
 */
export type OpenSecret = (sealed: Uint8Array, ownerId: string) => string | null

const maxReported = 10_000

/**
 * Seals a secret under the key that the database has now, which a rotation changes. Errors:
 * `unavailable` where that is none of this process's keys.
 */
export async function sealSecret(sql: Sql, keys: Keys, secret: string): Promise<Uint8Array> {
  const key = await findOwnKey(sql, keys.opening)
  if (!key) throw unavailable('SECRETS_KEY is no longer the key of the database')
  return seal(secret, key, randomBytes(12))
}

/** Creates an opener that logs an error once per webhook or account whose secret does not open. */
export function secretOpener(keys: Keys, log: Pick<Log, 'error'>): OpenSecret {
  const reported = new Set<string>()
  return (sealed, ownerId) => {
    try {
      return openWith(sealed, keys.opening)
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
