import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { batchSize } from '../../../src/domain/webhooks/delivery.ts'
import * as Event from '../../../src/domain/webhooks/event.ts'
import { createEgress } from '../../../src/http/egress/egress.ts'
import { createDeliver } from '../../../src/queues/delivery/deliver.ts'
import { startWithinMs } from '../../../src/queues/delivery/leases.ts'
import { createDeliveryTraces } from '../../../src/queues/delivery/traces.ts'
import { listDeliveries } from '../../../src/storage/webhooks/delivery-log.ts'
import { fanOut } from '../../../src/storage/webhooks/outbox.ts'
import {
  deleteWebhook,
  rotateSecret,
  updateWebhook,
} from '../../../src/storage/webhooks/webhooks.ts'
import { type TestDatabase, testDatabase } from '../../support/postgres.ts'
import { startReceiver, startSocketReceiver, verify } from '../../support/receiver.ts'
import { eventually } from '../../support/wait.ts'
import { watchedSql } from '../../support/watched-sql.ts'
import { anAccount, aWebhook, openSecret, sealSecret, someEvents } from '../../support/webhooks.ts'

let db: TestDatabase
let account: string
const running: { stop(): unknown }[] = []
const egress = createEgress({ allowPrivate: true })

beforeAll(async () => {
  db = await testDatabase()
})

beforeEach(async () => {
  await db.sql`truncate events, deliveries, delivery_batches, webhooks`
  account = await anAccount(db.sql)
})

afterEach(async () => {
  for (const server of running.splice(0)) await server.stop()
})

afterAll(() => db.drop())

type Options = Parameters<typeof createDeliver>[0]

/** The worker's statements, by a part of their text. */
const statements = {
  lease: 'with next as',
  renew: 'with held as',
  wanted: 'select id from webhooks join',
  leaseAgain: 'returning due_at::text as "heldUntil"',
  record: 'verdict as (',
}
type Hooks = Partial<Record<keyof typeof statements, () => unknown>>

/** The connections of the database, with something done before or after statements. */
function hooked(before: Hooks, after: Hooks) {
  const run = (hooks: Hooks) => (statement: { text: string }) => {
    for (const [name, part] of Object.entries(statements))
      if (statement.text.includes(part)) return hooks[name as keyof Hooks]?.()
  }
  return watchedSql(db.sql, { before: run(before), after: run(after) })
}

type Over = Partial<Options> & { readonly before?: Hooks; readonly after?: Hooks }

/**
 * The delivery worker as the service makes it. `run` rings it and waits until it holds nothing.
 * `retries` says when it asked to be rung again, and `faults` its errors.
 */
function worker({ before = {}, after = {}, ...over }: Over = {}, limitMs = 10_000) {
  const retries: { webhookId: string; delayMs: number }[] = []
  const faults: unknown[] = []
  const deliver = createDeliver({
    traces: createDeliveryTraces(null),
    sql: hooked(before, after),
    queues: {
      async add(_, payload, { delayMs = 0 } = {}) {
        for (const webhookId of (payload as { webhookIds: string[] }).webhookIds)
          retries.push({ webhookId, delayMs })
        return true
      },
    },
    live: { touched() {} },
    metrics: { delivery() {} },
    egress: {
      async open(url) {
        const send = await egress.open(url, limitMs)
        return (request) => send({ ...request, timeoutMs: limitMs })
      },
    },
    openSecret,
    scheduleMs: [0, 5_000, 60_000],
    now: () => new Date(),
    random: () => 0.5,
    log: {
      warn() {},
      error: (line: { readonly err: unknown }) => faults.push(line.err),
    } as never,
    ...over,
  })
  async function run({ id }: { id: string }): Promise<void> {
    deliver.ring([id])
    await deliver.idle()
  }
  return { ...deliver, run, retries, faults }
}

function receiver(answer?: Parameters<typeof startReceiver>[0]) {
  const started = startReceiver(answer)
  running.push(started)
  return started
}

/** A receiver that answers nothing until `release`. */
function heldReceiver() {
  const { promise, resolve } = Promise.withResolvers<void>()
  const target = receiver(() => promise.then(() => new Response(null, { status: 204 })))
  return { target, release: resolve }
}

