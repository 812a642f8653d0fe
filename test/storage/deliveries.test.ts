import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import * as Deliveries from '../../src/storage/deliveries.ts'
import { fanOut } from '../../src/storage/outbox.ts'
import { deleteWebhook, updateWebhook } from '../../src/storage/webhooks.ts'
import { type TestDatabase, testDatabase } from '../support/postgres.ts'
import { anAccount, aWebhook, openSecret, someEvents } from '../support/webhooks.ts'

let db: TestDatabase
let account: string

beforeAll(async () => {
  db = await testDatabase()
})

beforeEach(async () => {
  await db.sql`truncate events, deliveries, delivery_attempts, webhooks`
  account = await anAccount(db.sql)
})

afterAll(() => db.drop())

const leaseMs = 30_000

async function someDeliveries(count = 1) {
  const webhook = await aWebhook(db.sql, account)
  const subjectId = await someEvents(db.sql, account, count)
  const { deliveries } = await fanOut(db.sql, count)
  return { webhook, subjectId, ids: deliveries.flatMap(({ deliveryIds }) => deliveryIds) }
}

type Given = Partial<Deliveries.Outcome>

function outcome(webhook: { id: string }, id: string, change: Given = {}): Deliveries.Outcome {
  return {
    id,
    webhookId: webhook.id,
    attempt: 1,
    startedAt: new Date(),
    durationMs: 12.6,
    statusCode: 500,
    error: null,
    excerpt: 'a "quoted" \\ text',
    delivered: false,
    gone: false,
    retryDelayMs: 60_000,
    ...change,
  }
}

async function stateOf(id: string) {
  const [row] = await db.sql<
    { state: string; attempts: number; wait: number; leased_until: Date | null }[]
  >`select state, attempts, leased_until, extract(epoch from next_attempt_at - now())::float8 as wait
    from deliveries where id = ${id}`
  return row!
}

async function webhookOf(id: string) {
  const [row] = await db.sql<
    { active: boolean; disabled_reason: string | null; failing_since: Date | null }[]
  >`select active, disabled_reason, failing_since from webhooks where id = ${id}`
  return row!
}

describe('claimed', () => {
  test('a due delivery comes with all that an attempt needs', async () => {
    const { webhook, subjectId, ids } = await someDeliveries()
    const [claimed] = await Deliveries.claim(db.sql, ids, leaseMs)
    expect(claimed).toMatchObject({
      id: ids[0],
      webhookId: webhook.id,
      url: webhook.url,
      previousSecretSealed: null,
      attempt: 1,
      event: { subjectId, sequence: 1, type: 'invoice.created', data: '{"n":1}' },
    })
    expect(openSecret(claimed!.secretSealed)).toBe(webhook.secret)
  })

  test('by one of many at once, and by nobody else until the lease is over', async () => {
    const { ids } = await someDeliveries(20)
    const claims = await Promise.all(
      Array.from({ length: 6 }, () => Deliveries.claim(db.sql, ids, leaseMs)),
    )
    const taken = claims.flat().map(({ id }) => id)
    expect(taken.toSorted()).toEqual(ids.toSorted())
    expect(await Deliveries.claim(db.sql, ids, leaseMs)).toEqual([])
    await db.sql`update deliveries set leased_until = now() - interval '1 millisecond'`
    expect(await Deliveries.claim(db.sql, ids, leaseMs)).toHaveLength(20)
  })

  test('never before it is due, after it is done, or while its webhook is paused', async () => {
    const { webhook, ids } = await someDeliveries(3)
    const [early, done, paused] = ids as [string, string, string]
    await db.sql`update deliveries set next_attempt_at = now() + interval '1 second' where id = ${early}`
    await db.sql`update deliveries set state = 'delivered' where id = ${done}`
    const change = { url: null, events: null, active: false }
    await updateWebhook(db.sql, account, webhook.id, change, new Date())
    expect(await Deliveries.claim(db.sql, ids, leaseMs)).toEqual([])
    await updateWebhook(db.sql, account, webhook.id, { ...change, active: true }, new Date())
    expect(await Deliveries.claim(db.sql, ids, leaseMs)).toMatchObject([{ id: paused }])
  })

  test('never for a deleted webhook; one fanned out too late for the deletion is cancelled', async () => {
    const { webhook, ids } = await someDeliveries()
    await deleteWebhook(db.sql, account, webhook.id, new Date())
    await db.sql`update deliveries set state = 'pending'`
    expect(await Deliveries.claim(db.sql, ids, leaseMs)).toEqual([])
    expect(await stateOf(ids[0]!)).toMatchObject({ state: 'cancelled' })
  })
})

describe('found due', () => {
  test('in groups of at most 50 of one webhook, and none that is held', async () => {
    const { webhook, ids } = await someDeliveries(120)
    await Deliveries.claim(db.sql, ids.slice(0, 10), leaseMs)
    const found = await Deliveries.due(db.sql, 1_000)
    expect(found.map(({ deliveryIds }) => deliveryIds.length).toSorted()).toEqual([10, 50, 50])
    expect(new Set(found.map(({ webhookId }) => webhookId))).toEqual(new Set([webhook.id]))
    expect(found.flatMap(({ deliveryIds }) => deliveryIds).toSorted()).toEqual(
      ids.slice(10).toSorted(),
    )
  })

  test('a webhook with many never crowds out one with few', async () => {
    await someDeliveries(100)
    account = await anAccount(db.sql)
    const few = await someDeliveries(2)
    const found = await Deliveries.due(db.sql, 10)
    expect(found.flatMap(({ deliveryIds }) => deliveryIds)).toHaveLength(10)
    expect(
      found.find(({ webhookId }) => webhookId === few.webhook.id)?.deliveryIds.toSorted(),
    ).toEqual(few.ids.toSorted())
  })
})

