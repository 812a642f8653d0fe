import { beforeEach, describe, expect, test } from 'bun:test'
import { lease } from '../../../src/storage/webhooks/deliveries.ts'
import { record } from '../../../src/storage/webhooks/delivery-results.ts'
import { fanOut } from '../../../src/storage/webhooks/outbox.ts'
import { deleteWebhook, updateWebhook } from '../../../src/storage/webhooks/webhooks.ts'
import { anAccount, aWebhook, resultOf, someEvents } from '../../support/webhooks.ts'
import { useWorld } from '../../support/world.ts'

const { database: db } = useWorld({ service: 'none' })
let account: string

beforeEach(async () => {
  await db.sql`truncate events, outbox, deliveries, delivery_batches, webhooks`
  account = await anAccount(db.sql)
})

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

  test('in batches of at most 2 where they are of mandates, which may be large', async () => {
    const { id } = await aWebhook(db.sql, account, ['invoice.created', 'mandate.proposed'])
    await someEvents(db.sql, account, 3, 'invoice.created')
    await someEvents(db.sql, account, 5, 'mandate.proposed')
    expect(await fanOut(db.sql, 100)).toEqual({ batches: 8, webhookIds: [id] })
    const batches = await announced(id)
    expect(batches.toSorted()).toEqual([[1, 2], [1, 2, 3], [3, 4], [5]])
    const rows = await db.sql<{ places: number[] }[]>`select places from delivery_batches`
    for (const { places } of rows) expect(places).toEqual([...places.keys()])
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

describe('a webhook paused before what happened was fanned out', () => {
  const pause = { url: null, events: null, active: false }
  const resume = { ...pause, active: true }

  test('gets what happened before its pause, and not what happened during it', async () => {
    const { id } = await aWebhook(db.sql, account)
    await someEvents(db.sql, account, 2)
    await updateWebhook(db.sql, account, id, pause, new Date())
    await someEvents(db.sql, account)
    // A second pause does not make the first one later.
    await updateWebhook(db.sql, account, id, pause, new Date())
    expect(await fanOut(db.sql, 10)).toEqual({ batches: 3, webhookIds: [id] })
    expect(await announced(id)).toEqual([[1, 2]])
  })

  test('gets nothing that happened during a second pause', async () => {
    const { id } = await aWebhook(db.sql, account)
    for (const change of [pause, resume, pause])
      await updateWebhook(db.sql, account, id, change, new Date())
    await someEvents(db.sql, account)
    expect(await fanOut(db.sql, 10)).toEqual({ batches: 1, webhookIds: [] })
  })

  test('gets it also where the service itself has switched it off', async () => {
    const { id } = await aWebhook(db.sql, account)
    await someEvents(db.sql, account)
    await fanOut(db.sql, 10)
    const [batch] = await lease(db.sql, [id], 15_000)
    await someEvents(db.sql, account)
    await record(db.sql, [resultOf(batch!, { gone: true, retryDelayMs: null })])
    await someEvents(db.sql, account)
    expect(await fanOut(db.sql, 10)).toEqual({ batches: 2, webhookIds: [id] })
    expect((await announced(id)).map((sequences) => sequences.length)).toEqual([1, 1])
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