/** Gives the webhook a second secret, and keeps the first for a minute. */
async function rotate({ id }: { id: string }) {
  const next = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
  const secretSealed = sealSecret(next)
  const overlapUntil = new Date(Date.now() + 60_000)
  await rotateSecret(db.sql, account, id, { secretSealed, overlapUntil }, new Date())
  return { next, secretSealed }
}

async function socketReceiver(...[answer]: Parameters<typeof startSocketReceiver>) {
  const started = await startSocketReceiver(answer)
  running.push(started)
  return started
}

/** A new webhook at `url`, with `count` fanned-out deliveries of one subject's events. */
async function deliveriesTo(url: string, count = 1) {
  const webhook = await aWebhook(db.sql, account, ['invoice.created'], url)
  const subjectId = await someEvents(db.sql, account, count)
  await fanOut(db.sql, count)
  return { webhook, subjectId }
}

async function makeDue(): Promise<void> {
  await db.sql`update deliveries set next_attempt_at = now()`
  await db.sql`update delivery_batches set due_at = now() where due_at is not null`
}

/** A short summary of each delivery as the webhook's owner sees it, oldest first. */
async function summary({ id }: { id: string }) {
  const { deliveries } = await listDeliveries(db.sql, id, { after: null, state: null, limit: 500 })
  return deliveries.toReversed().map(({ state, attempts }) => ({
    state,
    attempts: attempts.length,
    status: attempts.at(-1)?.statusCode ?? null,
    error: attempts.at(-1)?.error ?? null,
  }))
}

async function lastAttempt({ id }: { id: string }) {
  const { deliveries } = await listDeliveries(db.sql, id, { after: null, state: null, limit: 1 })
  return deliveries[0]!.attempts.at(-1)!
}

describe('at the deadline of draining', () => {
  test('an unanswered delivery is left to the next process: its lease ends, and no error is logged', async () => {
    const answer = Promise.withResolvers<Response>()
    const target = receiver(() => answer.promise)
    const { webhook } = await deliveriesTo(target.url)
    let renewals = 0
    let recorded = 0
    const afterTheEnd = () => Promise.reject(new Error('the database is closed'))
    const before = {
      renew() {
        renewals++
        return afterTheEnd()
      },
      record() {
        recorded++
        return afterTheEnd()
      },
    }
    const { ring, drain, faults } = worker({ before }, 30_000)
    ring([webhook.id])
    await eventually(() => target.received.length === 1)
    expect(await drain(10)).toBe(false)
    // Long enough for a renewal.
    await Bun.sleep(3_500)
    answer.resolve(new Response(null, { status: 204 }))
    await eventually(() => recorded === 1)
    await Bun.sleep(50)
    expect([renewals, faults]).toEqual([0, []])
  })
})

describe('delivered', () => {
  test('an event arrives once, as the envelope, with signatures its receiver can verify', async () => {
    const target = receiver()
    const { webhook, subjectId } = await deliveriesTo(target.url)
    await worker().run(webhook)
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
    expect(await summary(webhook)).toEqual([
      { state: 'delivered', attempts: 1, status: 204, error: null },
    ])
  })

  test('each due delivery is sent once, although two workers are rung for it', async () => {
    const target = receiver()
    const { webhook } = await deliveriesTo(target.url, 120)
    const [one, two] = [worker(), worker()]
    // On a slow machine a batch may be returned, if it waited for too long.
    while (target.received.length < 120) await Promise.all([one.run(webhook), two.run(webhook)])
    expect(new Set(target.received.map(({ headers }) => headers['webhook-id'])).size).toBe(120)
    await one.run(webhook)
    expect(target.received).toHaveLength(120)
  })

  test('an answer of 100 MB counts by its status and is not read', async () => {
    const target = await socketReceiver((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 104857600\r\n\r\n')
      socket.write(Buffer.alloc(2 ** 20, 'x'))
    })
    const { webhook } = await deliveriesTo(target.url)
    await worker().run(webhook)
    expect((await lastAttempt(webhook)).responseExcerpt).toBe('x'.repeat(500))
    expect(await summary(webhook)).toMatchObject([{ state: 'delivered', status: 200 }])
  })

  test('once, however long the attempt takes: its lease is renewed meanwhile', async () => {
    const held = Promise.withResolvers<Response>()
    const target = receiver(() => held.promise)
    const { webhook } = await deliveriesTo(target.url)
    let leases = 0
    const slow = worker({ after: { lease: () => leases++ } }, 30_000)
    slow.ring([webhook.id])
    // Until its second lease the worker would lease its own batch, which this test makes due.
    await eventually(() => target.received.length === 1 && leases === 2)
    await db.sql`update delivery_batches set due_at = now()`
    const isLeased = async () =>
      (await db.sql`select from delivery_batches where due_at > now() + interval '10 seconds'`)
        .length === 1
    await eventually(isLeased)
    await worker().run(webhook)
    held.resolve(new Response(null, { status: 204 }))
    await slow.drain(30_000)
    expect(slow.faults).toEqual([])
    expect(target.received).toHaveLength(1)
    expect(await summary(webhook)).toMatchObject([{ state: 'delivered', attempts: 1 }])
  })

  test('after a crash between sending and recording, again under the same event id', async () => {
    const target = receiver()
    const { webhook } = await deliveriesTo(target.url)
    const crashing = worker({ before: { record: () => Promise.reject(new Error('killed')) } })
    crashing.ring([webhook.id])
    await eventually(() => crashing.faults.length > 0)
    await worker().run(webhook)
    expect(target.received).toHaveLength(1)
    // The dead worker's lease has expired.
    await makeDue()
    await worker().run(webhook)
    const [first, second] = target.received.map(({ headers }) => headers['webhook-id'])
    expect(second).toBe(first!)
    expect(await summary(webhook)).toMatchObject([{ state: 'delivered', attempts: 1 }])
  })
})

