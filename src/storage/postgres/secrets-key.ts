import { type Sql, statement } from './db.ts'

/** Null before the first use. */
export async function findKeyMark(sql: Sql): Promise<Uint8Array | null> {
  const [row] = await statement<{ mark: Uint8Array }[]>(sql)`select mark from secrets_key`
  return row?.mark ?? null
}

/** Notes the mark unless one is noted. Returns the noted one. */
export async function noteKeyMark(sql: Sql, mark: Uint8Array): Promise<Uint8Array> {
  // The no-op update waits for, and returns, what a process that starts at the same time notes.
  const [row] = await statement<[{ mark: Uint8Array }]>(sql)`
    insert into secrets_key (mark) values (${mark})
    on conflict (only_one) do update set mark = secrets_key.mark returning mark`
  return row.mark
}

export async function replaceKeyMark(sql: Sql, mark: Uint8Array): Promise<void> {
  await statement(sql)`
    insert into secrets_key (mark) values (${mark})
    on conflict (only_one) do update set mark = excluded.mark, noted_at = now()`
}
