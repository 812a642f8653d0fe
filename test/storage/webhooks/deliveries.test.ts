import { beforeEach, describe, expect, test } from 'bun:test'
import { schema } from '../../../src/domain/invoices/trail.ts'
import { deliveryStates } from '../../../src/domain/webhooks/delivery.ts'
import type { WebhookChange } from '../../../src/domain/webhooks/webhook.ts'
import * as Deliveries from '../../../src/storage/webhooks/deliveries.ts'
import { listDeliveries, redeliver } from '../../../src/storage/webhooks/delivery-log.ts'
import * as Results from '../../../src/storage/webhooks/delivery-results.ts'
import { fanOut } from '../../../src/storage/webhooks/outbox.ts'
import {
  deleteWebhook,
  rotateSecret,
  updateWebhook,
} from '../../../src/storage/webhooks/webhooks.ts'
import { rowsRead } from '../../support/rows-read.ts'
import { storedInvoice } from '../../support/stored-invoice.ts'
import { eventually } from '../../support/wait.ts'
import {
  anAccount,
  aWebhook,
  type Given,
  openSecret,
  resultOf,
  sealSecret,
  someEvents,
} from '../../support/webhooks.ts'
import { useWorld } from '../../support/world.ts'

const { database: db } = useWorld({ service: 'none' })
let account: string

beforeEach(async () => {
  await db.sql`truncate events, deliveries, delivery_batches, webhooks`
  account = await anAccount(db.sql)
})

const leaseMs = 30_000

/** A webhook to which `count` deliveries are due. */
async function announced(count = 1) {
  const webhook = await aWebhook(db.sql, account)
  const subjectId = await someEvents(db.sql, account, count)
  await fanOut(db.sql, count)
  return { webhook, subjectId }
}

function lease(...webhooks: { id: string }[]) {
  const ids = webhooks.map(({ id }) => id)
  return Deliveries.lease(db.sql, ids, leaseMs)
}

const success = { delivered: true, retryDelayMs: null }
const failure = { retryDelayMs: null }

const record = (batch: Deliveries.Batch, given?: Given) =>
  Results.record(db.sql, [resultOf(batch, given)])

/** Leases what is due to a webhook, and records the results of the first batch. */
async function attempt(webhook: { id: string }, given?: Given) {
  const [batch] = await lease(webhook)
  await record(batch!, given)
  return batch!
}

function change({ id }: { id: string }, given: Partial<WebhookChange>) {
  const after = { url: null, events: null, active: null, ...given }
  return updateWebhook(db.sql, account, id, after, new Date())
}

const rotate = ({ id }: { id: string }) =>
  rotateSecret(
    db.sql,
    account,
    id,
    { secretSealed: sealSecret('whsec_bmV3'), overlapUntil: new Date() },
    new Date(),
  )

async function log({ id }: { id: string }) {
  return (await listDeliveries(db.sql, id, { after: null, state: null, limit: 1_000 })).deliveries
}

/** The id of the newest delivery. */
async function idOf(webhook: { id: string }) {
  return (await log(webhook))[0]!.id
}

async function states(webhook: { id: string }) {
  return (await log(webhook)).map(({ state, attempts }) => `${state} ${attempts.length}`)
}

async function makeDue(): Promise<void> {
  await db.sql`update deliveries set next_attempt_at = now()`
  await db.sql`update delivery_batches set due_at = now() where due_at is not null`
}

async function webhookOf({ id }: { id: string }) {
  const [row] = await db.sql<
    { active: boolean; disabled_reason: string | null; failing_since: Date | null }[]
  >`select active, disabled_reason, failing_since from webhooks where id = ${id}`
  return row!
}

