import { type Sql, within } from './db.ts'

/** What a database tells of the key it belongs to. */
export type KeyTraces = {
  /** The noted mark of the key; null in a database whose key has not been noted yet. */
  readonly mark: Uint8Array | null
  /** The oldest sealed secret; null while none is stored. */
  readonly sealed: Uint8Array | null
}

export async function keyTraces(sql: Sql): Promise<KeyTraces> {
  const [traces] = await within(
    () => sql<[KeyTraces]>`
      select (select mark from secrets_key) as mark, coalesce(
        (select signing_secret_sealed from accounts where signing_secret_sealed is not null order by id limit 1),
        (select secret_sealed from webhooks order by id limit 1)
      ) as sealed`,
  )
  return traces
}

/** Notes the mark of the key unless one is noted already. Returns the mark that is noted then. */
export async function noteKeyMark(sql: Sql, mark: Uint8Array): Promise<Uint8Array> {
  // The update changes nothing: it makes the statement wait for, and return, what a process that
  // starts at the same time has noted.
  const [row] = await within(
    () => sql<[{ mark: Uint8Array }]>`
      insert into secrets_key (mark) values (${mark})
      on conflict (only_one) do update set mark = secrets_key.mark returning mark`,
  )
  return row.mark
}

/** Notes the mark of the key in place of any other. */
export async function replaceKeyMark(sql: Sql, mark: Uint8Array): Promise<void> {
  await within(
    () => sql`
      insert into secrets_key (mark) values (${mark})
      on conflict (only_one) do update set mark = excluded.mark, noted_at = now()`,
  )
}
