import { afterAll, beforeAll, expect, test } from 'bun:test'
import { connect, refusesWrites, type Sql, tryWrite } from '../../src/storage/db.ts'
import { fillDatabase } from '../support/full-database.ts'
import { type TestDatabase, testDatabase } from '../support/postgres.ts'
import { eventually } from '../support/wait.ts'

const limitMs = 3_000
const role = `clerk_${crypto.randomUUID().replaceAll('-', '')}`
let database: TestDatabase
/** With the rights that the service needs, and no other. */
let clerk: Sql

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
