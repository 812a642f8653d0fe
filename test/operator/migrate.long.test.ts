import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { connect } from '../../src/storage/postgres/db.ts'
import { testEnv } from '../support/app.ts'
import { quittance } from '../support/cli.ts'
import { emptyDatabase, type TestDatabase, testDatabase } from '../support/postgres.ts'
import { startService } from '../support/service.ts'

test('migrate creates the schema, and then has nothing to do', async () => {
  const database = await emptyDatabase()
  const env = testEnv(database.url)
  const first = await quittance(env, 'migrate', '--json')
  expect(first.code).toBe(0)
  expect(first.json.migrated[0]).toBe('0001-schema.sql')
  expect((await quittance(env, 'migrate')).text).toBe('nothing to do\n')
  await database.drop()
})

test('after migrate, the service and doctor need no right to create anything', async () => {
  const database = await emptyDatabase()
  const owner = connect(database.url, { max: 1, name: 'owner' })
  const role = `clerk_${crypto.randomUUID().replaceAll('-', '')}`
  const url = new URL(database.url)
  await owner.unsafe(`
    create role ${role} login password 'right';
    revoke temporary on database ${url.pathname.slice(1)} from public;
    revoke create on schema public from public;
    alter default privileges grant usage on schemas to ${role};
    alter default privileges grant select, insert, update, delete on tables to ${role};
    alter default privileges grant usage on sequences to ${role}`)
  expect((await quittance(testEnv(database.url), 'migrate')).text).toEndWith(', bullmq\n')
  const clerk = Object.assign(url, { username: role, password: 'right' }).href
  const service = await startService(testEnv(clerk, { LOG_LEVEL: 'info' }))
  expect((await fetch(`${service.url}/readyz`)).status).toBe(200)
  const { json } = await quittance(testEnv(clerk), 'doctor', '--json')
  for (const what of ['writes', 'queues'])
    expect(json).toContainEqual(expect.objectContaining({ what, verdict: 'ok' }))
  expect(await service.stop()).toBe(0)
  await owner.unsafe(`drop owned by ${role}; drop role ${role}`)
  await owner.end()
  await database.drop()
})

test('any other command creates the schema of an empty database', async () => {
  const database = await emptyDatabase()
  const created = await quittance(testEnv(database.url), 'account', 'create', '--name', 'Ada')
  expect(created).toMatchObject({ code: 0, stderr: '' })
  await database.drop()
})

describe('on a database of a newer version', () => {
  const sentence = 'The database is of a newer version, with 9999-future.sql: run that version'
  let database: TestDatabase

  beforeAll(async () => {
    database = await testDatabase()
    await database.sql`insert into migrations (name) values ('9999-future.sql')`
  })
  afterAll(() => database.drop())

  test.each(['migrate', 'audit list'])('1 and a sentence from quittance %s', async (words) => {
    const { code, text, stderr } = await quittance(testEnv(database.url), ...words.split(' '))
    expect([code, text]).toEqual([1, ''])
    expect(stderr).toStartWith(sentence)
  })

  test('doctor has the same remedy', async () => {
    const { code, json } = await quittance(testEnv(database.url), 'doctor', '--json')
    expect(code).toBe(1)
    expect(json).toContainEqual({
      verdict: 'problem',
      what: 'database',
      detail: 'The database is of a newer version, with 9999-future.sql',
      remedy: 'run that version, or restore the backup from before the upgrade',
    })
  })

  test('the service does not start', async () => {
    const service = startService(testEnv(database.url))
    await expect(service).rejects.toThrow(`the service did not start (1): ${sentence}`)
  })
})

test('1 and a sentence when there is no database', async () => {
  const env = testEnv('postgres://nobody@127.0.0.1:1/nothing')
  const { code, text, stderr } = await quittance(env, 'migrate')
  expect([code, text]).toEqual([1, ''])
  expect(stderr.trimEnd().split('\n')).toEqual([
    'The database cannot be used: connect ECONNREFUSED 127.0.0.1:1',
    expect.stringContaining('is PostgreSQL running'),
  ])
})

test('1 and every problem when the configuration is wrong', async () => {
  const { code, stderr } = await quittance({ DATABASE_URL: 'mysql://x', PORT: 'x' }, 'migrate')
  expect(code).toBe(1)
  expect(stderr).toContain('DATABASE_URL must be')
  expect(stderr).toContain('PORT must be')
})
