import { describe, expect, setSystemTime, test } from 'bun:test'
import { types } from '../../../src/domain/webhooks/events.ts'
import { createdInvoice, keyWith, refused } from '../../support/app.ts'
import { verify } from '../../support/receiver.ts'
import { eventually } from '../../support/wait.ts'
import { sealSecret } from '../../support/webhooks.ts'
import { useWorld } from '../../support/world.ts'

let status = 204
const { app, receiver } = useWorld({
  env: { WEBHOOK_RETRY_SCHEDULE_MS: '0,60000' },
  receiver: () => new Response(null, { status }),
})

const year = new Date().getUTCFullYear()
const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/)

function create(over: object = {}, headers: Record<string, string> = {}) {
  const wanted = { url: receiver.url, events: ['invoice.created'], ...over }
  return app.send('POST', '/api/webhooks', wanted, headers)
}

async function aWebhook(): Promise<string> {
  return (await create()).json.id
}

function tryOut(id: string, event = 'invoice.settled') {
  return app.send('POST', `/api/webhooks/${id}/test`, { event })
}

async function log(id: string, query = '') {
  return (await app.send('GET', `/api/webhooks/${id}/deliveries${query}`)).json
}

/** Sends a test event, and answers how it was signed by each of these secrets. */
async function signedBy(id: string, ...secrets: readonly string[]) {
  const { eventId } = (await tryOut(id)).json
  const delivery = await receiver.next((envelope) => envelope.id === eventId)
  return secrets.map((secret) => verify(delivery, secret))
}
const [bySecret, bySecretBefore, byNone] = [
  { plain: true, standard: true },
  { plain: false, standard: true },
  { plain: false, standard: false },
]

/** The webhook's only delivery, once an attempt is on record. */
async function attempted(id: string) {
  await eventually(async () => (await log(id)).data[0]?.attempts.length > 0)
  return (await log(id)).data[0]
}

describe('/api/webhooks', () => {
  test('a webhook is the whole answer, and a list has its total', async () => {
    const created = await create({ events: ['invoice.paid', 'invoice.paid'] })
    const { secret, ...webhook } = created.json
    expect([created.status, webhook, secret]).toEqual([
      201,
      {
        id: expect.any(String),
        url: receiver.url,
        events: ['invoice.paid'],
        active: true,
        disabledReason: null,
        createdAt: instant,
        updatedAt: instant,
      },
      expect.stringMatching(/^whsec_/),
    ])
    expect((await app.send('GET', `/api/webhooks/${webhook.id}`)).json).toEqual(webhook)
    const { data, total } = (await app.send('GET', '/api/webhooks')).json
    expect([data[0], total]).toEqual([webhook, data.length])
    const paused = await app.send('PATCH', `/api/webhooks/${webhook.id}`, { active: false })
    expect(paused.json).toEqual({ ...webhook, active: false, updatedAt: instant })
    const removed = await app.send('DELETE', `/api/webhooks/${webhook.id}`)
    expect([removed.status, removed.text]).toEqual([204, ''])
    expect((await app.send('GET', `/api/webhooks/${webhook.id}`)).status).toBe(404)
  })

  test('one made with active: false is paused until it is activated', async () => {
    const { status, json } = await create({ active: false })
    expect([status, json.active]).toEqual([201, false])
    expect((await tryOut(json.id)).json.error.code).toBe('INVALID_STATE')
    await app.send('PATCH', `/api/webhooks/${json.id}`, { active: true })
    expect((await tryOut(json.id)).status).toBe(202)
  })

  test('one made in a family is read in the other', async () => {
    const id = await aWebhook()
    const { json } = await app.send('GET', `/v1/webhooks/${id}`)
    const data = (await app.send('GET', `/api/webhooks/${id}`)).json
    expect(json).toEqual({ success: true, data })
  })
})

