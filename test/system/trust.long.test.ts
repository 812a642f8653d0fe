import { expect, test } from 'bun:test'
import { postgresBackend } from '../../src/queues/backends/postgres.ts'
import { createQueues } from '../../src/queues/queues.ts'
import { addTotals } from '../support/totals.ts'
import { eventually } from '../support/wait.ts'
import { useWorld } from '../support/world.ts'

const silent = { warn() {}, error() {} }
const section = '/agent-tools/sections/trust_signals.json'

const { app } = useWorld()

/** Waits until the figures show so many invoices settled. */
async function eventuallySettled(count: number): Promise<void> {
  await eventually(async () => {
    // No faster: requests without a key are limited.
    await Bun.sleep(1_000)
    return (await app.keyless('GET', section)).json.metrics.invoices_settled === count
  }, 60_000)
}

/** Makes the figures those of yesterday: they are to be counted anew. */
async function aDayLater(): Promise<void> {
  await app.database.sql`update trust_signals set generated_at = generated_at - interval '1 day'`
}

test('figures are counted though nobody has asked for them, stay as they are until the night is over, and are counted anew by the next sweep', async () => {
  const { sql } = app.database
  await eventually(async () => (await sql`select from trust_signals`).count === 1, 60_000)
  const first = await app.keyless('GET', section)
  expect(first.json.metrics.invoices_settled).toBe(0)
  await addTotals(sql, { count: 3 })
  expect((await app.keyless('GET', section)).json).toEqual(first.json)
  await aDayLater()
  await eventuallySettled(3)
  const again = await app.keyless('GET', section)
  expect(again.headers.get('etag')).not.toBe(first.headers.get('etag'))
  expect(again.json.generated_at > first.json.generated_at).toBe(true)
})

test('a count that takes longer than any request may does not fail the job of the night', async () => {
  await aDayLater()
  const before = await app.keyless('GET', section)
  const backend = await postgresBackend(app.app.databaseUrl, silent)
  const queues = createQueues({ backend, log: silent })
  await app.database.sql.begin(async (sql) => {
    await sql`set local statement_timeout = 0`
    await sql`lock table anchors in access exclusive mode`
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

test('figures are counted though a wrong clock has put off the job of an earlier time', async () => {
  const backend = await postgresBackend(app.app.databaseUrl, silent)
  const queues = createQueues({ backend, log: silent })
  const hour = Math.floor(Date.now() / 3_600_000)
  for (const jobId of ['night', `night-${hour - 1}`])
    await queues.add('trust', {}, { jobId, delayMs: 86_400_000 })
  await app.database.sql`update tax_totals set document_count = 7`
  await aDayLater()
  await eventuallySettled(7)
  await queues.close()
  await backend.close()
})
