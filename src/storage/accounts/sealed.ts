import { type Sql, statement } from '../postgres/db.ts'
import { rowsOf } from '../postgres/rows.ts'

export type Sealed = { readonly id: string; readonly sealed: Uint8Array }

/** Every column that holds secrets sealed under `SECRETS_KEY`, except answers kept for a day. */
export const sealedColumns = [
  ['accounts', 'signing_secret_sealed'],
  ['accounts', 'previous_signing_secret_sealed'],
  ['webhooks', 'secret_sealed'],
  ['webhooks', 'previous_secret_sealed'],
] as const

export type SealedColumn = (typeof sealedColumns)[number]

export async function sealedAfter(
  sql: Sql,
  [table, column]: SealedColumn,
  afterId: string | null,
  limit: number,
): Promise<readonly Sealed[]> {
  return statement<Sealed[]>(sql)`select id, ${sql(column)} as sealed from ${sql(table)}
    where (${afterId}::uuid is null or id > ${afterId}) and ${sql(column)} is not null order by id limit ${limit}`
}

/** Skips what has changed meanwhile. The audit log does not show it: the secrets stay the same. */
export async function reseal(
  sql: Sql,
  [table, column]: SealedColumn,
  changes: readonly (Sealed & { readonly resealed: Uint8Array })[],
): Promise<number> {
  if (changes.length === 0) return 0
  const input = rowsOf(sql, changes, {
    id: ['uuid', ({ id }) => id],
    sealed: ['bytea', ({ sealed }) => sealed],
    resealed: ['bytea', ({ resealed }) => resealed],
  })
  const done = await statement(
    sql,
  )`update ${sql(table)} as owner set ${sql(column)} = input.resealed from ${input}
    where owner.id = input.id and owner.${sql(column)} = input.sealed
      and (select set_config('quittance.resealing', 'on', true)) is not null`
  return done.count
}