describe('Idempotency-Key', () => {
  test('makes one webhook, whose secret is not in the repeated answer nor in the database', async () => {
    const key = { 'idempotency-key': crypto.randomUUID() }
    const first = await create({}, key)
    const again = await create({}, key)
    const { secret, ...webhook } = first.json
    expect([again.status, again.json]).toEqual([201, webhook])
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    const rows = await app.database.sql<{ made: string }[]>`select made from idempotency_keys`
    expect(rows.filter(({ made }) => made.includes(secret))).toEqual([])
  })

  test('with another body is IDEMPOTENCY_KEY_REUSED, at once is done once', async () => {
    const key = { 'idempotency-key': crypto.randomUUID() }
    const answers = await Promise.all(Array.from({ length: 20 }, () => create({}, key)))
    const made = answers.filter(({ status }) => status === 201)
    expect(new Set(made.map(({ json }) => json.id)).size).toBe(1)
    expect(answers.filter(({ status }) => ![201, 409].includes(status))).toEqual([])
    const other = await create({ events: types }, key)
    expect(refused(other)).toEqual([422, 'IDEMPOTENCY_KEY_REUSED'])
  })
})

describe('a secret of the customer’s own', () => {
  const base64 = (length: number) => Buffer.alloc(length, 'k').toString('base64')

  test.each([
    `whsec_${base64(32)}`,
    `whsec_${base64(16)}`,
    `whsec_${base64(64)}`,
    'whsec_your_webhook_secret',
    'whsec_not/base64!-at-all',
    `whsec_${base64(15)}`,
    `whsec_${base64(65)}`,
    // Left-over bits, which some libraries ignore and others refuse.
    'whsec_0123456789abcdefghijkB==',
    'of several words, naïve 🔑',
    'a-secret-of-ones-own',
    base64(24),
    'whsec-0123456789',
    '"\\\'{}<>&%$`~!?;,:',
  ])('%s is taken as it is, and a library verifies what is signed with it', async (secret) => {
    const created = await create({ secret })
    expect(created.status).toBe(201)
    expect(await signedBy(created.json.id, secret)).toEqual([bySecret])
    await app.send('DELETE', `/api/webhooks/${created.json.id}`)
  })
})

describe('a test event', () => {
  test.each([...types])('of %s is delivered, signed and logged like any other', async (type) => {
    const created = await app.send('POST', '/v1/webhooks', { url: receiver.url, events: [type] })
    const { id, secret } = created.json.data
    const answer = await tryOut(id, type)
    expect([answer.status, answer.json]).toEqual([
      202,
      {
        id: expect.any(String),
        webhookId: id,
        eventId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        type,
        state: 'pending',
        isTest: true,
        attempts: [],
        nextAttemptAt: instant,
        createdAt: instant,
      },
    ])
    const delivery = await receiver.next((envelope) => envelope.id === answer.json.eventId)
    expect(verify(delivery, secret)).toEqual(bySecret)
    expect(JSON.parse(delivery.body)).toMatchObject({ type, data: expect.any(Object) })
    expect(await attempted(id)).toMatchObject({ state: 'delivered', isTest: true })
  })

  test.each([
    ['/api', types.filter((type) => !type.startsWith('mandate.')), `INV-${year}-0000`],
    ['/v1', types.filter((type) => !type.startsWith('mandate.')), 0],
  ])('made in %s has the number of no invoice', async (family, types, number) => {
    const id = await aWebhook()
    for (const event of types) {
      const { json } = await app.send('POST', `${family}/webhooks/${id}/test`, { event })
      const { eventId } = json.data ?? json
      const { body } = await receiver.next((envelope) => envelope.id === eventId)
      expect([event, JSON.parse(body).data.invoiceNumber]).toEqual([event, number])
    }
  })

  test('is marked as a test in every attempt, unlike other deliveries', async () => {
    const id = await aWebhook()
    status = 503
    const { json } = await tryOut(id, 'invoice.created')
    const isIt = (envelope: { id: string }) => envelope.id === json.eventId
    await attempted(id)
    status = 204
    await app.send('POST', `/api/deliveries/${json.id}/redeliver`)
    await eventually(async () => (await log(id)).data[0].attempts.length === 2)
    const attempts = receiver.received.filter(({ body }) => isIt(JSON.parse(body)))
    expect(attempts.map(({ headers }) => headers['x-service-test'])).toEqual(['true', 'true'])
    const invoice = await createdInvoice(app)
    const real = await receiver.next(({ data }) => data.id === invoice.id)
    expect(real.headers).not.toHaveProperty('x-service-test')
  })

  test('is delivered once for one Idempotency-Key, and answered the same', async () => {
    const id = await aWebhook()
    const key = { 'idempotency-key': crypto.randomUUID() }
    const send = (event: string) => app.send('POST', `/api/webhooks/${id}/test`, { event }, key)
    const first = await send('invoice.settled')
    expect(first.status).toBe(202)
    const again = await send('invoice.settled')
    expect([again.status, again.text]).toEqual([202, first.text])
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    const { data } = await log(id)
    expect(data.map((one: { id: string }) => one.id)).toEqual([first.json.id])
    expect(data[0].createdAt).toBe(first.json.createdAt)
    expect(refused(await send('invoice.paid'))).toEqual([422, 'IDEMPOTENCY_KEY_REUSED'])
  })

  test('400 of a type that does not exist; 409 to a paused webhook', async () => {
    const id = await aWebhook()
    expect(refused(await tryOut(id, 'invoice.lost'))).toEqual([400, 'INVALID_REQUEST'])
    await app.send('PATCH', `/api/webhooks/${id}`, { active: false })
    expect(refused(await tryOut(id))).toEqual([409, 'INVALID_STATE'])
    expect((await log(id)).data).toEqual([])
  })
})

