import { markOf, type SealKey } from '../../domain/accounts/secret.ts'
import { type Sql, statement } from './db.ts'

/** `retiredSealed`: what was derived from earlier keys, sealed under this one. */
export type KeyRow = { readonly mark: Uint8Array; readonly retiredSealed: Uint8Array | null }

/** Null before the first use. */
export async function findKey(sql: Sql): Promise<KeyRow | null> {
  const [row] = await statement<KeyRow[]>(sql)`
    select mark, retired_sealed as "retiredSealed" from secrets_key`
  return row ?? null
}

/** Which of these keys is the database's. */
export async function findOwnKey(sql: Sql, keys: readonly SealKey[]): Promise<SealKey | undefined> {
  const row = await findKey(sql)
  return row ? keys.find((key) => isMark(markOf(key), row.mark)) : undefined
}

export function isMark(mark: Uint8Array, noted: Uint8Array): boolean {
  return Buffer.from(mark).equals(noted)
}

/** Notes the mark unless one is noted. Returns the noted one. */
export async function noteKeyMark(sql: Sql, mark: Uint8Array): Promise<KeyRow> {
  // The no-op update waits for, and returns, what a process that starts at the same time notes.
  const [row] = await statement<[KeyRow]>(sql)`
    insert into secrets_key (mark) values (${mark})
    on conflict (only_one) do update set mark = secrets_key.mark
    returning mark, retired_sealed as "retiredSealed"`
  return row
}

/** What earlier keys left is dropped, as nothing opens it. */
export async function replaceKeyMark(sql: Sql, mark: Uint8Array): Promise<void> {
  await statement(sql)`
    insert into secrets_key (mark) values (${mark})
    on conflict (only_one) do update set mark = excluded.mark, retired_sealed = null, noted_at = now()`
}

/** False if the database has another key than `from` by now. */
export async function moveKeyMark(sql: Sql, from: Uint8Array, to: KeyRow): Promise<boolean> {
  const moved = await statement(sql)`
    update secrets_key set mark = ${to.mark}, retired_sealed = ${to.retiredSealed}, noted_at = now()
    where mark = ${from}`
  return moved.count === 1
}
