import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { connect, type Sql, within } from '../../../src/storage/postgres/db.ts'
import { useWorld } from '../../support/world.ts'

const { database: postgres } = useWorld({ service: 'none' })
let sql: Sql

beforeAll(async () => {
  sql = connect(postgres.url, { max: 1, name: 'victim' })
})
afterAll(async () => {
  await sql.end({ timeout: 1 })
})

/** Terminates the only connection of `sql` while it is in use, and waits until it has ended. */
async function kill(): Promise<void> {
  await postgres.sql`select pg_terminate_backend(pid, 5000) from pg_stat_activity where application_name = 'quittance victim' and datname = current_database()`
}

describe('a connection that PostgreSQL ended', () => {
  test('fails the statement it was at, and none after it', async () => {
    for (let round = 0; round < 8; round++) {
      await sql`select 1`
      const running = sql`select pg_sleep(5), ${round}::integer as round`
      const failure = running.then(
        () => null,
        (error: Error) => error,
      )
      await Bun.sleep(20)
      await kill()
      expect(await failure).toBeInstanceOf(Error)
      expect(await sql<{ one: number }[]>`select ${round}::integer as one`).toEqual([
        { one: round },
      ] as never)
    }
  })

  test('takes with it what was about to be sent, and is opened again all the same', async () => {
    for (let round = 0; round < 8; round++) {
      await sql`select 1`
      const killed = kill()
      const asked = Array.from({ length: 30 }, async (_, n) => {
        await Bun.sleep(n / 10)
        return sql.unsafe(`select ${n} as n, $1::integer as round`, [round])
      })
      await Promise.allSettled([...asked, killed])
      await Bun.sleep(50)
      expect(await sql<{ one: number }[]>`select ${round}::integer as one`).toEqual([
        { one: round },
      ] as never)
    }
  })

  test('may have been reserved: the reservation ends with it, and the pool goes on', async () => {
    for (let round = 0; round < 3; round++) {
      const reserved = await sql.reserve()
      await reserved`select 1`
      await kill()
      await Bun.sleep(50)
      // Which of them it is depends on what has been noticed before the write.
      const noticed = /CONNECTION_CLOSED|ECONNRESET|terminating connection/
      await expect(reserved`select 2`.execute()).rejects.toThrow(noticed)
      reserved.release()
      expect(await sql<{ one: number }[]>`select ${round}::integer as one`).toEqual([
        { one: round },
      ] as never)
    }
  })
})

describe('a server that takes no writes', () => {
  const pid = async () => (await sql<{ pid: number }[]>`select pg_backend_pid() as pid`)[0]?.pid

  test('is unavailable while it says so to those who connect, and not a moment longer', async () => {
    const [row] = await postgres.sql<{ name: string }[]>`select current_database() as name`
    await postgres.sql.unsafe(`alter database ${row?.name} set default_transaction_read_only = on`)
    await kill()
    for (let round = 0; round < 4; round++)
      expect(await within(() => sql`select 1`).catch((error) => error)).toMatchObject({
        reason: 'unavailable',
        operatorText: expect.not.stringContaining('no answer'),
      })
    await postgres.sql.unsafe(`alter database ${row?.name} reset default_transaction_read_only`)
    await within(() => sql`create temporary table written as select 1 as one`)
  })

  test('is left by who is connected to it as soon as it says so', async () => {
    const before = await pid()
    await sql`set default_transaction_read_only = on`
    expect(await pid()).not.toBe(before)
    await sql`create temporary table written_after as select 1 as one`
  })

  test('is left by whom it refuses to write for, also where it has not said so', async () => {
    const before = await pid()
    const refusing = "do $$ begin raise sqlstate '25006'; end $$"
    const refused = [sql.unsafe(refusing), sql`select 1`, sql.unsafe(refusing)]
    const outcomes = await Promise.allSettled(refused)
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected'])
    expect(await pid()).not.toBe(before)
  })
})
