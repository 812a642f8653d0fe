import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import * as Event from '../../src/domain/event.ts'
import { createEgress } from '../../src/http/egress.ts'
import { createDeliver } from '../../src/queues/deliver.ts'
import * as Deliveries from '../../src/storage/deliveries.ts'
import { fanOut } from '../../src/storage/outbox.ts'
import { deleteWebhook, isWanted, rotateSecret } from '../../src/storage/webhooks.ts'
import { type TestDatabase, testDatabase } from '../support/postgres.ts'
import { startReceiver, startSocketReceiver, verify } from '../support/receiver.ts'
import { eventually } from '../support/wait.ts'
import { anAccount, aWebhook, openSecret, sealSecret, someEvents } from '../support/webhooks.ts'

let db: TestDatabase
let account: string
const running: { stop(): unknown }[] = []
const egress = createEgress({ allowPrivate: true })

beforeAll(async () => {
  db = await testDatabase()
})

beforeEach(async () => {
  await db.sql`truncate events, deliveries, delivery_attempts, webhooks`
  account = await anAccount(db.sql)
})

afterEach(async () => {
  for (const server of running.splice(0)) await server.stop()
})

afterAll(() => db.drop())

type Options = Parameters<typeof createDeliver>[0]

/** The worker as `app.ts` makes it, with a shorter time limit; `retries` is what it asked to be woken for. */
function worker(over: Partial<Options> = {}, limitMs = 400) {
  const retries: { ids: readonly string[]; at: Date }[] = []
  const run = createDeliver({
    claim: (ids) => Deliveries.claim(db.sql, ids, 30_000),
    isWanted: (webhookId) => isWanted(db.sql, webhookId),
    record: (outcomes) => Deliveries.record(db.sql, outcomes),
    send: (url, request) => egress.send(url, { ...request, timeoutMs: limitMs }),
    openSecret,
    scheduleMs: [0, 5_000, 60_000],
    now: () => new Date(),
    random: () => 0.5,
    retryAt: (ids, at) => retries.push({ ids, at }),
    ...over,
  })
  return { run, retries }
}

function receiver(answer?: Parameters<typeof startReceiver>[0]) {
  const started = startReceiver(answer)
  running.push(started)
  return started
}

async function socketReceiver(...[answer]: Parameters<typeof startSocketReceiver>) {
  const started = await startSocketReceiver(answer)
  running.push(started)
  return started
}

/** `count` deliveries of one subject's events to a new webhook at `url`. */
async function deliveriesTo(url: string, count = 1) {
  const webhook = await aWebhook(db.sql, account, ['invoice.created'], url)
  const subjectId = await someEvents(db.sql, account, count)
  const { deliveries } = await fanOut(db.sql, count)
  const mine = deliveries.find(({ webhookId }) => webhookId === webhook.id)
  return { webhook, subjectId, ids: mine!.deliveryIds }
}

async function makeDue(): Promise<void> {
  await db.sql`update deliveries set next_attempt_at = now()`
}

async function summary() {
  const rows = await db.sql<
    { state: string; attempts: number; status: number | null; error: string | null }[]
  >`
    select state, attempts, status_code as status, error
    from deliveries left join delivery_attempts on delivery_id = id and attempt = attempts`
  return rows.map((row) => ({ ...row }))
}

