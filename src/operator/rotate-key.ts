import { randomBytes } from 'node:crypto'
import { SecretsError } from '../config/secrets.ts'
import {
  type ConfiguredKeys,
  keysIn,
  requireKeys,
  retiredIn,
  tagOf,
} from '../config/secrets-key.ts'
import { derivedFrom, markOf, open, type SealKey, seal } from '../domain/accounts/secret.ts'
import { reseal, type Sealed, sealedAfter, sealedColumns } from '../storage/accounts/sealed.ts'
import { isServedExceptBy } from '../storage/postgres/database-server.ts'
import { deadlineMs, type Sql } from '../storage/postgres/db.ts'
import { findKey, isMark, moveKeyMark } from '../storage/postgres/secrets-key.ts'

/** `unreadable`: sealed under neither key. */
export type Resealed = { readonly resealed: number; readonly unreadable: number }

const batch = 200

/**
 * Moves the database to SECRETS_KEY, keeping what payments need of the previous key, and seals all
 * secrets anew. May be interrupted, repeated, and run twice at once. Throws `SecretsError` while a
 * process runs without SECRETS_KEY. `settleMs`: how long a process may take to store what it sealed
 * before the move.
 */
export async function rotateKey(
  sql: Sql,
  configured: ConfiguredKeys,
  settleMs = deadlineMs,
): Promise<Resealed & { readonly moved: boolean }> {
  const { key, previous } = keysIn(configured)
  if (previous === null)
    throw new SecretsError(
      'SECRETS_KEY_PREVIOUS is not set',
      "set it to the database's key and SECRETS_KEY to a new one, and restart every process with both",
    )
  await requireKeys(sql, configured)
  const moved = await move(sql, previous, configured)
  // Another rotation may have been faster, with another key.
  await requireKeys(sql, configured)
  const first = await resealAll(sql, key, previous)
  if (!moved) return { ...first, moved }
  await Bun.sleep(settleMs)
  const { resealed, unreadable } = await resealAll(sql, key, previous)
  return { resealed: first.resealed + resealed, unreadable, moved }
}

async function move(sql: Sql, previous: SealKey, configured: ConfiguredKeys): Promise<boolean> {
  const { key } = keysIn(configured)
  const row = await findKey(sql)
  if (!row || !isMark(markOf(previous), row.mark)) return false
  if (await isServedExceptBy(sql, tagOf(configured.secretsKey)))
    throw new SecretsError(
      'a process of the service runs without the new key',
      'restart all with SECRETS_KEY and SECRETS_KEY_PREVIOUS, then rotate',
    )
  const retired = [derivedFrom(previous), ...retiredIn(row, previous)].map(
    ({ references, boughtIds }) => ({
      references: Buffer.from(references).toString('base64'),
      boughtIds: Buffer.from(boughtIds).toString('base64'),
    }),
  )
  const retiredSealed = seal(JSON.stringify(retired), key, randomBytes(12))
  return moveKeyMark(sql, row.mark, { mark: markOf(key), retiredSealed })
}

/** Without `previous` nothing is changed, only counted. */
export async function resealAll(
  sql: Sql,
  key: SealKey,
  previous: SealKey | null,
): Promise<Resealed> {
  let [resealed, unreadable] = [0, 0]
  for (const column of sealedColumns) {
    for (let after: string | null = null; ; ) {
      const rows: readonly Sealed[] = await sealedAfter(sql, column, after, batch)
      const others = rows.filter(({ sealed }) => opened(sealed, key) === null)
      const changes = others.flatMap((row) => {
        const secret = previous && opened(row.sealed, previous)
        return secret === null ? [] : { ...row, resealed: seal(secret, key, randomBytes(12)) }
      })
      resealed += await reseal(sql, column, changes)
      unreadable += others.length - changes.length
      after = rows.at(-1)?.id ?? null
      if (rows.length < batch) break
    }
  }
  return { resealed, unreadable }
}

function opened(sealed: Uint8Array, key: SealKey): string | null {
  try {
    return open(sealed, key)
  } catch {
    return null
  }
}
