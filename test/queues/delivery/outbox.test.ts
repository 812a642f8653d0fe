import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createOutbox } from '../../../src/queues/delivery/outbox.ts'
import type { Sql } from '../../../src/storage/postgres/db.ts'
import { type TestDatabase, testDatabase } from '../../support/postgres.ts'
import { watchedSql } from '../../support/watched-sql.ts'
import { anAccount, aWebhook, someEvents } from '../../support/webhooks.ts'

let db: TestDatabase

beforeAll(async () => {
  db = await testDatabase()
})

afterAll(() => db.drop())

/**
 * A connection whose statement timeout cancels a statement that takes ten batches of events or
 * more.
 */
async function slowed(): Promise<Sql> {
  await db.sql`create function slow() returns trigger language plpgsql as 'begin perform pg_sleep(0.1); return old; end'`
  await db.sql`create trigger slow before delete on outbox for each row execute function slow()`
  const connection = await db.sql.reserve()
  await connection`set statement_timeout = 900`
  return connection
}

test('what takes too long in one statement is fanned out in smaller ones, all of it once', async () => {
  const account = await anAccount(db.sql)
  const { id } = await aWebhook(db.sql, account)
  await someEvents(db.sql, account, 30)
  const sql = await slowed()
  const limits: number[] = []
  const rung: string[] = []
  const watched = watchedSql(sql, { before: ({ values: [limit] }) => limits.push(Number(limit)) })
  const fanOutAll = createOutbox(watched, (webhookIds) => rung.push(...webhookIds))
  // As often as a job is attempted.
  for (let attempt = 1; attempt <= 5; attempt++) await fanOutAll().catch(() => {})
  const rows = await db.sql<{ sequence: number }[]>`
    select unnest(sequences) as sequence from delivery_batches order by id`
  expect(rows.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 30 }, (_, n) => n + 1))
  expect(new Set(rung)).toEqual(new Set([id]))
  expect(limits.slice(0, 3)).toEqual([20, 10, 5])
  for (let n = 0; n < 20; n++) await fanOutAll()
  expect(limits.at(-1)).toBe(20)
})
