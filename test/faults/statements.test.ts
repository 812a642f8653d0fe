import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { connect, type Sql } from '../../src/storage/postgres/db.ts'
import type { Passing } from '../support/statements.ts'
import { useWorld } from '../support/world.ts'

const { database, databaseRelay, statements } = useWorld({ relayedDatabase: true, service: 'none' })
let sql: Sql

beforeAll(async () => {
  const url = new URL(database.url)
  url.port = `${await databaseRelay.openDoor('worker 0')}`
  sql = connect(url.href, { max: 1, name: 'watched' })
  await sql`create table kept (n integer)`
})
afterAll(() => sql.end({ timeout: 1 }))

const keep = (n: number) => sql`insert into kept select ${n}::integer`
const kept = async () => (await database.sql`select n from kept order by n`).map(({ n }) => n)

describe('what goes through a relay to PostgreSQL', () => {
  test('is seen as statements and answers, with who asked, whether prepared already or not', async () => {
    const seen: Passing[] = []
    statements.intercept((passing) => void seen.push(passing))
    for (const divisor of [1, 0, 2])
      await sql`select 1 / ${divisor}::integer as part`.catch(() => {})
    statements.intercept(null)
    const ofTest = seen.filter(({ text }) => text.includes('as part'))
    expect(ofTest.map(({ process, at, code }) => ({ process, at, code }))).toEqual(
      [null, '22012', null].flatMap((code) => [
        { process: 'worker 0', at: 'asked', code: null },
        { process: 'worker 0', at: 'answered', code },
      ]),
    )
  })

  test('is lost when it is dropped before it arrives', async () => {
    statements.intercept(({ text }) =>
      text.includes('into kept') ? Promise.resolve('drop') : undefined,
    )
    await keep(1).then(
      () => expect.unreachable(),
      () => {},
    )
    statements.intercept(null)
    expect(await kept()).toEqual([])
  })

  test('is done when its answer is dropped', async () => {
    statements.intercept(({ at, text }) =>
      at === 'answered' && text.includes('into kept') ? Promise.resolve('drop') : undefined,
    )
    await keep(2).then(
      () => expect.unreachable(),
      () => {},
    )
    statements.intercept(null)
    expect(await kept()).toEqual([2])
  })

  test('arrives late, and in order, when it is held', async () => {
    statements.intercept(({ at, text }) =>
      at === 'asked' && text.includes('into kept') ? Bun.sleep(100).then(() => 'pass') : undefined,
    )
    await Promise.all([keep(3), keep(4)])
    statements.intercept(null)
    expect(await kept()).toEqual([2, 3, 4])
  })
})