describe('the delivery log', () => {
  test('shows the outcome of every attempt, and when the next one is', async () => {
    const id = await aWebhook()
    status = 503
    await tryOut(id)
    const delivery = await attempted(id)
    status = 204
    const nextAttemptMs = Date.parse(delivery.nextAttemptAt)
    expect(delivery).toMatchObject({
      state: 'pending',
      nextAttemptAt: instant,
      attempts: [
        {
          attempt: 1,
          startedAt: instant,
          durationMs: expect.any(Number),
          statusCode: 503,
          error: null,
          responseExcerpt: '',
        },
      ],
    })
    expect(nextAttemptMs).toBeGreaterThan(Date.now() + 40_000)
  })

  test('of many failed deliveries shows when each is next, with few waiting jobs', async () => {
    const id = await aWebhook()
    status = 503
    for (let n = 0; n < 10; n++) await tryOut(id)
    await eventually(async () => {
      const { data } = await log(id)
      return data.every(({ attempts }: { attempts: unknown[] }) => attempts.length === 1)
    })
    status = 204
    const admin = { 'x-api-key': await keyWith(app, ['admin']) }
    const jobs = async () => {
      const query = 'activeQueue=deliver&status=delayed&page=1&jobsPerPage=50'
      const path = `/admin/queues/api/queues?${query}`
      const { json } = await app.keyless('GET', path, undefined, admin)
      const { jobs } = json.queues.find(({ name }: { name: string }) => name === 'deliver')
      const named: { id: string; data: { webhookIds: string[] } }[] = jobs
      return named.filter(({ data }) => data.webhookIds.includes(id))
    }
    await eventually(async () => (await jobs()).length > 0)
    // Half a second apart or more: a second one for the same moment is not added.
    for (const job of await jobs()) {
      const [, webhookId, atMs] = /^retry-(.{36})-(\d+)$/.exec(job.id) ?? []
      expect([webhookId, Number(atMs) % 512]).toEqual([id, 0])
    }
  })

  test('is read page by page, newest first, each delivery once', async () => {
    const id = await aWebhook()
    const made: string[] = []
    for (let n = 0; n < 5; n++) made.push((await tryOut(id)).json.id)
    const seen: string[] = []
    for (let query = '?limit=2'; query; ) {
      const page = await log(id, query)
      seen.push(...page.data.map((delivery: { id: string }) => delivery.id))
      expect(page.hasMore).toBe(page.nextCursor !== null)
      query = page.nextCursor ? `?limit=2&cursor=${page.nextCursor}` : ''
    }
    expect(seen).toEqual(made.toReversed())
  })

  test('shows only those in the state that is asked for, by either name', async () => {
    const id = await aWebhook()
    await tryOut(id)
    await eventually(async () => (await log(id)).data[0].state === 'delivered')
    status = 503
    const tried = (await tryOut(id)).json.id
    await eventually(async () => (await log(id)).data[0].attempts.length > 0)
    status = 204
    const idsIn = async (query: string) =>
      (await log(id, query)).data.map((one: { id: string }) => one.id)
    expect(await idsIn('?state=pending')).toEqual([tried])
    expect(await idsIn('?status=pending')).toEqual([tried])
    expect(await idsIn('?status=delivered')).toEqual((await idsIn('')).slice(1))
    expect(await idsIn('?status=failed')).toEqual([])
  })

  test.each([
    '?limit=0',
    '?limit=101',
    '?cursor=1',
    '?limit=1&limit=1',
    '?status=lost',
    '?state=PENDING',
    '?state=pending&status=failed',
  ])('%s is INVALID_REQUEST', async (query) => {
    const { error } = await log(await aWebhook(), query)
    expect(error.code).toBe('INVALID_REQUEST')
  })
})

