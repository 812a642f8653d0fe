import { afterAll, beforeAll, expect, test } from 'bun:test'
import { connect, refusesWrites, type Sql, tryWrite } from '../../../src/storage/postgres/db.ts'
import { fillDatabase } from '../../support/full-database.ts'
import { type TestDatabase, testDatabase } from '../../support/postgres.ts'
import { eventually } from '../../support/wait.ts'

const limitMs = 3_000
const role = `clerk_${crypto.randomUUID().replaceAll('-', '')}`
let database: TestDatabase
/** With the rights that the service needs, and no other. */
let clerk: Sql

async function sizeBytes(): Promise<number> {
  const [row] = await database.sql<{ size: bigint }[]>`select pg_relation_size('cursors') as size`
  return Number(row?.size)
}

beforeAll(async () => {
  database = await testDatabase()
  const url = new URL(database.url)
  await database.sql.unsafe(`
    create role ${role} login password 'right';
    revoke temporary on database ${url.pathname.slice(1)} from public;
    grant select, insert, update, delete on all tables in schema public to ${role}`)
  clerk = connect(Object.assign(url, { username: role, password: 'right' }).href, {
    ...{ max: 1, name: 'clerk' },
  })
})
afterAll(async () => {
  await clerk.end()
  await database.sql.unsafe(`drop owned by ${role}; drop role ${role}`)
  await database.drop()
})

test('whether there is room for a write is found out by a user without further rights, and leaves no row', async () => {
  await tryWrite(clerk, limitMs)
  expect(await database.sql`select chain from cursors`).toHaveLength(0)
  const makeRoom = await fillDatabase(database.sql)
  await expect(tryWrite(clerk, limitMs)).rejects.toMatchObject({
    reason: 'unavailable',
    operatorText: expect.stringContaining('No space left on device'),
  })
  expect(await refusesWrites(clerk, limitMs)).toBe(true)
  await makeRoom()
  await eventually(async () => !(await refusesWrites(clerk, limitMs)))
})

test('a write that is tried needs more disk space also where its table has room that VACUUM does not give back', async () => {
  const { sql } = database
  await sql`insert into cursors (chain, next_block, checkpoints, version, updated_at)
    select n, 0, repeat('x', 1000), 0, now() from generate_series(1, 1700) as n`
  // The last row keeps all the pages before it.
  await sql`delete from cursors where chain <> '1700'`
  await sql`vacuum cursors`
  const before = await sizeBytes()
  expect(before).toBeGreaterThan(1_900_000)
  for (let time = 1; time <= 3; time++) {
    const old = await sizeBytes()
    await tryWrite(clerk, limitMs)
    expect((await sizeBytes()) - old).toBeWithin(500_000, 600_000)
  }
  expect(await sql`select chain from cursors`).toHaveLength(1)
})
