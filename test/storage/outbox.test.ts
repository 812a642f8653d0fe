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
  await db.sql`truncate events, outbox, deliveries, delivery_batches, webhooks`
  account = await anAccount(db.sql)
})

afterAll(() => db.drop())

async function pending(): Promise<number> {
  const [row] = await db.sql<{ n: number }[]>`select count(*)::int as n from outbox`
  return row!.n
}

/** The sequences of the events due to a webhook, by batch. */
async function announced(webhookId: string): Promise<number[][]> {
  const rows = await db.sql<{ sequences: number[] }[]>`
    select sequences from delivery_batches where webhook_id = ${webhookId} order by id`
  return rows.map(({ sequences }) => sequences)
}

describe('fanned out', () => {
  test('to every webhook that wants the event, once', async () => {
    const [one, two] = [await aWebhook(db.sql, account), await aWebhook(db.sql, account)]
    await someEvents(db.sql, account, 3)
    const fanned = await fanOut(db.sql, 10)
    expect(fanned.batches).toBe(3)
    expect(fanned.webhookIds.toSorted()).toEqual([one.id, two.id].toSorted())
    for (const { id } of [one, two]) expect(await announced(id)).toEqual([[1, 2, 3]])
    expect(await fanOut(db.sql, 10)).toEqual({ batches: 0, webhookIds: [] })
    expect(await pending()).toBe(0)
  })

  test('in batches of at most 25 to one webhook', async () => {
    const { id } = await aWebhook(db.sql, account)
    await someEvents(db.sql, account, 60)
    await fanOut(db.sql, 100)
    const batches = await announced(id)
    expect(batches.map((sequences) => sequences.length)).toEqual([25, 25, 10])
    expect(batches.flat()).toEqual(Array.from({ length: 60 }, (_, n) => n + 1))
  })

  test('in batches of at most 2 events of mandates, beside those of invoices', async () => {
    const { id } = await aWebhook(db.sql, account, ['invoice.created', 'mandate.proposed'])
    await someEvents(db.sql, account, 30)
    await someEvents(db.sql, account, 5, 'mandate.proposed')
    await fanOut(db.sql, 100)
    const rows = await db.sql<{ places: number[]; sequences: number[] }[]>`
      select places, sequences from delivery_batches where webhook_id = ${id}`
    const sizes = rows.map(({ sequences }) => sequences.length)
    expect(sizes.toSorted((one, other) => other - one)).toEqual([25, 5, 2, 2, 1])
    for (const { places, sequences } of rows)
      expect(places).toEqual(Array.from(sequences, (_, place) => place))
    const inOrder = (numbers: number[]) => numbers.toSorted((one, other) => one - other)
    const all = [30, 5].flatMap((count) => Array.from({ length: count }, (_, n) => n + 1))
    expect(inOrder(rows.flatMap(({ sequences }) => sequences))).toEqual(inOrder(all))
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
    const { id } = await aWebhook(db.sql, account)
    await someEvents(db.sql, account, 200)
    await Promise.all(Array.from({ length: 8 }, () => fanOut(db.sql, 50)))
    await fanOut(db.sql, 200)
    const sequences = (await announced(id)).flat().toSorted((one, other) => one - other)
    expect(sequences).toEqual(Array.from({ length: 200 }, (_, n) => n + 1))
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
    expect(await fanOut(db.sql, 10)).toEqual({ batches: 1, webhookIds: [] })
  })
})
