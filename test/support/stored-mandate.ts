import type { Sql } from '../../src/storage/postgres/db.ts'

/** A mandate as stored; by default signed by both parties, for an hour by PostgreSQL's clock. */
export async function storedMandate(
  sql: Sql,
  accountId: string,
  { state = 'signed_by_both', lifeMs = 3_600_000, terms = '{}' } = {},
): Promise<string> {
  const id = `mnd_${Bun.randomUUIDv7()}`
  await sql`
    insert into mandates (id, account_id, version, state, proposer, counterparty, scope, terms, expires_at, canonical, hash,
      created_at, updated_at)
    values (${id}, ${accountId}, 3, ${state}, 'a', 'b', 'c', ${terms}, now() + ${lifeMs} * interval '1 millisecond', '', '0x',
      now(), now())`
  return id
}
