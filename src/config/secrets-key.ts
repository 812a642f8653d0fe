import {
  type DerivedKeys,
  derivedFrom,
  type Keys,
  keyFrom,
  markOf,
  open,
  type SealKey,
} from '../domain/accounts/secret.ts'
import { isServed } from '../storage/postgres/database-server.ts'
import type { Sql } from '../storage/postgres/db.ts'
import {
  findKey,
  isMark,
  type KeyRow,
  noteKeyMark,
  replaceKeyMark,
} from '../storage/postgres/secrets-key.ts'
import { type Secrets, SecretsError } from './secrets.ts'

export type ConfiguredKeys = Pick<Secrets, 'secretsKey' | 'previousSecretsKey'>

/**
 * Which key is the database's: SECRETS_KEY, SECRETS_KEY_PREVIOUS, another; `unknown`: it has not
 * been used with any.
 */
export type KeyStatus = 'own' | 'previous' | 'other' | 'unknown'

export async function keyStatus(sql: Sql, configured: ConfiguredKeys): Promise<KeyStatus> {
  const row = await findKey(sql)
  const { key, previous } = keysIn(configured)
  if (row === null) return 'unknown'
  if (isMark(markOf(key), row.mark)) return 'own'
  return previous && isMark(markOf(previous), row.mark) ? 'previous' : 'other'
}

/**
 * The configured keys and those that the database keeps; a database without a key adopts
 * SECRETS_KEY. Throws `SecretsError` for another key: references would not be recognised.
 */
export async function requireKeys(sql: Sql, configured: ConfiguredKeys): Promise<Keys> {
  const { key, previous } = keysIn(configured)
  const row = (await findKey(sql)) ?? (await noteKeyMark(sql, markOf(key)))
  const all = previous ? [key, previous] : [key]
  const own = all.find((one) => isMark(markOf(one), row.mark))
  if (!own) throw new SecretsError(otherKey.detail, otherKey.remedy)
  const others = all.filter((one) => one !== own)
  return {
    opening: [own, ...others],
    derived: [derivedFrom(own), ...others.map(derivedFrom), ...retiredIn(row, own)],
  }
}

/**
 * Makes this the key of the database and returns the status before. Throws `SecretsError` while the
 * service is connected, since it would keep its old key, and where nothing is lost.
 */
export async function adoptKey(sql: Sql, configured: ConfiguredKeys): Promise<KeyStatus> {
  const before = await keyStatus(sql, configured)
  if (before === 'own') return before
  if (before === 'previous')
    throw new SecretsError(
      'SECRETS_KEY_PREVIOUS is the key of the database, so nothing is lost',
      'use `quittance secrets rotate`',
    )
  if (await isServedFor(sql, closingMs))
    throw new SecretsError(
      'the service is running and would keep using its old key',
      'stop all of its processes, then adopt this key',
    )
  await replaceKeyMark(sql, markOf(keysIn(configured).key))
  return before
}

/** Shows other processes and commands which SECRETS_KEY a process has. */
export function tagOf(secretsKey: string): string {
  return Buffer.from(markOf(keyFrom(secretsKey))).toString('hex', 0, 4)
}

export function keysIn({ secretsKey, previousSecretsKey }: ConfiguredKeys) {
  return {
    key: keyFrom(secretsKey),
    previous: previousSecretsKey === null ? null : keyFrom(previousSecretsKey),
  }
}

export function retiredIn({ retiredSealed }: KeyRow, own: SealKey): readonly DerivedKeys[] {
  if (retiredSealed === null) return []
  const texts: { references: string; boughtIds: string }[] = JSON.parse(open(retiredSealed, own))
  return texts.map(({ references, boughtIds }) => ({
    references: Buffer.from(references, 'base64'),
    boughtIds: Buffer.from(boughtIds, 'base64'),
  }))
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
    'set it to the key with which the service was last started or rotated; if that key is lost, see `quittance secrets adopt`',
}