describe('delivered', () => {
  test('an event arrives once, as the envelope, with signatures its receiver can verify', async () => {
    const target = receiver()
    const { webhook, subjectId, ids } = await deliveriesTo(target.url)
    await worker().run(ids)
    expect(target.received).toHaveLength(1)
    const [got] = target.received
    expect(JSON.parse(got!.body)).toEqual({
      id: Event.id(subjectId, 1),
      type: 'invoice.created',
      createdAt: expect.any(String),
      sequence: 1,
      data: { n: 1 },
    })
    expect(got!.headers).toMatchObject({
      'content-type': 'application/json',
      'x-service-event': 'invoice.created',
      'webhook-id': Event.id(subjectId, 1),
    })
    expect(verify(got!, webhook.secret)).toEqual({ plain: true, standard: true })
    expect(await summary()).toEqual([{ state: 'delivered', attempts: 1, status: 204, error: null }])
  })

  test('to every due delivery it is told of, and never twice by workers that are told the same', async () => {
    const target = receiver()
    const { ids } = await deliveriesTo(target.url, 120)
    const [one, two] = [worker(), worker()]
    await Promise.all([one.run(ids), two.run(ids)])
    expect(target.received).toHaveLength(120)
    expect(new Set(target.received.map(({ headers }) => headers['webhook-id'])).size).toBe(120)
    await one.run(ids)
    expect(target.received).toHaveLength(120)
  })

  test('an answer of 100 MB counts by its status and is not read', async () => {
    const target = await socketReceiver((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 104857600\r\n\r\n')
      socket.write(Buffer.alloc(2 ** 20, 'x'))
    })
    const { ids } = await deliveriesTo(target.url)
    await worker().run(ids)
    const [attempt] = await db.sql`select response_excerpt from delivery_attempts`
    expect(attempt!.response_excerpt).toBe('x'.repeat(500))
    expect(await summary()).toMatchObject([{ state: 'delivered', status: 200 }])
  })

  test('after a crash between sending and recording, again under the same event id', async () => {
    const target = receiver()
    const { ids } = await deliveriesTo(target.url)
    const crashing = worker({ record: () => Promise.reject(new Error('killed')) })
    await expect(crashing.run(ids)).rejects.toThrow('killed')
    await worker().run(ids)
    expect(target.received).toHaveLength(1)
    // The lease of the dead worker is over.
    await db.sql`update deliveries set leased_until = now() - interval '1 second'`
    await worker().run(ids)
    const [first, second] = target.received.map(({ headers }) => headers['webhook-id'])
    expect(second).toBe(first!)
    expect(await summary()).toMatchObject([{ state: 'delivered', attempts: 1 }])
  })
})

describe('tried again', () => {
  test('by the schedule after 500, signed afresh each time, then given up', async () => {
    const target = receiver(() => new Response('broken\u0000', { status: 500 }))
    const { webhook, ids } = await deliveriesTo(target.url)
    const { run, retries } = worker()
    for (const waitMs of [5_000, 60_000]) {
      await run(ids)
      const { ids: woken, at } = retries.at(-1)!
      expect(woken).toEqual([...ids])
      expect(at.getTime() - Date.now()).toBeWithin(waitMs - 1_000, waitMs + 1)
      const [row] = await db.sql<{ wait: number }[]>`
        select extract(epoch from next_attempt_at - now())::float8 * 1000 as wait from deliveries`
      expect(row!.wait).toBeWithin(waitMs - 1_000, waitMs + 1)
      await makeDue()
      await Bun.sleep(1_000)
    }
    await run(ids)
    expect(retries).toHaveLength(2)
    expect(await summary()).toEqual([{ state: 'failed', attempts: 3, status: 500, error: null }])
    const signatures = target.received.map(({ headers }) => headers['webhook-signature'])
    expect(new Set(signatures).size).toBe(3)
    for (const got of target.received)
      expect(verify(got, webhook.secret)).toEqual({ plain: true, standard: true })
    const [attempt] = await db.sql`select response_excerpt from delivery_attempts`
    expect(attempt!.response_excerpt).toBe('broken')
  })

  test('as late as a 429 asks, in seconds or by date', async () => {
    const at = new Date(Date.now() + 300_000)
    for (const value of ['300', at.toUTCString()]) {
      const headers = { 'retry-after': value }
      const target = receiver(() => new Response(null, { status: 429, headers }))
      const { ids } = await deliveriesTo(target.url)
      const { run, retries } = worker()
      await run(ids)
      expect(retries[0]!.at.getTime()).toBeWithin(at.getTime() - 2_000, at.getTime() + 3_000)
    }
  })

  test('a redirect to loopback is not followed', async () => {
    const secret = receiver()
    const headers = { location: secret.url }
    const target = receiver(() => new Response(null, { status: 301, headers }))
    await worker().run((await deliveriesTo(target.url)).ids)
    expect(secret.received).toHaveLength(0)
    expect(await summary()).toMatchObject([{ state: 'pending', attempts: 1, status: 301 }])
  })

  test('silence, a reset, a closed port and a forbidden address are failures with a reason', async () => {
    const silent = await socketReceiver(() => {})
    const reset = await socketReceiver((socket) => socket.resetAndDestroy())
    const cases = {
      [silent.url]: 'no answer within the time limit',
      [reset.url]: 'ECONNRESET',
      'http://127.0.0.1:1/hook': 'ECONNREFUSED',
      'http://169.254.169.254/': 'url: points to a linkLocal address',
    }
    for (const [url, error] of Object.entries(cases)) {
      await db.sql`truncate events, deliveries, delivery_attempts, webhooks`
      await worker().run((await deliveriesTo(url)).ids)
      expect(await summary()).toEqual([{ state: 'pending', attempts: 1, status: null, error }])
    }
  })
})