describe('tried again', () => {
  test('by the schedule after 500, signed afresh each time, then given up', async () => {
    const target = receiver(() => new Response('broken\u0000', { status: 500 }))
    const { webhook } = await deliveriesTo(target.url)
    const { run, retries } = worker()
    for (const waitMs of [5_000, 60_000]) {
      const fromMs = Date.now()
      await run(webhook)
      expect(retries.at(-1)?.webhookId).toBe(webhook.id)
      expect(retries.at(-1)!.delayMs).toBeWithin(waitMs, waitMs * (1 + 1 / 64) + 1)
      const [row] = await db.sql<{ at: Date }[]>`select next_attempt_at as at from deliveries`
      expect(row!.at.getTime() - waitMs).toBeWithin(fromMs, Date.now() + 1)
      await makeDue()
      await Bun.sleep(1_000)
    }
    await run(webhook)
    expect(retries).toHaveLength(2)
    expect(await summary(webhook)).toEqual([
      { state: 'failed', attempts: 3, status: 500, error: null },
    ])
    const signatures = target.received.map(({ headers }) => headers['webhook-signature'])
    expect(new Set(signatures).size).toBe(3)
    for (const got of target.received)
      expect(verify(got, webhook.secret)).toEqual({ plain: true, standard: true })
    expect((await lastAttempt(webhook)).responseExcerpt).toBe('broken')
  })

  test('as late as a 429 asks, in seconds or by date', async () => {
    const at = new Date(Date.now() + 300_000)
    for (const value of ['300', at.toUTCString()]) {
      const headers = { 'retry-after': value }
      const target = receiver(() => new Response(null, { status: 429, headers }))
      const { webhook } = await deliveriesTo(target.url)
      const { run, retries } = worker()
      await run(webhook)
      expect(retries[0]!.delayMs).toBeWithin(240_000, 308_000)
    }
  })

  test('a redirect to loopback is not followed', async () => {
    const secret = receiver()
    const headers = { location: secret.url }
    const target = receiver(() => new Response(null, { status: 301, headers }))
    const { webhook } = await deliveriesTo(target.url)
    await worker().run(webhook)
    expect(secret.received).toHaveLength(0)
    expect(await summary(webhook)).toMatchObject([{ state: 'pending', attempts: 1, status: 301 }])
  })

  test('silence, a reset, a closed port and a forbidden address are failures with a reason', async () => {
    const silent = await socketReceiver(() => {})
    const reset = await socketReceiver((socket) => socket.resetAndDestroy())
    const cases = {
      [silent.url]: 'no answer within the time limit',
      [reset.url]: 'ECONNRESET',
      'http://127.0.0.1:1/hook': 'ECONNREFUSED',
      'http://169.254.169.254/': 'url: points to a link-local address: it is never called',
    }
    for (const [url, error] of Object.entries(cases)) {
      const { webhook } = await deliveriesTo(url)
      await worker({}, url === silent.url ? 300 : 10_000).run(webhook)
      expect(await summary(webhook)).toEqual([
        { state: 'pending', attempts: 1, status: null, error },
      ])
    }
  })
})

