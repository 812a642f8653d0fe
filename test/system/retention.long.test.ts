import { afterAll, beforeAll, test } from 'bun:test'
import { startApp } from '../../src/app.ts'
import { readConfig } from '../../src/config/config.ts'
import { createLog } from '../../src/telemetry/log.ts'
import { testEnv } from '../support/app.ts'
import { type TestDatabase, testDatabase } from '../support/postgres.ts'
import { eventually } from '../support/wait.ts'

let db: TestDatabase

beforeAll(async () => {
  db = await testDatabase()
})
afterAll(() => db.drop())

test('a worker removes by itself what is kept no longer, and nothing else', async () => {
  await db.sql`insert into idempotency_keys (account_id, route, key, request_hash, subject_id, created_at)
    select gen_random_uuid(), '/', n, '\\x00', gen_random_uuid(), now() - n * interval '1 hour' from generate_series(1, 3000) as n`
  await db.sql`insert into delivery_batches (webhook_id, places, subject_ids, sequences, created_at, log)
    select gen_random_uuid(), '{0}', array[gen_random_uuid()], '{1}', now() - (3000 - n) * interval '1 hour', '[null]'
    from generate_series(1, 3000) as n`
  const env = testEnv(db.url, { ROLE: 'worker', RETENTION_DELIVERIES_DAYS: '2' })
  const worker = await startApp(readConfig(env), createLog('silent'))
  try {
    await eventually(async () => {
      const [row] = await db.sql<{ keys: number; batches: number }[]>`
        select (select count(*)::integer from idempotency_keys) as keys, (select count(*)::integer from delivery_batches) as batches`
      return row?.keys === 23 && row.batches === 48
    }, 30_000)
  } finally {
    await worker.drain()
  }
})