describe('no more', () => {
  test('410 ends the delivery and switches the webhook off', async () => {
    const target = receiver(() => new Response(null, { status: 410 }))
    const { webhook, ids } = await deliveriesTo(target.url, 1)
    const { run, retries } = worker()
    await run(ids)
    expect(retries).toEqual([])
    expect(await summary()).toMatchObject([{ state: 'failed', attempts: 1, status: 410 }])
    const [row] =
      await db.sql`select active, disabled_reason from webhooks where id = ${webhook.id}`
    expect(row).toEqual({ active: false, disabled_reason: 'the receiver answered 410 Gone' })
  })

  test('no attempt starts after DELETE', async () => {
    const target = receiver()
    const { webhook, ids } = await deliveriesTo(target.url, 100)
    await deleteWebhook(db.sql, account, webhook.id, new Date())
    await worker().run(ids)
    expect(target.received).toHaveLength(0)
  })

  test('nor one that was claimed before it, and had to wait for others', async () => {
    const target = receiver(async () => {
      await Bun.sleep(300)
      return new Response(null, { status: 204 })
    })
    const { webhook, ids } = await deliveriesTo(target.url, 100)
    const done = worker({}, 1_000).run(ids)
    await eventually(() => target.received.length > 0)
    await Bun.sleep(50)
    await deleteWebhook(db.sql, account, webhook.id, new Date())
    const started = target.received.length
    await done
    expect(started).toBeLessThan(100)
    expect(target.received).toHaveLength(started)
  })
})

describe('during a rotation', () => {
  test('a delivery verifies with the new secret and with the old one', async () => {
    const target = receiver()
    const { webhook, ids } = await deliveriesTo(target.url)
    const next = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
    const rotation = {
      secretSealed: sealSecret(next),
      overlapUntil: new Date(Date.now() + 60_000),
    }
    await rotateSecret(db.sql, account, webhook.id, rotation, new Date())
    await worker().run(ids)
    const [got] = target.received
    expect(verify(got!, next)).toEqual({ plain: true, standard: true })
    expect(verify(got!, webhook.secret)).toMatchObject({ standard: true })
  })
})

describe('our own fault', () => {
  test('a secret that cannot be opened is thrown, and the receiver’s record stays clean', async () => {
    const target = receiver()
    const { ids } = await deliveriesTo(target.url)
    const blind = worker({
      openSecret: () => {
        throw new Error('sealed under another SECRETS_KEY')
      },
    })
    await expect(blind.run(ids)).rejects.toThrow('another SECRETS_KEY')
    expect(target.received).toHaveLength(0)
    const [row] =
      await db.sql`select attempts, failing_since from deliveries join webhooks on webhooks.id = webhook_id`
    expect(row).toEqual({ attempts: 0, failing_since: null })
  })
})

describe('a receiver that does not answer', () => {
  test('never holds up the others', async () => {
    const silent = await socketReceiver(() => {})
    const well = receiver()
    const dead = await deliveriesTo(silent.url, 300)
    await db.sql`update webhooks set active = false`
    const healthy = await deliveriesTo(well.url, 20)
    await db.sql`update webhooks set active = true`
    const { run } = worker({}, 4_000)
    const stuck = run(dead.ids)
    await Bun.sleep(100)
    const startedMs = performance.now()
    await run(healthy.ids)
    expect(performance.now() - startedMs).toBeLessThan(1_000)
    expect(well.received).toHaveLength(20)
    await stuck
    // Only so many were tried at once; the rest are left to their lease, without an attempt on record.
    expect(silent.count().all).toBe(48)
    const [row] = await db.sql`select count(*)::int as untried from deliveries where attempts = 0`
    expect(row).toEqual({ untried: 252 })
  })
})
