import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { within } from '../../../src/storage/postgres/db.ts'
import { type TestDatabase, testDatabase } from '../../support/postgres.ts'

const never = new Promise<never>(() => {})
const limitMs = 7_500

async function outcome(): Promise<unknown> {
  return within(() => Promise.resolve('done')).catch((error) => error)
}

describe('where PostgreSQL answers nothing', () => {
  test('no statement joins two hundred that have waited for seconds, until those have given up', async () => {
    const first = Promise.allSettled(
      Array.from({ length: 199 }, () => within(() => never, limitMs)),
    )
    await Bun.sleep(2_500)
    expect(await outcome()).toBe('done')
    const last = within(() => never, limitMs).catch(() => {})
    expect(await outcome()).toBe('done')
    await Bun.sleep(2_500)
    expect(await outcome()).toMatchObject({ reason: 'unavailable', retryAfterSeconds: 1 })
    await first
    expect(await outcome()).toBe('done')
    await last
  })
})

describe('what PostgreSQL asks to be run again', () => {
  let db: TestDatabase
  beforeAll(async () => {
    db = await testDatabase()
  })
  afterAll(() => db.drop())

  /** Fails with this SQLSTATE in the first `conflicts` attempts. */
  async function tried(conflicts: number, sqlState: string) {
    let tries = 0
    const result = await within(async () => {
      tries++
      if (tries <= conflicts) await db.sql.unsafe(raising(sqlState))
      return 'done'
    }).catch((error) => error)
    return { tries, result }
  }
  const raising = (sqlState: string) => `do $$ begin raise sqlstate '${sqlState}'; end $$`

  for (const [name, sqlState] of [
    ['a serialization failure', '40001'],
    ['a deadlock', '40P01'],
  ] as const) {
    test(`is run again three times after ${name}, then the caller is asked to come back`, async () => {
      expect(await tried(3, sqlState)).toEqual({ tries: 4, result: 'done' })
      const given = await tried(4, sqlState)
      expect(given).toMatchObject({
        tries: 4,
        result: { reason: 'unavailable', retryAfterSeconds: 1 },
      })
    })
  }

  test('is nothing else: a bad row fails at once', async () => {
    expect(await tried(1, '22012')).toMatchObject({ tries: 1, result: { code: '22012' } })
  })
})

describe('where PostgreSQL itself cannot do what it is asked', () => {
  let db: TestDatabase
  beforeAll(async () => {
    db = await testDatabase()
  })
  afterAll(() => db.drop())

  for (const [name, sqlState] of [
    ['its disk is full', '53100'],
    ['its disk fails', '58030'],
    ['it is out of memory', '53200'],
    ['a limit of its configuration is reached', '53400'],
    ['it takes no writes', '25006'],
  ] as const) {
    test(`the caller is asked to come back because ${name}`, async () => {
      const raising = `do $$ begin raise sqlstate '${sqlState}'; end $$`
      const error = await within(() => db.sql.unsafe(raising)).catch((error) => error)
      expect(error).toMatchObject({ reason: 'unavailable', retryAfterSeconds: 1 })
    })
  }
})