describe('a delivery can be read with what it sends', () => {
  test.each(['invoice.created', 'invoice.settled'] as const)(
    'of a test of %s: the very body the receiver got',
    async (type) => {
      const id = await aWebhook()
      status = 204
      const { id: deliveryId } = (
        await app.send('POST', `/api/webhooks/${id}/test`, { event: type })
      ).json
      const { eventId, attempts } = await attempted(id)
      const { json } = await app.send('GET', `/api/deliveries/${deliveryId}`)
      expect([json.id, json.attempts]).toEqual([deliveryId, attempts])
      const got = receiver.received.find(({ headers }) => headers['webhook-id'] === eventId)
      expect(JSON.stringify(json.payload)).toBe(JSON.stringify(JSON.parse(got?.body ?? '')))
      const v1 = await app.send('GET', `/v1/deliveries/${deliveryId}`)
      expect(v1.json.data.payload).toEqual(json.payload)
    },
  )

  test('of an invoice’s creation, which is kept with the invoice', async () => {
    const id = await aWebhook()
    status = 204
    const invoice = await createdInvoice(app)
    const { id: deliveryId } = await attempted(id)
    const { payload } = (await app.send('GET', `/api/deliveries/${deliveryId}`)).json
    expect([payload.type, payload.data.id]).toEqual(['invoice.created', invoice.id])
  })

  test('404 for another account, of no delivery, and once the webhook is deleted', async () => {
    const id = await aWebhook()
    status = 204
    await tryOut(id)
    const { id: deliveryId } = await attempted(id)
    const other = { 'x-api-key': (await app.newAccount('free')).apiKey }
    const path = `/api/deliveries/${deliveryId}`
    expect((await app.keyless('GET', path, undefined, other)).status).toBe(404)
    expect((await app.send('GET', `/api/deliveries/${crypto.randomUUID()}`)).status).toBe(404)
    await app.send('DELETE', `/api/webhooks/${id}`)
    expect((await app.send('GET', path)).status).toBe(404)
  })
})

describe('redelivery', () => {
  test('makes one more attempt, of a delivery that waits and of one that arrived', async () => {
    const id = await aWebhook()
    status = 500
    await tryOut(id)
    const { id: deliveryId, eventId } = await attempted(id)
    status = 204
    const again = await app.send('POST', `/api/deliveries/${deliveryId}/redeliver`)
    expect([again.status, again.json.state]).toEqual([202, 'pending'])
    await eventually(async () => (await log(id)).data[0].state === 'delivered')
    await app.send('POST', `/v1/deliveries/${deliveryId}/redeliver`)
    await eventually(async () => (await log(id)).data[0].attempts.length === 3)
    const [{ attempts }] = (await log(id)).data
    const codes = attempts.map((one: { statusCode: number }) => one.statusCode)
    expect(codes).toEqual([500, 204, 204])
    const arrived = receiver.received.filter(({ headers }) => headers['webhook-id'] === eventId)
    expect(arrived).toHaveLength(3)
  })

  test('409 while the webhook is paused, 404 once it is deleted', async () => {
    const id = await aWebhook()
    const deliveryId = (await tryOut(id)).json.id
    await attempted(id)
    const redeliver = () => app.send('POST', `/api/deliveries/${deliveryId}/redeliver`)
    await app.send('PATCH', `/api/webhooks/${id}`, { active: false })
    expect((await redeliver()).json.error.code).toBe('INVALID_STATE')
    await app.send('DELETE', `/api/webhooks/${id}`)
    expect((await redeliver()).json.error.code).toBe('NOT_FOUND')
  })
})

