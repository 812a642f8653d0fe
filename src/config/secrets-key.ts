import { derive, keyFrom, open, type SealKey } from '../domain/accounts/secret.ts'
import { isServed } from '../storage/postgres/database-server.ts'
import type { Sql } from '../storage/postgres/db.ts'
import {
  type KeyTraces,
  keyTraces,
  noteKeyMark,
  replaceKeyMark,
} from '../storage/postgres/secrets-key.ts'
import { SecretsError } from './secrets.ts'

/** Whether a database belongs to a key; `unknown` if it holds nothing that would tell. */
export type KeyStanding = 'own' | 'other' | 'unknown'

export async function keyStanding(sql: Sql, key: SealKey): Promise<KeyStanding> {
  return standingBy(await keyTraces(sql), key)
}

function standingBy({ mark, sealed }: KeyTraces, key: SealKey): KeyStanding {
  if (mark !== null) return isMarkOf(key, mark) ? 'own' : 'other'
  // A database from before keys were noted.
  if (sealed === null) return 'unknown'
  try {
    open(sealed, key)
    return 'own'
  } catch {
    return 'other'
  }
}

/**
 * The key in `secretsKey`, which the database notes as its own if it has not noted any. Throws
 * `SecretsError` if the database belongs to another key: under this one, payments would be credited
 * without regard to the invoice they name.
 */
export async function requireKey(sql: Sql, secretsKey: string): Promise<SealKey> {
  const key = keyFrom(secretsKey)
  const traces = await keyTraces(sql)
  const isOurs =
    standingBy(traces, key) !== 'other' &&
    // Another process that starts at the same time may be the first to note its own.
    (traces.mark !== null || isMarkOf(key, await noteKeyMark(sql, markOf(key))))
  if (!isOurs) throw new SecretsError(otherKey.detail, otherKey.remedy)
  return key
}

/**
 * Makes the key that of the database, whatever key it belonged to. Returns how that stood. Throws
 * `SecretsError` while a process of the service is connected, which would go on with another key.
 */
export async function adoptKey(sql: Sql, secretsKey: string): Promise<KeyStanding> {
  const key = keyFrom(secretsKey)
  const before = await keyStanding(sql, key)
  if (before === 'own') return before
  if (await isServedFor(sql, partingMs))
    throw new SecretsError(
      'the service is running, and would go on with the key it has',
      'stop all of its processes, then adopt this key',
    )
  await replaceKeyMark(sql, markOf(key))
  return before
}

/** For so long PostgreSQL may show the connections of a process that has just been stopped. */
const partingMs = 2_000

/** Whether a process of the service is connected, and still is after so long. */
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
    'set it to the key the service was first started with; if that is lost for good, see `quittance secrets adopt`',
}

function markOf(key: SealKey): Uint8Array {
  return derive(key, 'mark of the key')
}

function isMarkOf(key: SealKey, mark: Uint8Array): boolean {
  return Buffer.from(markOf(key)).equals(mark)
}
