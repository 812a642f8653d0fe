import { type Sql, statement } from './db.ts'

/** The mark of the key that the database belongs to; null before its first use. */
export async function findKeyMark(sql: Sql): Promise<Uint8Array | null> {
  const [row] = await statement<{ mark: Uint8Array }[]>(sql)`select mark from secrets_key`
  return row?.mark ?? null
}

/** Notes the mark of the key unless one is noted already. Returns the mark that is noted then. */
export async function noteKeyMark(sql: Sql, mark: Uint8Array): Promise<Uint8Array> {
  // The update changes nothing: it makes the statement wait for, and return, what a process that
  // starts at the same time has noted.
  const [row] = await statement<[{ mark: Uint8Array }]>(sql)`
    insert into secrets_key (mark) values (${mark})
    on conflict (only_one) do update set mark = secrets_key.mark returning mark`
  return row.mark
}

/** Notes the mark of the key in place of any other. */
export async function replaceKeyMark(sql: Sql, mark: Uint8Array): Promise<void> {
  await statement(sql)`
    insert into secrets_key (mark) values (${mark})
    on conflict (only_one) do update set mark = excluded.mark, noted_at = now()`
}