describe('a refusal says in words what is wrong with which field', () => {
  test.each([
    ['url', { url: 7 }, 'must be a URL of 1 to 2048 characters'],
    ['events', { events: [] }, 'must be a list of 1 to 20 event names'],
    ['events', { events: 'invoice.paid' }, 'must be a list of 1 to 20 event names'],
    ['events/0', { events: ['invoice.lost'] }, `must be one of ${types.join(', ')}`],
    ['secret', { secret: 'too short' }, 'must be a text of 16 to 256 characters'],
  ])('%s of %j', async (path, over, message) => {
    const { status, json } = await create(over)
    expect([status, json.error.details]).toEqual([400, [{ path, message }]])
  })

  test('active that is neither true nor false', async () => {
    const id = await aWebhook()
    const { json } = await app.send('PATCH', `/api/webhooks/${id}`, { active: 'yes' })
    expect(json.error.details).toEqual([{ path: 'active', message: 'must be true or false' }])
  })
})

describe('a rotated secret', () => {
  const rotate = (id: string, key: Record<string, string> = {}) =>
    app.send('POST', `/v1/webhooks/${id}/rotate-secret`, undefined, key)
  const hoursUntil = (instant: string) => Math.round((Date.parse(instant) - Date.now()) / 3_600_000)

  test('is shown once, and deliveries carry a signature of the one before as well', async () => {
    const { id, secret: before } = (await create()).json
    const { secret, previousSecretUntil } = (await rotate(id)).json.data
    expect(secret).not.toBe(before)
    expect(hoursUntil(previousSecretUntil)).toBe(24)
    expect(await signedBy(id, secret, before)).toEqual([bySecret, bySecretBefore])
    expect((await app.send('GET', `/v1/webhooks/${id}`)).text).not.toContain('whsec_')
  })

  test('leaves the one before a day, also where the clock of the process is two days behind', async () => {
    const { id, secret: before } = (await create()).json
    setSystemTime(new Date(Date.now() - 2 * 86_400_000))
    const { json } = await rotate(id)
    setSystemTime()
    expect(hoursUntil(json.data.previousSecretUntil)).toBe(24)
    expect(await signedBy(id, before)).toEqual([bySecretBefore])
  })

  test('can be rotated again at once, which ends the first of the three', async () => {
    const { id, secret: first } = (await create()).json
    const [second, third] = [await rotate(id), await rotate(id)].map(({ json }) => json.data.secret)
    const signed = await signedBy(id, third, second, first)
    expect(signed).toEqual([bySecret, bySecretBefore, byNone])
  })

  test('is answered again for the same Idempotency-Key, and stored sealed', async () => {
    const id = await aWebhook()
    const key = { 'idempotency-key': crypto.randomUUID() }
    const first = await rotate(id, key)
    const again = await rotate(id, key)
    expect([again.status, again.json]).toEqual([200, first.json])
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    const rows = await app.database.sql<{ made: string }[]>`
      select made from idempotency_keys where route like ${`%${id}%`}`
    expect(rows.map(({ made }) => made.includes('whsec_'))).toEqual([false])
  })

  test('is refused to a key whose answer was sealed under a SECRETS_KEY that is lost', async () => {
    const id = await aWebhook()
    const key = { 'idempotency-key': crypto.randomUUID() }
    await rotate(id, key)
    const lost = Buffer.from(sealSecret('{"secret":"whsec_"}')).toString('base64')
    await app.database.sql`
      update idempotency_keys set made = ${lost} where route like ${`%${id}%`}`
    expect(refused(await rotate(id, key))).toEqual([422, 'IDEMPOTENCY_KEY_REUSED'])
    expect((await rotate(id)).status).toBe(200)
  })
})
