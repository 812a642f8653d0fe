import { beforeEach, describe, expect, test } from 'bun:test'
import { lease } from '../../../src/storage/webhooks/deliveries.ts'
import { record } from '../../../src/storage/webhooks/delivery-results.ts'
import { fanOut } from '../../../src/storage/webhooks/outbox.ts'
import * as Webhooks from '../../../src/storage/webhooks/webhooks.ts'
import {
  anAccount,
  aWebhook,
  openSecret,
  resultOf,
  sealSecret,
  someEvents,
} from '../../support/webhooks.ts'
import { useWorld } from '../../support/world.ts'

const { database: db } = useWorld({ service: 'none' })
let account: string

beforeEach(async () => {
  account = await anAccount(db.sql)
})

const notFound = { reason: 'not_found' }
const nothing = { url: null, events: null, active: null }
const tomorrow = () => new Date(Date.now() + 86_400_000)

describe('created', () => {
  test('a webhook reads as it was given, active, and never with its secret', async () => {
    const id = Bun.randomUUIDv7()
    const now = new Date()
    const wanted = { id, url: 'https://a.test/', events: ['invoice.paid'] }
    const secretSealed = sealSecret('a-secret-of-some-length')
    const created = await Webhooks.createWebhook(db.sql, account, { ...wanted, secretSealed }, now)
    expect(created).toEqual({
      ...wanted,
      active: true,
      disabledReason: null,
      createdAt: now,
      updatedAt: now,
    })
    expect(await Webhooks.findWebhook(db.sql, account, id)).toEqual(created)
    expect(await Webhooks.listWebhooks(db.sql, account)).toEqual([created])
  })

  test('fifty, and never one more, however many are asked for at once', async () => {
    const made = await Promise.allSettled(
      Array.from({ length: 60 }, () => aWebhook(db.sql, account)),
    )
    const refused = made.flatMap((one) => (one.status === 'rejected' ? [one.reason.reason] : []))
    expect(refused).toEqual(Array(10).fill('limit_reached'))
    const kept = await Webhooks.listWebhooks(db.sql, account)
    expect(kept).toHaveLength(50)
    await Webhooks.deleteWebhook(db.sql, account, kept[20]!.id, new Date())
    await aWebhook(db.sql, account)
    await expect(aWebhook(db.sql, account)).rejects.toMatchObject({ reason: 'limit_reached' })
  })
})

describe('changed', () => {
  test('only what is given', async () => {
    const { id, secret: _, ...before } = await aWebhook(db.sql, account)
    const now = new Date()
    const change = { ...nothing, events: ['invoice.paid', 'invoice.settled'] }
    const after = await Webhooks.updateWebhook(db.sql, account, id, change, now)
    expect(after).toEqual({ ...before, id, events: change.events, updatedAt: now })
    const moved = { ...nothing, url: 'https://b.test/' }
    expect(await Webhooks.updateWebhook(db.sql, account, id, moved, now)).toEqual({
      ...after,
      url: moved.url,
    })
  })

  test('activating a disabled one forgets why it was disabled', async () => {
    const { id } = await aWebhook(db.sql, account)
    await db.sql`update webhooks set active = false, disabled_reason = 'x', failing_since = now() where id = ${id}`
    const change = { ...nothing, active: true }
    const after = await Webhooks.updateWebhook(db.sql, account, id, change, new Date())
    expect(after).toMatchObject({ active: true, disabledReason: null })
    const [row] = await db.sql`select failing_since from webhooks where id = ${id}`
    expect(row).toEqual({ failing_since: null })
  })

  test('a rotated secret signs beside the one before it until the overlap is over', async () => {
    const { id, secret } = await aWebhook(db.sql, account)
    await someEvents(db.sql, account)
    await fanOut(db.sql, 10)
    const rotation = { secretSealed: sealSecret('the-next-secret'), overlapUntil: tomorrow() }
    await Webhooks.rotateSecret(db.sql, account, id, rotation, new Date())
    const [during] = await lease(db.sql, [id], 0)
    expect(openSecret(during!.secretSealed)).toBe('the-next-secret')
    expect(openSecret(during!.previousSecretSealed!)).toBe(secret)
    await db.sql`update webhooks set previous_secret_until = now() where id = ${id}`
    const [after] = await lease(db.sql, [id], 0)
    expect(after!.previousSecretSealed).toBeNull()
  })
})

describe('deleted', () => {
  test('a webhook is gone, and with it what was due to it, now or later', async () => {
    const { id } = await aWebhook(db.sql, account)
    const other = await aWebhook(db.sql, account)
    await someEvents(db.sql, account, 3)
    await fanOut(db.sql, 10)
    const [batch] = await lease(db.sql, [id], 30_000)
    await record(db.sql, [resultOf(batch!)])
    await someEvents(db.sql, account, 2)
    await fanOut(db.sql, 10)
    await Webhooks.deleteWebhook(db.sql, account, id, new Date())
    const states = await db.sql<{ state: string }[]>`select state from deliveries`
    expect(states.map(({ state }) => state)).toEqual(Array(3).fill('cancelled'))
    expect(await Webhooks.listWebhooks(db.sql, account)).toMatchObject([{ id: other.id }])
    expect(await dueTo(id)).toBe(0)
    expect(await dueTo(other.id)).toBe(2)
  })
})

async function dueTo(webhookId: string): Promise<number> {
  const [row] = await db.sql<{ count: number }[]>`
    select count(*)::integer from delivery_batches where webhook_id = ${webhookId} and due_at is not null`
  return row!.count
}

describe('not found', () => {
  test('what never was, was deleted, or is another account’s', async () => {
    const deleted = await aWebhook(db.sql, account)
    await Webhooks.deleteWebhook(db.sql, account, deleted.id, new Date())
    const theirs = await aWebhook(db.sql, await anAccount(db.sql))
    const rotation = { secretSealed: sealSecret('x'), overlapUntil: tomorrow() }
    const now = new Date()
    for (const id of [Bun.randomUUIDv7(), deleted.id, theirs.id]) {
      const { sql } = db
      await expect(Webhooks.findWebhook(sql, account, id)).rejects.toMatchObject(notFound)
      await expect(Webhooks.updateWebhook(sql, account, id, nothing, now)).rejects.toMatchObject(
        notFound,
      )
      await expect(Webhooks.deleteWebhook(sql, account, id, now)).rejects.toMatchObject(notFound)
      await expect(Webhooks.rotateSecret(sql, account, id, rotation, now)).rejects.toMatchObject(
        notFound,
      )
    }
    expect(await Webhooks.listWebhooks(db.sql, account)).toEqual([])
    const [row] = await db.sql`select active, deleted_at from webhooks where id = ${theirs.id}`
    expect(row).toEqual({ active: true, deleted_at: null })
  })
})