describe('recorded', () => {
  test('a success, a failure to be retried and the last failure, each with its attempt', async () => {
    const { webhook, ids } = await someDeliveries(3)
    const [delivered, retried, failed] = ids as [string, string, string]
    await Deliveries.claim(db.sql, ids, leaseMs)
    await Deliveries.record(db.sql, [
      outcome(webhook, delivered, { delivered: true, statusCode: 204, retryDelayMs: null }),
      outcome(webhook, retried),
      outcome(webhook, failed, {
        statusCode: null,
        error: 'ECONNRESET',
        excerpt: null,
        retryDelayMs: null,
      }),
    ])
    expect(await stateOf(delivered)).toMatchObject({ state: 'delivered', leased_until: null })
    expect(await stateOf(failed)).toMatchObject({ state: 'failed', attempts: 1 })
    const again = await stateOf(retried)
    expect(again).toMatchObject({ state: 'pending', attempts: 1, leased_until: null })
    expect(again.wait).toBeWithin(58, 60.001)
    const attempts = await db.sql`select attempt, duration_ms, status_code, error, response_excerpt
      from delivery_attempts where delivery_id = any(${[retried, failed]}::uuid[]) order by status_code`
    expect([...attempts]).toEqual([
      {
        attempt: 1,
        duration_ms: 13,
        status_code: 500,
        error: null,
        response_excerpt: 'a "quoted" \\ text',
      },
      {
        attempt: 1,
        duration_ms: 13,
        status_code: null,
        error: 'ECONNRESET',
        response_excerpt: null,
      },
    ])
  })

  test('an outcome that comes late never replaces a newer one, nor revives a cancelled delivery', async () => {
    const { webhook, ids } = await someDeliveries(2)
    const [overtaken, cancelled] = ids as [string, string]
    const success = { delivered: true, retryDelayMs: null }
    await Deliveries.record(db.sql, [outcome(webhook, overtaken, success)])
    await db.sql`update deliveries set state = 'cancelled' where id = ${cancelled}`
    await Deliveries.record(db.sql, [outcome(webhook, overtaken), outcome(webhook, cancelled)])
    await db.sql`update deliveries set state = 'pending', attempts = 3 where id = ${overtaken}`
    await Deliveries.record(db.sql, [outcome(webhook, overtaken, { attempt: 3, ...success })])
    expect(await stateOf(overtaken)).toMatchObject({ state: 'pending', attempts: 3 })
    expect(await stateOf(cancelled)).toMatchObject({ state: 'cancelled', attempts: 0 })
    expect(await webhookOf(webhook.id)).toMatchObject({ failing_since: null })
    expect(await db.sql`select from delivery_attempts`).toHaveLength(1)
  })

  test('beside a deletion of the webhook without a deadlock', async () => {
    for (let round = 0; round < 10; round++) {
      const { webhook, ids } = await someDeliveries(60)
      const outcomes = ids.map((id) => outcome(webhook, id))
      await Promise.all([
        Deliveries.record(db.sql, outcomes.slice(0, 30)),
        deleteWebhook(db.sql, account, webhook.id, new Date()),
        Deliveries.record(db.sql, outcomes.slice(30)),
      ])
    }
    const [row] = await db.sql<{ deadlocks: bigint }[]>`
      select deadlocks from pg_stat_database where datname = current_database()`
    expect(row!.deadlocks).toBe(0n)
    expect(await db.sql`select from deliveries where state = 'pending'`).toHaveLength(0)
  })

  test('nothing, for no outcomes', async () => {
    await Deliveries.record(db.sql, [])
  })
})

describe('a webhook', () => {
  test('is failing since its first failure, until one success', async () => {
    const { webhook, ids } = await someDeliveries(3)
    await Deliveries.record(db.sql, [outcome(webhook, ids[0]!)])
    const { failing_since } = await webhookOf(webhook.id)
    expect(failing_since).not.toBeNull()
    await Deliveries.record(db.sql, [outcome(webhook, ids[1]!)])
    expect(await webhookOf(webhook.id)).toEqual({
      active: true,
      disabled_reason: null,
      failing_since,
    })
    await Deliveries.record(db.sql, [
      outcome(webhook, ids[2]!, { delivered: true, retryDelayMs: null }),
    ])
    expect((await webhookOf(webhook.id)).failing_since).toBeNull()
  })

  test('is switched off by 410', async () => {
    const { webhook, ids } = await someDeliveries()
    await Deliveries.record(db.sql, [outcome(webhook, ids[0]!, { gone: true, retryDelayMs: null })])
    expect(await webhookOf(webhook.id)).toMatchObject({
      active: false,
      disabled_reason: 'the receiver answered 410 Gone',
    })
  })

  test('is switched off after five days of failure, and not before', async () => {
    const { webhook, ids } = await someDeliveries(2)
    const failingFor = (time: string) =>
      db.sql`update webhooks set failing_since = now() - ${time}::interval where id = ${webhook.id}`
    await failingFor('4 days 23 hours')
    await Deliveries.record(db.sql, [outcome(webhook, ids[0]!)])
    expect((await webhookOf(webhook.id)).active).toBe(true)
    await failingFor('5 days 1 second')
    await Deliveries.record(db.sql, [outcome(webhook, ids[1]!)])
    expect(await webhookOf(webhook.id)).toMatchObject({
      active: false,
      disabled_reason: 'every delivery failed for 5 days',
    })
  })
})
