import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { fanOut } from '../../src/storage/outbox.ts'
import { deleteWebhook, updateWebhook } from '../../src/storage/webhooks.ts'
import { type TestDatabase, testDatabase } from '../support/postgres.ts'
import { anAccount, aWebhook, someEvents } from '../support/webhooks.ts'

let db: TestDatabase
let account: string

beforeAll(async () => {
  db = await testDatabase()
})

beforeEach(async () => {
  await db.sql`truncate events, outbox, deliveries, delivery_attempts, webhooks`
  account = await anAccount(db.sql)
})

afterAll(() => db.drop())

async function pending(): Promise<number> {
  const [row] = await db.sql<{ n: number }[]>`select count(*)::int as n from outbox`
  return row!.n
}

describe('fanned out', () => {
  test('to every webhook that wants the event, once', async () => {
    const [one, two] = [await aWebhook(db.sql, account), await aWebhook(db.sql, account)]
    await someEvents(db.sql, account, 3)
    const fanned = await fanOut(db.sql, 10)
    expect(fanned.batches).toBe(3)
    const found = Object.fromEntries(
      fanned.deliveries.map(({ webhookId, deliveryIds }) => [webhookId, deliveryIds.length]),
    )
    expect(found).toEqual({ [one.id]: 3, [two.id]: 3 })
    expect(await fanOut(db.sql, 10)).toEqual({ batches: 0, deliveries: [] })
    expect(await pending()).toBe(0)
  })

  test('an event announced again never makes a second delivery', async () => {
    await aWebhook(db.sql, account)
    const subject = await someEvents(db.sql, account)
    await fanOut(db.sql, 10)
    await db.sql`insert into outbox (subject_ids, sequences, account_ids, types)
      values (array[${subject}::uuid], '{1}', array[${account}::uuid], '{invoice.created}')`
    expect(await fanOut(db.sql, 10)).toEqual({ batches: 1, deliveries: [] })
    expect(await pending()).toBe(0)
  })

  test('no more than the limit at once, oldest first', async () => {
    await aWebhook(db.sql, account)
    await someEvents(db.sql, account, 5)
    expect((await fanOut(db.sql, 2)).batches).toBe(2)
    const left = await db.sql<
      { sequence: number }[]
    >`select unnest(sequences) as sequence from outbox`
    expect(left.map(({ sequence }) => sequence).toSorted()).toEqual([3, 4, 5])
  })

  test('by several processes at once, each event by one of them', async () => {
    await aWebhook(db.sql, account)
    await someEvents(db.sql, account, 200)
    const rounds = await Promise.all(Array.from({ length: 8 }, () => fanOut(db.sql, 50)))
    const rest = await fanOut(db.sql, 200)
    const ids = [...rounds, rest].flatMap(({ deliveries }) =>
      deliveries.flatMap(({ deliveryIds }) => deliveryIds),
    )
    expect(new Set(ids).size).toBe(200)
    expect(ids).toHaveLength(200)
    expect(await pending()).toBe(0)
  })
})

describe('left out', () => {
  test('webhooks that are paused, deleted, of another account, or want other events', async () => {
    const [paused, deleted] = [await aWebhook(db.sql, account), await aWebhook(db.sql, account)]
    const change = { url: null, events: null, active: false }
    await updateWebhook(db.sql, account, paused.id, change, new Date())
    await deleteWebhook(db.sql, account, deleted.id, new Date())
    await aWebhook(db.sql, await anAccount(db.sql))
    await aWebhook(db.sql, account, ['invoice.paid'])
    await someEvents(db.sql, account)
    expect(await fanOut(db.sql, 10)).toEqual({ batches: 1, deliveries: [] })
  })
})
