import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { connect, type Sql } from '../../src/storage/postgres/db.ts'
import { type TestDatabase, testDatabase } from '../support/postgres.ts'
import { type Passing, type Statements, statementsThrough } from '../support/statements.ts'
import { startTcpRelay, type TcpRelay } from '../support/tcp-relay.ts'

let database: TestDatabase
let relay: TcpRelay
let statements: Statements
let sql: Sql

beforeAll(async () => {
  database = await testDatabase()
  const url = new URL(database.url)
  relay = await startTcpRelay(Number(url.port))
  statements = statementsThrough(relay)
  url.port = `${await relay.openDoor('worker 0')}`
  sql = connect(url.href, { max: 1, name: 'watched' })
  await sql`create table kept (n integer)`
})
afterAll(async () => {
  await sql.end({ timeout: 1 })
  relay.stop()
  await database.drop()
})

const keep = (n: number) => sql`insert into kept select ${n}::integer`
const kept = async () => (await database.sql`select n from kept order by n`).map(({ n }) => n)

describe('what goes through a relay to PostgreSQL', () => {
  test('is seen as statements and answers, with who asked, whether prepared already or not', async () => {
    const seen: Passing[] = []
    statements.look((passing) => void seen.push(passing))
    for (const divisor of [1, 0, 2])
      await sql`select 1 / ${divisor}::integer as part`.catch(() => {})
    statements.look(null)
    const told = seen.filter(({ text }) => text.includes('as part'))
    expect(told.map(({ process, at, code }) => ({ process, at, code }))).toEqual(
      [null, '22012', null].flatMap((code) => [
        { process: 'worker 0', at: 'asked', code: null },
        { process: 'worker 0', at: 'answered', code },
      ]),
    )
  })

  test('is lost when it is dropped before it arrives', async () => {
    statements.look(({ text }) =>
      text.includes('into kept') ? Promise.resolve('drop') : undefined,
    )
    await keep(1).then(
      () => expect.unreachable(),
      () => {},
    )
    statements.look(null)
    expect(await kept()).toEqual([])
  })

  test('is done when its answer is dropped', async () => {
    statements.look(({ at, text }) =>
      at === 'answered' && text.includes('into kept') ? Promise.resolve('drop') : undefined,
    )
    await keep(2).then(
      () => expect.unreachable(),
      () => {},
    )
    statements.look(null)
    expect(await kept()).toEqual([2])
  })

  test('arrives late, and in order, when it is held', async () => {
    statements.look(({ at, text }) =>
      at === 'asked' && text.includes('into kept') ? Bun.sleep(100).then(() => 'pass') : undefined,
    )
    await Promise.all([keep(3), keep(4)])
    statements.look(null)
    expect(await kept()).toEqual([2, 3, 4])
  })
})
