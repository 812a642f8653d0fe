import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { connect, listening, type Sql } from '../../../src/storage/postgres/db.ts'
import { eventually } from '../../support/wait.ts'
import { useWorld } from '../../support/world.ts'

/** A statement that fails leaves nothing behind for the others on its connection. */

const { database } = useWorld({ service: 'none' })
let sql: Sql

beforeAll(async () => {
  sql = connect(database.url, { max: 1, name: 'failing' })
})
afterAll(async () => {
  await sql.end({ timeout: 1 })
})

/** Fails once three rows have been sent. */
const failing = () =>
  sql<{ part: number }[]>`select 1 / (4 - n) as part from generate_series(1, 9) n`
/** The code of the error that a statement fails with; null if it does not. */
const codeOf = (statement: PromiseLike<unknown>) =>
  statement.then(
    () => null,
    (error: { code?: string; message: string }) => error.code ?? error.message,
  )

describe('a statement that fails after rows of it have arrived', () => {
  const answers = (): Promise<unknown>[] => [
    sql`select 42 as answer`,
    sql`select ${43}::integer as answer`,
    sql.unsafe(`select 44 as answer`),
  ]
  const right = [[{ answer: 42 }], [{ answer: 43 }], [{ answer: 44 }]]

  test('leaves the rows of the next ones where they belong', async () => {
    for (let next = 0; next < right.length; next++) {
      expect(await codeOf(failing())).toBe('22012')
      expect<unknown>(Array.from((await answers()[next]) as object[])).toEqual(right[next])
    }
  })

  test('leaves those right that were sent before it had failed', async () => {
    const failure = codeOf(failing())
    const following = await Promise.all(answers())
    expect<unknown>(following.map((rows) => Array.from(rows as object[]))).toEqual(right)
    expect(await failure).toBe('22012')
  })

  test('may have been cancelled by the time limit', async () => {
    await sql`set statement_timeout = '100ms'`
    expect(await codeOf(slow(sql))).toBe('57014')
    expect(Array.from(await sql`select 42 as answer`)).toEqual([{ answer: 42 }])
    await sql`reset statement_timeout`
  })

  test('may have lost its connection: the first one on the next connection is right', async () => {
    await sql.listen('anything', () => {})
    const failure = codeOf(slow(listening(sql)))
    const terminated = () => database.sql`select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'quittance failing' and wait_event = 'PgSleep' and datname = current_database()`
    await eventually(async () => (await terminated()).length > 0)
    expect(await failure).toBe('CONNECTION_CLOSED')
    expect(Array.from(await listening(sql)`select 42 as answer`)).toEqual([{ answer: 42 }])
  })

  /** Sends rows, and then nothing for long. */
  const slow = (on: Sql) => on`
    select n, repeat('x', 10000), pg_sleep(case n when 30 then 9 else 0 end) from generate_series(1, 30) n`
})

describe('a statement that cannot be sent', () => {
  const dated = (at: string) => sql<{ at: Date }[]>`select ${at}::timestamptz as at`
  const numbered = (n: number) =>
    sql.unsafe<{ n: number }[]>(`select ${n} as n from pg_sleep(0.05)`)

  test('fails alone: those sent before and after it get their own answers', async () => {
    const at = '2026-01-01T00:00:00.000Z'
    await dated(at)
    const first = numbered(1).execute()
    await Bun.sleep(20)
    const unsent = codeOf(dated('no date'))
    const others = [numbered(2), numbered(3)]
    expect(Array.from(await first)).toEqual([{ n: 1 }])
    expect(await unsent).toContain('Invalid Date')
    expect((await Promise.all(others)).map(([row]) => row?.n)).toEqual([2, 3])
    expect(await codeOf(dated('no date'))).toContain('Invalid Date')
    expect(Array.from(await dated(at))).toEqual([{ at: new Date(at) }])
  })
})

describe('a statement that is prepared again, as a table it reads was changed', () => {
  const read = () => sql`
    select *, ${true}::boolean as yes, ${sql.json({ a: 'b' })}::jsonb as told, ${Buffer.from('c')}::bytea as bytes
    from changing`
  const row = { n: 1, yes: true, told: { a: 'b' }, bytes: Buffer.from('c') }

  beforeAll(async () => {
    await sql`create table changing (n integer)`
    await sql`insert into changing values (1)`
    expect(Array.from(await read())).toEqual([row])
  })

  test('has the parameters it had', async () => {
    await sql`alter table changing add column added integer`
    expect(Array.from(await read())).toEqual([{ ...row, added: null }])
  })

  test('keeps its answer apart from those of statements sent meanwhile', async () => {
    await sql`alter table changing add column another integer`
    const again = read().execute()
    const slow = sql.unsafe('select 1 as n from pg_sleep(0.2)').execute()
    await Bun.sleep(100)
    const others = [2, 3, 4].map((n) => sql.unsafe(`select ${n} as n`))
    expect<unknown>(
      await Promise.all(others.map(async (other) => Array.from(await other))),
    ).toEqual([[{ n: 2 }], [{ n: 3 }], [{ n: 4 }]])
    expect<unknown>(Array.from(await slow)).toEqual([{ n: 1 }])
    expect(Array.from(await again)).toEqual([{ ...row, added: null, another: null }])
  })
})