describe('leased', () => {
  test('what is due comes with all that its attempts need', async () => {
    const { webhook, subjectId } = await announced()
    const [batch] = await lease(webhook)
    expect(batch).toMatchObject({
      origin: null,
      webhookId: webhook.id,
      accountId: account,
      url: webhook.url,
      previousSecretSealed: null,
      deliveries: [
        {
          place: 0,
          attempt: 1,
          event: { subjectId, sequence: 1, type: 'invoice.created', data: '{"n":1}' },
        },
      ],
    })
    expect(openSecret(batch!.secretSealed)).toBe(webhook.secret)
    expect(batch!.deliveries[0]!.event.createdAt).toBeInstanceOf(Date)
  })

  test('for several webhooks at once, at most four batches of 25 of each', async () => {
    const one = await announced(120)
    account = await anAccount(db.sql)
    const two = await announced(2)
    const batches = await lease(one.webhook, two.webhook)
    const sizes = (webhookId: string) =>
      batches
        .filter((batch) => batch.webhookId === webhookId)
        .map((batch) => batch.deliveries.length)
    expect(sizes(one.webhook.id)).toEqual([25, 25, 25, 25])
    expect(sizes(two.webhook.id)).toEqual([2])
  })

  test('an event that a newer version has written keeps only its own batch waiting', async () => {
    const webhook = await aWebhook(db.sql, account, ['invoice.created', 'invoice.sent'])
    const { id: newer } = await storedInvoice(db.sql, account)
    await fanOut(db.sql, 10)
    await attempt(webhook, success)
    await db.sql`insert into events (subject_id, sequence, account_id, types, data, created_at, schema)
      values (${newer}, 2, ${account}, 'invoice.sent', null, now(), ${schema + 1})`
    await db.sql`insert into outbox (subject_ids, sequences, account_ids, types)
      values (${[newer]}::uuid[], '{2}', ${[account]}::uuid[], '{invoice.sent}')`
    await fanOut(db.sql, 10)
    await someEvents(db.sql, account, 1)
    await fanOut(db.sql, 10)
    const left: string[] = []
    const leased = await Deliveries.lease(db.sql, [webhook.id], leaseMs, (id) => left.push(id))
    expect(leased.map(({ deliveries }) => deliveries.length)).toEqual([1])
    expect(left).toHaveLength(1)
    expect(await lease(webhook)).toEqual([])
  })

  test('no more than 2 MiB at once of mandates, however large they are', async () => {
    const webhook = await aWebhook(db.sql, account, ['mandate.proposed'])
    await someEvents(db.sql, account, 100, 'mandate.proposed')
    await db.sql`update events set data = '"' || repeat('x', 160 * 1024) || '"'`
    await fanOut(db.sql, 100)
    const leased = (await lease(webhook)).flatMap(({ deliveries }) => deliveries)
    expect(leased.length).toBeGreaterThan(0)
    const bytes = leased.reduce((sum, { event }) => sum + event.data.length, 0)
    expect(bytes).toBeLessThanOrEqual(2 * 1_024 * 1_024)
  })

  test('by one of many at once, and by nobody else until the lease is over', async () => {
    const { webhook } = await announced(200)
    const leases = await Promise.all(Array.from({ length: 6 }, () => lease(webhook)))
    const taken = leases
      .flat()
      .flatMap(({ deliveries }) => deliveries.map(({ event }) => event.sequence))
    expect(taken.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 200 }, (_, n) => n + 1))
    expect(await lease(webhook)).toEqual([])
    await makeDue()
    expect(await lease(webhook)).toHaveLength(4)
  })

  test('given back, at once by the next who asks', async () => {
    const { webhook } = await announced()
    const [batch] = await lease(webhook)
    await Deliveries.release(db.sql, batch!)
    expect(await lease(webhook)).toEqual([
      { ...batch!, leasedAt: expect.any(String), heldUntil: expect.any(String) },
    ])
  })

  test('given back too late, by nobody: whoever has leased it since keeps it', async () => {
    const { webhook } = await announced()
    const [batch] = await Deliveries.lease(db.sql, [webhook.id], 1)
    await eventually(async () => (await lease(webhook)).length === 1)
    await Deliveries.release(db.sql, batch!)
    expect(await lease(webhook)).toEqual([])
  })

  test('once more by whoever has it, even if its time is over', async () => {
    const { webhook } = await announced()
    const [batch] = await Deliveries.lease(db.sql, [webhook.id], 1)
    await Bun.sleep(2)
    const heldUntil = await Deliveries.leaseAgain(db.sql, batch!, 60_000)
    expect(await lease(webhook)).toEqual([])
    await Deliveries.release(db.sql, batch!)
    expect(await lease(webhook)).toEqual([])
    await Deliveries.release(db.sql, { ...batch!, heldUntil: heldUntil! })
    expect(await lease(webhook)).toHaveLength(1)
  })

  test('not once more if somebody else has leased it since, or its webhook has another URL or secret', async () => {
    const { webhook } = await announced()
    const [lost] = await Deliveries.lease(db.sql, [webhook.id], 1)
    await eventually(async () => (await lease(webhook)).length === 1)
    expect(await Deliveries.leaseAgain(db.sql, lost!, 60_000)).toBeNull()
    const { webhook: moved } = await announced()
    const [before] = await lease(moved)
    await change(moved, { url: 'http://127.0.0.1:2/hook' })
    expect(await Deliveries.leaseAgain(db.sql, before!, 60_000)).toBeNull()
    const { webhook: rotated } = await announced()
    const [old] = await lease(rotated)
    await rotate(rotated)
    expect(await Deliveries.leaseAgain(db.sql, old!, 60_000)).toBeNull()
  })

  test('never before it is due, after it is done, or while its webhook is paused', async () => {
    const { webhook } = await announced(30)
    const [early, done] = await lease(webhook)
    await record(done!, success)
    expect(await lease(webhook)).toEqual([])
    await Deliveries.release(db.sql, early!)
    await change(webhook, { active: false })
    expect(await lease(webhook)).toEqual([])
    await change(webhook, { active: true })
    expect(await lease(webhook)).toHaveLength(1)
  })

  test('never for a deleted webhook; what was announced too late for the deletion is cleared away', async () => {
    const { webhook } = await announced()
    await db.sql`update webhooks set deleted_at = now() where id = ${webhook.id}`
    expect(await lease(webhook)).toEqual([])
    expect(await Deliveries.due(db.sql)).toEqual([])
    expect(await db.sql`select from delivery_batches`).toHaveLength(0)
  })
})

