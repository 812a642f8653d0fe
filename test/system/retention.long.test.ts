import { test } from 'bun:test'
import { eventually } from '../support/wait.ts'
import { useWorld } from '../support/world.ts'

const { sql, startHere } = useWorld({ service: 'none' })

test('a worker removes by itself what is kept no longer, and nothing else', async () => {
  await sql`insert into idempotency_keys (account_id, route, key, request_hash, subject_id, created_at)
    select gen_random_uuid(), '/', n, '\\x00', gen_random_uuid(), now() - n * interval '1 hour' from generate_series(1, 3000) as n`
  await sql`insert into delivery_batches (webhook_id, places, subject_ids, sequences, created_at, log)
    select gen_random_uuid(), '{0}', array[gen_random_uuid()], '{1}', now() - (3000 - n) * interval '1 hour', '[null]'
    from generate_series(1, 3000) as n`
  await startHere({ ROLE: 'worker', RETENTION_DELIVERIES_DAYS: '2' })
  await eventually(async () => {
    const [row] = await sql<{ keys: number; batches: number }[]>`
        select (select count(*)::integer from idempotency_keys) as keys, (select count(*)::integer from delivery_batches) as batches`
    return row?.keys === 23 && row.batches === 48
  })
})
