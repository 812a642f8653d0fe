import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Queue } from 'bullmq'
import { postgresBackend } from '../../src/queues/postgres-backend.ts'
import { createQueues } from '../../src/queues/queues.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { eventually } from '../support/wait.ts'

const silent = { warn() {}, error() {} }
const section = '/agent-tools/sections/trust_signals.json'

let app: TestApp

beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.stop())

test('figures stay as they were counted until the job of the night, which is on its way, counts anew', async () => {
  const first = await app.keyless('GET', section)
  expect(first.json.metrics.invoices_settled).toBe(0)
  await app.database
    .sql`insert into tax_totals values (gen_random_uuid(), 'EUR', 2, 'DE', 1900, 3, 1000, 190)`
  expect((await app.keyless('GET', section)).json).toEqual(first.json)
  const backend = await postgresBackend(app.app.databaseUrl, silent)
  const queues = createQueues({ backend, log: silent })
  const jobs = backend.openQueue('trust') as Queue
  await eventually(async () => (await jobs.getDelayedCount()) === 1)
  await queues.add('trust', {})
  await eventually(
    async () => (await app.keyless('GET', section)).json.metrics.invoices_settled === 3,
  )
  const again = await app.keyless('GET', section)
  expect(again.headers.get('etag')).not.toBe(first.headers.get('etag'))
  expect(again.json.generated_at > first.json.generated_at).toBe(true)
  await queues.close()
  await jobs.close()
  await backend.close()
})

test('a count that takes longer than any request may does not fail the job of the night', async () => {
  const before = await app.keyless('GET', section)
  const backend = await postgresBackend(app.app.databaseUrl, silent)
  const queues = createQueues({ backend, log: silent })
  await app.database.sql.begin(async (sql) => {
    await sql`set local statement_timeout = 0`
    await sql`lock table receipts in access exclusive mode`
    await queues.add('trust', {})
    await sql`select pg_sleep(7)`
  })
  // Had it failed, it would be tried again after a minute.
  await eventually(
    async () => (await app.keyless('GET', section)).json.generated_at > before.json.generated_at,
  )
  await queues.close()
  await backend.close()
})
