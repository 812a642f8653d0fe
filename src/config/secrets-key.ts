import { derive, keyFrom, type SealKey } from '../domain/accounts/secret.ts'
import { isServed } from '../storage/postgres/database-server.ts'
import type { Sql } from '../storage/postgres/db.ts'
import { findKeyMark, noteKeyMark, replaceKeyMark } from '../storage/postgres/secrets-key.ts'
import { SecretsError } from './secrets.ts'

/** `unknown`: the database has not been used with any key. */
export type KeyStatus = 'own' | 'other' | 'unknown'

export async function keyStatus(sql: Sql, key: SealKey): Promise<KeyStatus> {
  const mark = await findKeyMark(sql)
  if (mark === null) return 'unknown'
  return isMarkOf(key, mark) ? 'own' : 'other'
}

/**
 * The key in `secretsKey`; a database without a key adopts it. Throws `SecretsError` for another
 * key: references would not be recognised.
 */
export async function requireKey(sql: Sql, secretsKey: string): Promise<SealKey> {
  const key = keyFrom(secretsKey)
  const mark = (await findKeyMark(sql)) ?? (await noteKeyMark(sql, markOf(key)))
  if (!isMarkOf(key, mark)) throw new SecretsError(otherKey.detail, otherKey.remedy)
  return key
}

/**
 * Makes this the key of the database and returns the status before. Throws `SecretsError` while the
 * service is connected, since it would keep its old key.
 */
export async function adoptKey(sql: Sql, secretsKey: string): Promise<KeyStatus> {
  const key = keyFrom(secretsKey)
  const before = await keyStatus(sql, key)
  if (before === 'own') return before
  if (await isServedFor(sql, closingMs))
    throw new SecretsError(
      'the service is running and would keep using its old key',
      'stop all of its processes, then adopt this key',
    )
  await replaceKeyMark(sql, markOf(key))
  return before
}

/** How long PostgreSQL may still show the connections of a process that has stopped. */
const closingMs = 2_000

async function isServedFor(sql: Sql, ms: number): Promise<boolean> {
  const endMs = performance.now() + ms
  while (await isServed(sql)) {
    if (performance.now() > endMs) return true
    await Bun.sleep(100)
  }
  return false
}

export const otherKey = {
  detail: 'SECRETS_KEY does not open the secrets in the database',
  remedy:
    'set it to the key with which the service was first started; if that key is lost, see `quittance secrets adopt`',
}

function markOf(key: SealKey): Uint8Array {
  return derive(key, 'mark of the key')
}

function isMarkOf(key: SealKey, mark: Uint8Array): boolean {
  return Buffer.from(markOf(key)).equals(mark)
}