describe('found due', () => {
  test('each webhook that waits, once, and none whose deliveries are all held', async () => {
    const held = await announced(3)
    await lease(held.webhook)
    account = await anAccount(db.sql)
    const waiting = await announced(120)
    expect(await Deliveries.due(db.sql)).toEqual([waiting.webhook.id])
  })
})

describe('recorded', () => {
  test('a success, a failure to be retried and the last failure, each with its attempt', async () => {
    const { webhook } = await announced(3)
    const batch = await attempt(webhook, (place) => [success, {}, failure][place] ?? {})
    const [failed, retried, delivered] = await log(webhook)
    expect(delivered).toMatchObject({ state: 'delivered', nextAttemptAt: null })
    expect(failed).toMatchObject({ state: 'failed', nextAttemptAt: null })
    expect(retried).toMatchObject({ state: 'pending' })
    expect(Date.parse(retried!.nextAttemptAt!) - Date.now()).toBeWithin(30_000, 60_001)
    const made = resultOf(batch).outcomes[0]!.attempt
    for (const { attempts } of [retried!, failed!]) expect(attempts).toEqual([made])
    expect(delivered!.attempts).toEqual([{ ...made, statusCode: 204 }])
  })

  test('a delivery keeps its id from its announcement to its last attempt', async () => {
    const { webhook } = await announced(2)
    const ids = (await log(webhook)).map(({ id }) => id)
    for (const given of [{}, {}, success]) {
      await attempt(webhook, given)
      await makeDue()
    }
    expect((await log(webhook)).map(({ id }) => id)).toEqual(ids)
    expect(await states(webhook)).toEqual(['delivered 3', 'delivered 3'])
    expect((await log(webhook))[0]!.attempts.map(({ attempt }) => attempt)).toEqual([1, 2, 3])
  })

  test('what fails together is tried again together', async () => {
    const { webhook } = await announced(25)
    const first = await attempt(webhook, (place) => (place < 20 ? {} : success))
    await makeDue()
    const [again, ...others] = await lease(webhook)
    expect(others).toEqual([])
    expect(again).toMatchObject({ origin: first!.id })
    expect(again!.deliveries).toHaveLength(20)
    expect(again!.deliveries[0]).toMatchObject({ attempt: 2 })
  })

  test('what comes late never replaces what is newer', async () => {
    const { webhook } = await announced()
    const [batch] = await lease(webhook)
    await makeDue()
    await attempt(webhook, success)
    await record(batch!)
    expect(await states(webhook)).toEqual(['delivered 1'])
    expect(await webhookOf(webhook)).toMatchObject({ failing_since: null })
    expect(await lease(webhook)).toEqual([])
  })

  test('nor revives what was cancelled meanwhile', async () => {
    const { webhook } = await announced(2)
    await attempt(webhook)
    await makeDue()
    const [again] = await lease(webhook)
    await deleteWebhook(db.sql, account, webhook.id, new Date())
    await record(again!, success)
    expect(await states(webhook)).toEqual(['cancelled 1', 'cancelled 1'])
  })

  test('beside a deletion of the webhook without a deadlock', async () => {
    for (let round = 0; round < 10; round++) {
      const { webhook } = await announced(60)
      const batches = await lease(webhook)
      await Promise.all([
        record(batches[0]!),
        deleteWebhook(db.sql, account, webhook.id, new Date()),
        Results.record(
          db.sql,
          batches.slice(1).map((batch) => resultOf(batch)),
        ),
      ])
    }
    const [row] = await db.sql<{ deadlocks: bigint }[]>`
      select deadlocks from pg_stat_database where datname = current_database()`
    expect(row!.deadlocks).toBe(0n)
    await Deliveries.due(db.sql)
    expect(await db.sql`select from deliveries where state = 'pending'`).toHaveLength(0)
  })
})