describe('no more', () => {
  test('410 ends the delivery and switches the webhook off', async () => {
    const target = receiver(() => new Response(null, { status: 410 }))
    const { webhook } = await deliveriesTo(target.url, 1)
    const warned: unknown[] = []
    const log = { warn: (...line: unknown[]) => warned.push(line), error() {} }
    const { run, retries } = worker({ log })
    await run(webhook)
    expect(retries).toEqual([])
    expect(await summary(webhook)).toMatchObject([{ state: 'failed', attempts: 1, status: 410 }])
    const reason = 'the receiver answered 410 Gone'
    const disabled = { webhookId: webhook.id, accountId: account, reason }
    expect(warned).toEqual([[disabled, 'webhook disabled']])
    const [row] =
      await db.sql`select active, disabled_reason from webhooks where id = ${webhook.id}`
    expect(row).toEqual({ active: false, disabled_reason: reason })
  })

  test('no attempt starts after DELETE', async () => {
    const target = receiver()
    const { webhook } = await deliveriesTo(target.url, 100)
    await deleteWebhook(db.sql, account, webhook.id, new Date())
    await worker().run(webhook)
    expect(target.received).toHaveLength(0)
  })

  test('nor, five seconds later, one that was leased before and had to wait; nor one at an old URL or with an old secret alone', async () => {
    const [deleted, moved, rotated] = [await waiting(), await waiting(), await waiting()]
    const next = receiver()
    const change = { url: next.url, events: null, active: null }
    await deleteWebhook(db.sql, deleted.owner, deleted.webhook.id, new Date())
    await updateWebhook(db.sql, moved.owner, moved.webhook.id, change, new Date())
    const { next: secret } = await rotate(rotated.webhook)
    await Bun.sleep(startWithinMs)
    expect(await deleted.end()).toHaveLength(0)
    expect(await moved.end()).toHaveLength(0)
    expect(next.received).toHaveLength(100 - batchSize)
    const later = await rotated.end()
    expect(later).toHaveLength(100 - batchSize)
    for (const got of later) {
      expect(verify(got, secret)).toEqual({ plain: true, standard: true })
      expect(verify(got, rotated.webhook.secret)).toMatchObject({ standard: true })
    }
  })

  /** A hundred deliveries of a new account, most of which wait until the first are answered. */
  async function waiting() {
    account = await anAccount(db.sql)
    const owner = account
    const { target, release } = heldReceiver()
    const { webhook } = await deliveriesTo(target.url, 100)
    const done = worker({}, 30_000).run(webhook)
    await eventually(() => target.received.length === batchSize)
    async function end() {
      release()
      await done
      return target.received.slice(batchSize)
    }
    return { owner, webhook, end }
  }
})

describe('during a rotation', () => {
  test('a delivery verifies with the new secret and with the old one', async () => {
    const target = receiver()
    const { webhook } = await deliveriesTo(target.url)
    const { next } = await rotate(webhook)
    await worker().run(webhook)
    const [got] = target.received
    expect(verify(got!, next)).toEqual({ plain: true, standard: true })
    expect(verify(got!, webhook.secret)).toMatchObject({ standard: true })
  })
})

describe('a secret that was sealed under a lost SECRETS_KEY', () => {
  test('fails the attempt with a hint to rotate it; nothing is sent', async () => {
    const target = receiver()
    const { webhook } = await deliveriesTo(target.url)
    const { run, retries } = worker({ openSecret: () => null })
    await run(webhook)
    expect(target.received).toHaveLength(0)
    expect(await summary(webhook)).toEqual([
      {
        state: 'pending',
        attempts: 1,
        status: null,
        error: 'the secret of the webhook cannot be read: rotate it',
      },
    ])
    expect(retries).toHaveLength(1)
    await makeDue()
    await worker().run(webhook)
    expect(verify(target.received[0]!, webhook.secret)).toEqual({ plain: true, standard: true })
  })

  test('is left out once it is the one before: a delivery verifies with the new one', async () => {
    const target = receiver()
    const { webhook } = await deliveriesTo(target.url)
    const { next, secretSealed } = await rotate(webhook)
    const openNew = (sealed: Uint8Array) =>
      Buffer.compare(sealed, secretSealed) === 0 ? next : null
    await worker({ openSecret: openNew }).run(webhook)
    const [got] = target.received
    expect(verify(got!, next)).toEqual({ plain: true, standard: true })
    expect(got!.headers['webhook-signature']?.split(' ')).toHaveLength(1)
  })
})

