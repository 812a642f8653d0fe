import { expect, test } from 'bun:test'
import { testEnv } from '../support/app.ts'
import { quittance } from '../support/cli.ts'
import { emptyDatabase } from '../support/postgres.ts'

test('migrate makes the schema, and then has nothing to do', async () => {
  const database = await emptyDatabase()
  const env = testEnv(database.url)
  const first = await quittance(env, 'migrate', '--json')
  expect(first.code).toBe(0)
  expect(first.json.migrated[0]).toBe('0001-foundation.sql')
  expect((await quittance(env, 'migrate')).text).toBe('nothing to do\n')
  await database.drop()
})

test('1 and a sentence when there is no database', async () => {
  const env = testEnv('postgres://nobody@127.0.0.1:1/nothing')
  const { code, text, complaint } = await quittance(env, 'migrate')
  expect([code, text]).toEqual([1, ''])
  expect(complaint).toContain('127.0.0.1:1')
  expect(complaint).not.toContain('at ')
})

test('1 and every problem when the configuration is wrong', async () => {
  const { code, complaint } = await quittance({ DATABASE_URL: 'mysql://x', PORT: 'x' }, 'migrate')
  expect(code).toBe(1)
  expect(complaint).toContain('DATABASE_URL must be')
  expect(complaint).toContain('PORT must be')
})