describe('the log', () => {
  test('pages through everything once, newest first, whatever became of it', async () => {
    const { webhook } = await announced(60)
    for (const batch of await lease(webhook))
      await Results.record(db.sql, [
        resultOf(batch, (place) => [success, {}, failure][place % 3] ?? {}),
      ])
    await someEvents(db.sql, account, 10)
    await fanOut(db.sql, 10)
    const seen: string[] = []
    for (let after: string | null = null, hasMore = true; hasMore; ) {
      const page = await listDeliveries(db.sql, webhook.id, { after, state: null, limit: 7 })
      seen.push(...page.deliveries.map(({ id }) => id))
      after = page.deliveries.at(-1)!.id
      hasMore = page.hasMore
    }
    expect(new Set(seen).size).toBe(70)
    expect(seen).toEqual((await log(webhook)).map(({ id }) => id))
    expect((await states(webhook)).slice(0, 10)).toEqual(Array(10).fill('pending 0'))
    for (const state of deliveryStates) {
      const found = await listDeliveries(db.sql, webhook.id, { after: null, state, limit: 100 })
      const all = (await log(webhook)).filter((one) => one.state === state)
      expect(found).toEqual({ deliveries: all, hasMore: false })
    }
  })

  test('ends a page at about 1 MiB, however much was logged, and goes on behind it', async () => {
    const { webhook } = await announced(20)
    for (const batch of await lease(webhook)) await record(batch)
    await db.sql`update deliveries set log = log || repeat(',' || log, 999)`
    const [one = { length: 0 }] = await db.sql<
      [{ length: number }]
    >`select max(octet_length(log)) as length from deliveries`
    const fitting = Math.ceil(2 ** 20 / one.length)
    expect(fitting).toBeLessThan(10)
    const query = { state: null, limit: 100 }
    const first = await listDeliveries(db.sql, webhook.id, { ...query, after: null })
    expect([first.deliveries.length, first.hasMore]).toEqual([fitting, true])
    const seen = first.deliveries.map(({ id }) => id)
    for (let hasMore = true; hasMore; ) {
      const page = await listDeliveries(db.sql, webhook.id, { ...query, after: seen.at(-1)! })
      seen.push(...page.deliveries.map(({ id }) => id))
      hasMore = page.hasMore
    }
    expect([seen.length, new Set(seen).size]).toEqual([20, 20])
  })

  test('what is pending is found without a look at all that has been delivered', async () => {
    const { webhook, subjectId } = await announced(2)
    await db.sql`
      insert into delivery_batches (webhook_id, places, subject_ids, sequences, created_at, log)
      select ${webhook.id}, '{0}', array[${subjectId}::uuid], '{1}', now(), '[null]' from generate_series(1, 5000)`
    await db.sql`vacuum analyze delivery_batches`
    const read = await rowsRead(db, 'delivery_batches', async (sql) => {
      const query = { after: null, state: 'pending', limit: 50 } as const
      const { deliveries } = await listDeliveries(sql, webhook.id, query)
      expect(deliveries.map(({ state }) => state)).toEqual(['pending', 'pending'])
    })
    expect(read).toBeLessThan(100)
  })
})

