import { beforeEach, describe, expect, test } from 'bun:test'
import {
  type Pruned,
  pruneDeliveries,
  pruneIdempotencyKeys,
} from '../../../src/storage/postgres/retention.ts'
import * as Deliveries from '../../../src/storage/webhooks/deliveries.ts'
import { listDeliveries, redeliver } from '../../../src/storage/webhooks/delivery-log.ts'
import * as Results from '../../../src/storage/webhooks/delivery-results.ts'
import { fanOut } from '../../../src/storage/webhooks/outbox.ts'
import { eventually } from '../../support/wait.ts'
import { anAccount, aWebhook, resultOf, someEvents } from '../../support/webhooks.ts'
import { useWorld } from '../../support/world.ts'

const { database: db } = useWorld({ service: 'none' })
let account: string

beforeEach(async () => {
  await db.sql`truncate events, deliveries, delivery_batches, webhooks, idempotency_keys, transfers`
  account = await anAccount(db.sql)
})

const keptDays = 30

type Fate = 'delivered' | 'failed' | 'pending'

/**
 * A webhook with one batch of deliveries after their first attempt. `fates` gives the state of
 * each.
 */
async function attempted(fates: readonly Fate[], ageDays: number) {
  const webhook = await aWebhook(db.sql, account)
  await someEvents(db.sql, account, fates.length)
  await fanOut(db.sql, fates.length)
  const [batch] = await Deliveries.lease(db.sql, [webhook.id], 30_000)
  if (!batch) throw new Error('nothing is due')
  const result = resultOf(batch, (place) => ({
    delivered: fates[place] === 'delivered',
    retryDelayMs: fates[place] === 'pending' ? 60_000 : null,
  }))
  await Results.record(db.sql, [result])
  const age = db.sql`now() - ${ageDays} * interval '1 day'`
  await db.sql`update delivery_batches set created_at = ${age} where webhook_id = ${webhook.id}`
  await db.sql`update deliveries set created_at = ${age} where webhook_id = ${webhook.id}`
  return webhook
}

async function logOf(webhook: { id: string }) {
  const { deliveries } = await listDeliveries(db.sql, webhook.id, {
    after: null,
    state: null,
    limit: 100,
  })
  return deliveries
}

/** Prunes all deliveries. Answers how many rows each statement removed. */
async function pruneAll(limit = 1_000): Promise<number[]> {
  const removed: number[] = []
  let pruned: Pruned = { removed: 0, place: null, isDone: false }
  while (!pruned.isDone) {
    pruned = await pruneDeliveries(db.sql, { keptDays, after: pruned.place, limit })
    removed.push(pruned.removed)
  }
  return removed
}

async function rows(table: string): Promise<number> {
  const [row] = await db.sql<[{ n: number }]>`select count(*)::integer as n from ${db.sql(table)}`
  return row.n
}