describe('our own fault', () => {
  test('is thrown, and what it left undone is held no longer: it is delivered again', async () => {
    const target = receiver()
    const { webhook } = await deliveriesTo(target.url)
    const failing = worker({ before: { record: () => Promise.reject(new Error('out of order')) } })
    await failing.run(webhook)
    expect(failing.faults).toEqual([new Error('out of order')])
    await makeDue()
    // Longer than the interval of renewing a lease.
    await Bun.sleep(3_500)
    await worker().run(webhook)
    expect(target.received).toHaveLength(2)
  })
})

describe('a receiver that does not answer', () => {
  test.each([
    ['whose name server does not answer either', 'http://hangs.test/hook'],
    ['but takes the connection', null],
  ])(
    '%s: many of two owners hold up another’s for one time limit, not for one each',
    async (_, url) => {
      const silent = await socketReceiver(() => {})
      const well = receiver()
      const dead: { id: string }[] = []
      for (let owner = 1; owner <= 2; owner++) {
        account = await anAccount(db.sql)
        for (let n = 0; n < 12; n++)
          dead.push((await deliveriesTo(url ?? silent.url, batchSize)).webhook)
      }
      account = await anAccount(db.sql)
      const { webhook } = await deliveriesTo(well.url, batchSize)
      const hanging = createEgress({ allowPrivate: true, resolve: () => new Promise(() => {}) })
      // Longer than a leased delivery may wait.
      const limitMs = 9_000
      let opened = 0
      const delivering = worker({
        egress: {
          async open(target) {
            if (target !== well.url) opened++
            const send = await (target === well.url ? egress : hanging).open(target, limitMs)
            return (request) => send({ ...request, timeoutMs: limitMs })
          },
        },
      })
      delivering.ring(dead.map(({ id }) => id))
      await eventually(() => opened === 6)
      delivering.ring([webhook.id])
      await eventually(() => well.received.length === batchSize, 50_000)
      // The first six batches have freed their places, and this receiver got those of one. By now
      // it may have given them back, so up to six further batches were opened, and no more.
      expect(opened).toBeLessThanOrEqual(12)
      silent.stop()
      await delivering.drain(30_000)
    },
  )

  test('never holds up the others, not even when its owner has many of them', async () => {
    const silent = await socketReceiver(() => {})
    const well = receiver()
    const dead: { id: string }[] = []
    for (let n = 0; n < 4; n++) dead.push((await deliveriesTo(silent.url, 100)).webhook)
    account = await anAccount(db.sql)
    const { webhook } = await deliveriesTo(well.url, 60)
    const delivering = worker({}, 50_000)
    delivering.ring(dead.map(({ id }) => id))
    await eventually(() => silent.count().all > 0)
    delivering.ring([webhook.id])
    await eventually(() => well.received.length === 60)
    // All receivers of one owner together may use half of the places.
    await eventually(() => silent.count().all >= 50)
    expect(silent.count().all).toBeLessThan(81)
    silent.stop()
    await delivering.drain(30_000)
  })

  test('nor once many of one owner are known to be slow, and others of his are called', async () => {
    const silent = await socketReceiver(() => {})
    const well = receiver()
    const dead: { id: string }[] = []
    for (let n = 0; n < 12; n++) dead.push((await deliveriesTo(silent.url, batchSize)).webhook)
    account = await anAccount(db.sql)
    const { webhook } = await deliveriesTo(well.url, 60)
    const delivering = worker({}, 50_000)
    delivering.ring(dead.map(({ id }) => id))
    await eventually(() => silent.count().all >= 100)
    // By now, every other one could have been called in the place of the first three.
    await Bun.sleep(3_000)
    delivering.ring([webhook.id])
    await eventually(() => well.received.length === 60)
    silent.stop()
    await delivering.drain(30_000)
  })
})