describe('redelivered', () => {
  test('what got through is due again, with its attempts kept', async () => {
    const { webhook } = await announced(3)
    await attempt(webhook, success)
    const { id } = (await log(webhook))[1]!
    expect(await redeliver(db.sql, account, id)).toMatchObject({ id, state: 'pending' })
    const [again] = await lease(webhook)
    expect(again!.deliveries).toMatchObject([{ place: 1, attempt: 2, event: { sequence: 2 } }])
    await record(again!, success)
    expect(await states(webhook)).toEqual(['delivered 1', 'delivered 2', 'delivered 1'])
  })

  test('what had got through and then does not is delivered all the same', async () => {
    const { webhook } = await announced()
    await attempt(webhook, success)
    const id = await idOf(webhook)
    await redeliver(db.sql, account, id)
    await attempt(webhook, failure)
    expect(await states(webhook)).toEqual(['delivered 2'])
  })

  describe('during an attempt', () => {
    async function underWay() {
      const { webhook } = await announced()
      const [first] = await lease(webhook)
      await record(first!)
      await makeDue()
      const [batch] = await lease(webhook)
      const id = await idOf(webhook)
      return { webhook, id, batch: batch! }
    }

    async function asked() {
      const { webhook, id, batch } = await underWay()
      await redeliver(db.sql, account, id)
      return { webhook, batch }
    }

    test.each([
      ['is to be retried later', {}],
      ['was the last', failure],
    ])('what fails in it, and %s, is attempted at once', async (_, given) => {
      const { webhook, batch } = await asked()
      await record(batch, given)
      expect(await states(webhook)).toEqual(['pending 2'])
      const [again, ...others] = await lease(webhook)
      expect(others).toEqual([])
      expect(again!.deliveries).toMatchObject([{ place: 0, attempt: 2 }])
      await record(again!, success)
      const [delivered] = await log(webhook)
      expect(delivered).toMatchObject({ state: 'delivered', nextAttemptAt: null })
      expect(delivered!.attempts.map(({ attempt }) => attempt)).toEqual([1, 2, 3])
    })

    test('what gets through in either of two attempts is delivered, and both are logged', async () => {
      for (const [inFirst, inSecond] of [
        [failure, success],
        [success, failure],
        [success, success],
      ])
        for (const isFirstOver of [true, false]) {
          const { webhook, batch } = await asked()
          const [again] = await lease(webhook)
          const results = [resultOf(batch, inFirst), resultOf(again!, inSecond)]
          for (const one of isFirstOver ? results : results.toReversed())
            await Results.record(db.sql, [one])
          const [delivered] = await log(webhook)
          expect(delivered).toMatchObject({ state: 'delivered', nextAttemptAt: null })
          expect(delivered!.attempts.map(({ attempt }) => attempt)).toEqual([1, 2, 3])
          await makeDue()
          expect(await lease(webhook)).toEqual([])
          await deleteWebhook(db.sql, account, webhook.id, new Date())
        }
    })

    test('what fails in two attempts is retried once', async () => {
      for (const isFirstOver of [true, false]) {
        const { webhook, batch } = await asked()
        const [again] = await lease(webhook)
        const results = [resultOf(batch), resultOf(again!)]
        for (const one of isFirstOver ? results : results.toReversed())
          await Results.record(db.sql, [one])
        expect(await states(webhook)).toEqual(['pending 3'])
        expect(await lease(webhook)).toEqual([])
        await makeDue()
        const retried = await lease(webhook)
        expect(retried.map(({ deliveries }) => deliveries[0]?.attempt)).toEqual([3])
        await deleteWebhook(db.sql, account, webhook.id, new Date())
      }
    })

    test('in the moment in which that fails for the last time, is attempted all the same', async () => {
      for (let round = 0; round < 10; round++) {
        const { webhook, id, batch } = await underWay()
        await Promise.all([record(batch, failure), redeliver(db.sql, account, id)])
        expect(await states(webhook)).toEqual(['pending 2'])
        expect((await lease(webhook))[0]!.deliveries).toHaveLength(1)
        await deleteWebhook(db.sql, account, webhook.id, new Date())
      }
    })
  })

  test('what was attempted more often than can be counted is recorded all the same', async () => {
    const { webhook } = await announced()
    await attempt(webhook, failure)
    await db.sql`update deliveries set attempts = 32767`
    const id = await idOf(webhook)
    await redeliver(db.sql, account, id)
    await attempt(webhook, failure)
    expect(await states(webhook)).toEqual(['failed 2'])
  })

  test('what was attempted until its log is full is refused; what is under way then is no longer logged, but for a first success', async () => {
    const { webhook } = await announced()
    await record((await lease(webhook))[0]!, failure)
    const id = await idOf(webhook)
    for (let n = 0; n < 4; n++) await redeliver(db.sql, account, id)
    const batches = await lease(webhook)
    const [row] = await db.sql<[{ log: string }]>`select log from deliveries`
    await db.sql`update deliveries set log = ${Array(1_000).fill(row.log).join(',')}`
    const refused = redeliver(db.sql, account, id)
    await expect(refused).rejects.toMatchObject({ reason: 'limit_reached' })
    for (const [batch, outcome, told] of [
      [batches[0], failure, 'failed 1000'],
      [batches[1], success, 'delivered 1001'],
      [batches[2], success, 'delivered 1001'],
      [batches[3], failure, 'delivered 1001'],
    ] as const) {
      await record(batch!, outcome)
      expect(await states(webhook)).toEqual([told])
    }
  })

  test('what is still to be attempted stays as it is', async () => {
    const { webhook } = await announced()
    const id = await idOf(webhook)
    expect(await redeliver(db.sql, account, id)).toMatchObject({ id, state: 'pending' })
    expect(await lease(webhook)).toHaveLength(1)
    expect(await lease(webhook)).toEqual([])
  })

  test('nothing is by an id of no delivery, also where one stands at its place', async () => {
    const { webhook } = await announced()
    await attempt(webhook, success)
    const id = await idOf(webhook)
    const otherEnd = `${id.slice(0, -1)}${id.endsWith('0') ? '1' : '0'}`
    const otherVersion = `${id.slice(0, 14)}4${id.slice(15)}`
    for (const wrong of [otherEnd, otherVersion, Bun.randomUUIDv7(), crypto.randomUUID()])
      await expect(redeliver(db.sql, account, wrong)).rejects.toMatchObject({ reason: 'not_found' })
    expect(await states(webhook)).toEqual(['delivered 1'])
    expect(await lease(webhook)).toEqual([])
  })
})