describe('deliveries', () => {
  test('are forgotten after the days they are kept, whether they got through or not', async () => {
    const webhook = await attempted(['delivered', 'failed', 'delivered'], 31)
    expect(await pruneAll()).toEqual([1])
    expect(await logOf(webhook)).toEqual([])
    expect([await rows('delivery_batches'), await rows('deliveries')]).toEqual([0, 0])
  })

  test('until then stay as they are', async () => {
    const webhook = await attempted(['delivered', 'failed'], 29)
    const before = await logOf(webhook)
    expect(before).toHaveLength(2)
    expect(await pruneAll()).toEqual([0])
    expect(await logOf(webhook)).toEqual(before)
  })

  test('stay with all of their batch while one of it is pending, however old, and go after it', async () => {
    const webhook = await attempted(['delivered', 'pending', 'failed'], 400)
    const before = await logOf(webhook)
    expect(await pruneAll()).toEqual([0])
    expect(await logOf(webhook)).toEqual(before)
    await db.sql`update deliveries set state = 'failed' where webhook_id = ${webhook.id}`
    await db.sql`delete from delivery_batches where webhook_id = ${webhook.id} and origin is not null`
    expect(await pruneAll()).toEqual([1])
    expect(await logOf(webhook)).toEqual([])
  })

  test('that were never attempted stay, however old', async () => {
    const webhook = await aWebhook(db.sql, account)
    await someEvents(db.sql, account, 3)
    await fanOut(db.sql, 3)
    await db.sql`update delivery_batches set created_at = now() - interval '400 days', due_at = now() - interval '400 days'`
    expect(await pruneAll()).toEqual([0])
    const [batch] = await Deliveries.lease(db.sql, [webhook.id], 30_000)
    expect(batch?.deliveries).toHaveLength(3)
  })

  test('that are asked for again stay until they are made', async () => {
    const webhook = await attempted(['delivered'], 31)
    const [delivery] = await logOf(webhook)
    await redeliver(db.sql, account, delivery?.id ?? '')
    expect(await pruneAll()).toEqual([0])
    expect(await Deliveries.lease(db.sql, [webhook.id], 30_000)).toHaveLength(1)
  })

  test('that are asked for again while they are being removed are made all the same', async () => {
    const webhook = await attempted(['failed'], 31)
    const [delivery] = await logOf(webhook)
    const pruned = Promise.withResolvers<number[]>()
    await db.sql.begin(async (transaction) => {
      await redeliver(transaction as unknown as typeof db.sql, account, delivery?.id ?? '')
      pruned.resolve(pruneAll())
      await eventually(
        async () =>
          (
            await db.sql`
            select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
          ).length > 0,
      )
    })
    expect(await pruned.promise).toEqual([1])
    const [batch] = await Deliveries.lease(db.sql, [webhook.id], 30_000)
    expect(batch?.deliveries).toHaveLength(1)
  })

  test('once forgotten are not found', async () => {
    const webhook = await attempted(['failed'], 31)
    const [delivery] = await logOf(webhook)
    await pruneAll()
    const again = redeliver(db.sql, account, delivery?.id ?? '')
    expect(again).rejects.toMatchObject({ reason: 'not_found' })
  })

  test('leave the trail they told of alone', async () => {
    await attempted(['delivered', 'failed'], 31)
    await pruneAll()
    expect(await rows('events')).toBe(2)
  })

  test('are taken a few at a time, and not looked at again behind the first that stays', async () => {
    const webhook = await aWebhook(db.sql, account)
    await db.sql`
      insert into delivery_batches (webhook_id, places, subject_ids, sequences, created_at, log)
      select ${webhook.id}, '{0}', array[gen_random_uuid()], '{2}', now() - (60 - n) * interval '1 day', '[null]'
      from generate_series(1, 50) as n order by n`
    expect(await pruneAll(20)).toEqual([20, 10])
    expect(await rows('delivery_batches')).toBe(20)
  })

  test('are removed once, however many do it at the same time', async () => {
    const webhook = await aWebhook(db.sql, account)
    await db.sql`
      insert into delivery_batches (webhook_id, places, subject_ids, sequences, created_at, log)
      select ${webhook.id}, '{0}', array[gen_random_uuid()], '{2}', now() - interval '31 days', '[null]'
      from generate_series(1, 3000)`
    const walks = await Promise.all([pruneAll(100), pruneAll(100), pruneAll(100), pruneAll(100)])
    const removed = walks.flat().reduce((sum, count) => sum + count, 0)
    expect(removed).toBe(3_000)
    expect(await rows('delivery_batches')).toBe(0)
  })
})

describe('idempotency keys', () => {
  async function keys(count: number, ageHours: number): Promise<void> {
    await db.sql`
      insert into idempotency_keys (account_id, route, key, request_hash, subject_id, created_at)
      select ${account}, 'POST /v1/invoices', gen_random_uuid(), '\\x00', gen_random_uuid(),
        now() - ${ageHours} * interval '1 hour' - n * interval '1 second'
      from generate_series(1, ${count}) as n`
  }

  async function pruneKeys(limit: number): Promise<number[]> {
    const removed: number[] = []
    let pruned: Pruned = { removed: 0, place: null, isDone: false }
    while (!pruned.isDone) {
      pruned = await pruneIdempotencyKeys(db.sql, { after: pruned.place, limit })
      removed.push(pruned.removed)
    }
    return removed
  }

  test('are kept for 24 hours, and no longer', async () => {
    await keys(2, 23.9)
    await keys(3, 24)
    expect(await pruneKeys(1_000)).toEqual([3])
    expect(await rows('idempotency_keys')).toBe(2)
  })

  test('are taken a few at a time, oldest first', async () => {
    await keys(25, 24)
    expect(await pruneKeys(10)).toEqual([10, 10, 5])
  })

  test('of one moment go too, though there be more of them than are taken at a time', async () => {
    await keys(25, 24)
    await db.sql`update idempotency_keys set created_at = '2020-01-01'`
    expect(await pruneKeys(10)).toEqual([10, 10, 5])
  })

  test('are removed once, however many do it at the same time', async () => {
    await keys(2_000, 24)
    const walks = await Promise.all([pruneKeys(100), pruneKeys(100), pruneKeys(100)])
    expect(walks.flat().reduce((sum, count) => sum + count, 0)).toBe(2_000)
  })
})