describe('a webhook', () => {
  test('is failing since its first failure, until one success', async () => {
    const { webhook } = await announced(75)
    const batches = await lease(webhook)
    await record(batches[0]!)
    const { failing_since } = await webhookOf(webhook)
    expect(failing_since).not.toBeNull()
    await record(batches[1]!)
    expect(await webhookOf(webhook)).toEqual({
      active: true,
      disabled_reason: null,
      failing_since,
    })
    await record(batches[2]!, (place) => (place ? {} : success))
    expect((await webhookOf(webhook)).failing_since).toBeNull()
  })

  test('is switched off by 410, once', async () => {
    const { webhook } = await announced(50)
    const [first, second] = await lease(webhook)
    const gone = { ...failure, gone: true }
    expect(await record(first!, gone)).toMatchObject([{ webhookId: webhook.id }])
    expect(await record(second!, gone)).toEqual([])
    expect(await webhookOf(webhook)).toMatchObject({
      active: false,
      disabled_reason: 'the receiver answered 410 Gone',
    })
  })

  test('at a new URL is judged by what that one answers: the old one’s late 410 says nothing of it', async () => {
    const { webhook } = await announced(75)
    const batches = await lease(webhook)
    const moved = { url: 'http://127.0.0.1:1/moved' }
    await change(webhook, moved)
    await record(batches[0]!, { ...failure, gone: true })
    await record(batches[1]!)
    const well = { active: true, disabled_reason: null, failing_since: null }
    expect(await webhookOf(webhook)).toEqual(well)
    await record({ ...batches[2]!, url: moved.url })
    const { failing_since } = await webhookOf(webhook)
    expect(failing_since).not.toBeNull()
    await someEvents(db.sql, account)
    await fanOut(db.sql, 1)
    const [late] = await lease(webhook)
    await record({ ...late!, url: webhook.url }, success)
    expect(await webhookOf(webhook)).toEqual({ ...well, failing_since })
  })

  test('at a new URL gets what the old one’s late 410 would have ended', async () => {
    const { webhook } = await announced(2)
    const [batch] = await lease(webhook)
    const moved = { url: 'http://127.0.0.1:1/moved' }
    await change(webhook, moved)
    const gone = { ...failure, gone: true }
    await record(batch!, (place) => (place ? gone : failure))
    expect(await states(webhook)).toEqual(['pending 1', 'failed 1'])
    const [again] = await lease(webhook)
    expect(again!.deliveries).toMatchObject([{ place: 1, attempt: 2 }])
    await record(again!, gone)
    expect(await states(webhook)).toEqual(['failed 2', 'failed 1'])
    expect((await webhookOf(webhook)).active).toBe(false)
  })

  test('is neither well nor failing by a batch of which nothing was due any more', async () => {
    const { webhook } = await announced()
    await attempt(webhook)
    const id = await idOf(webhook)
    await redeliver(db.sql, account, id)
    await attempt(webhook)
    await db.sql`update delivery_batches set due_at = now() where id = (select min(id) from delivery_batches where due_at is not null)`
    await db.sql`update webhooks set failing_since = now() - interval '5 days 1 second'`
    const { failing_since } = await webhookOf(webhook)
    const [empty] = await lease(webhook)
    expect(empty!.deliveries).toEqual([])
    await record(empty!)
    expect(await webhookOf(webhook)).toEqual({ active: true, disabled_reason: null, failing_since })
    expect(await states(webhook)).toEqual(['pending 2'])
  })

  test.each([
    ['4 days 23 hours', '10 hours', true],
    ['5 days 1 second', '10 hours', false],
    // A receiver may ask for a day between two attempts.
    ['5 days 1 second', '25 hours', false],
  ])(
    'that has failed for %s, and last failed %s ago, stays active: %p',
    async (since, last, stays) => {
      const { webhook } = await announced()
      await db.sql`update webhooks set failing_since = now() - ${since}::interval, last_failed_at = now() - ${last}::interval`
      const [batch] = await lease(webhook)
      const reason = 'every delivery failed for 5 days'
      const disabled = { webhookId: webhook.id, accountId: account, reason }
      expect(await record(batch!)).toEqual(stays ? [] : [disabled])
      const disabled_reason = stays ? null : reason
      expect(await webhookOf(webhook)).toMatchObject({ active: stays, disabled_reason })
    },
  )

  test('that failed once after days without a failure is failing since then', async () => {
    const { webhook } = await announced()
    await db.sql`update webhooks set failing_since = now() - interval '6 days', last_failed_at = now() - interval '5 days'`
    await attempt(webhook)
    const { active, failing_since } = await webhookOf(webhook)
    expect(active).toBe(true)
    expect(Date.now() - Number(failing_since)).toBeLessThan(3_600_000)
  })
})
