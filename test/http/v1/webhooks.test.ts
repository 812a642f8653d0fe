import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { types } from '../../../src/domain/webhooks/events.ts'
import { keyWith, type TestApp, testApp } from '../../support/app.ts'
import { type Receiver, startReceiver, verify } from '../../support/receiver.ts'

let app: TestApp
let receiver: Receiver

beforeAll(async () => {
  app = await testApp()
  receiver = startReceiver()
})

afterAll(async () => {
  await app.stop()
  await receiver.stop()
})

const path = '/v1/webhooks'
const invoice = {
  amount: 1,
  currency: 'USDC',
  customerName: 'Ada',
  customerEmail: 'ada@example.com',
}

function create(over: object = {}, headers: Record<string, string> = {}) {
  return app.send(
    'POST',
    path,
    { url: receiver.url, events: ['invoice.created'], ...over },
    headers,
  )
}

function error(code: string, status: number) {
  return { success: false, error: expect.objectContaining({ code, status }) }
}

describe('a webhook', () => {
  test('is created with a generated secret that is shown once, and delivers what it subscribed to, signed', async () => {
    const { status, json } = await create()
    expect([status, json]).toEqual([
      201,
      {
        success: true,
        data: {
          id: expect.any(String),
          url: receiver.url,
          events: ['invoice.created'],
          active: true,
          disabledReason: null,
          createdAt: expect.stringMatching(/Z$/),
          updatedAt: expect.stringMatching(/Z$/),
          secret: expect.stringMatching(/^whsec_/),
        },
      },
    ])
    const { id, secret } = json.data
    const made = await app.send('POST', '/v1/invoices', invoice)
    const delivery = await receiver.next(({ data }) => data.id === made.json.data.id)
    expect(verify(delivery, secret)).toEqual({ plain: true, standard: true })
    const envelope = JSON.parse(delivery.body)
    expect(envelope).toEqual({
      id: expect.stringMatching(/^evt_/),
      type: 'invoice.created',
      createdAt: made.json.data.createdAt,
      sequence: 1,
      data: made.json.data,
    })
    expect(delivery.headers['x-service-event']).toBe('invoice.created')
    const read = await app.send('GET', `${path}/${id}`)
    expect(read.json.data).not.toHaveProperty('secret')
    await app.send('DELETE', `${path}/${id}`)
  })

  test('with a secret of the caller’s own never shows it', async () => {
    const { json } = await create({ secret: 'sixteen-characters' })
    expect(json.data).not.toHaveProperty('secret')
    await app.send('DELETE', `${path}/${json.data.id}`)
  })

  test('paused gets nothing; deleted is gone, and what was pending is cancelled', async () => {
    const { json } = await create()
    const { id } = json.data
    const paused = await app.send('PATCH', `${path}/${id}`, { active: false })
    expect(paused.json.data).toMatchObject({ id, active: false })
    const made = await app.send('POST', '/v1/invoices', invoice)
    expect((await app.send('DELETE', `${path}/${id}`)).status).toBe(204)
    expect((await app.send('DELETE', `${path}/${id}`)).json).toEqual(error('NOT_FOUND', 404))
    await Bun.sleep(300)
    expect(receiver.received.filter(({ body }) => body.includes(made.json.data.id))).toEqual([])
  })

  test('is changed by PATCH, and only in what is named', async () => {
    const { json } = await create()
    const { id } = json.data
    const changed = await app.send('PATCH', `${path}/${id}`, {
      events: ['invoice.settled', 'invoice.settled'],
    })
    expect(changed.json.data).toMatchObject({
      id,
      url: receiver.url,
      events: ['invoice.settled'],
      active: true,
    })
    expect((await app.send('PATCH', `${path}/${id}`, {})).json).toEqual(
      error('INVALID_REQUEST', 400),
    )
    await app.send('DELETE', `${path}/${id}`)
  })

  test('of another account does not exist', async () => {
    const { json } = await create()
    const { id } = json.data
    const headers = { 'x-api-key': app.other.v1Key }
    for (const [method, body] of [['GET'], ['PATCH', { active: false }], ['DELETE']] as const) {
      expect((await app.send(method, `${path}/${id}`, body, headers)).json).toEqual(
        error('NOT_FOUND', 404),
      )
    }
    expect((await app.send('GET', path, undefined, headers)).json).toEqual({
      success: true,
      data: [],
      total: 0,
    })
    await app.send('DELETE', `${path}/${id}`)
  })
})

describe('a test event', () => {
  test.each(types.filter((type) => !type.startsWith('mandate.')))(
    '%s is written as an invoice that was made here: number as an integer, decimals, the family’s status',
    async (event) => {
      const { json } = await create()
      const { id } = json.data
      const tried = await app.send('POST', `${path}/${id}/test`, { event })
      const { body } = await receiver.next(({ id }) => id === tried.json.data.eventId)
      const { data } = JSON.parse(body)
      expect(data.invoiceNumber).toBe(0)
      if (!event.startsWith('settlement.')) {
        expect(['PENDING', 'SETTLED', 'FAILED']).toContain(data.status)
      }
      if (event === 'invoice.created') {
        expect(data).toMatchObject({ amount: 12.5, subtotal: 12.5, total: 12.5, currency: 'USDC' })
        expect(data.paymentDetails.amountDue).toBe('12.50')
        expect(data).not.toHaveProperty('tax')
      }
      await app.send('DELETE', `${path}/${id}`)
    },
  )
})

describe('refused', () => {
  test.each<[string, object]>([
    ['no url', { url: undefined }],
    ['a relative url', { url: '/hook' }],
    ['another scheme', { url: 'ftp://example.com' }],
    ['a file', { url: 'file:///etc/passwd' }],
    ['credentials in the url', { url: 'http://a:b@example.com' }],
    ['a url over 2,048 characters', { url: `http://example.com/${'a'.repeat(2_048)}` }],
    ['the metadata address', { url: 'http://169.254.169.254/latest' }],
    ['the metadata address in disguise', { url: 'http://0xa9fea9fe/' }],
    ['no events', { events: [] }],
    ['an unknown event', { events: ['invoice.deleted'] }],
    ['events that are no list', { events: 'invoice.created' }],
    ['more than 20 events', { events: Array.from({ length: 21 }, () => 'invoice.created') }],
    ['a short secret', { secret: 'short' }],
    ['a secret over 256 characters', { secret: 'x'.repeat(257) }],
  ])('%s is INVALID_REQUEST', async (_, over) => {
    const { status, json } = await create(over)
    expect([status, json]).toEqual([400, error('INVALID_REQUEST', 400)])
  })

  test('without a key, or with one that may only read', async () => {
    expect((await create({}, { 'x-api-key': '' })).json).toEqual(error('UNAUTHORIZED', 401))
    const key = await keyWith(app, ['webhooks:read'])
    expect((await create({}, { 'x-api-key': key })).json).toEqual(error('FORBIDDEN', 403))
  })

  test('ids that name nothing', async () => {
    for (const id of ['nope', '%00', '0190a000-0000-7000-8000-000000000000']) {
      expect((await app.send('GET', `${path}/${id}`)).json).toEqual(error('NOT_FOUND', 404))
    }
  })

  test('the 51st of an account', async () => {
    const { v1Key } = await app.newAccount()
    const answers = await Promise.all(
      Array.from({ length: 55 }, () => create({}, { 'x-api-key': v1Key })),
    )
    expect(answers.filter(({ status }) => status === 201).length).toBe(50)
    expect(answers.find(({ status }) => status !== 201)?.json).toEqual(error('LIMIT_REACHED', 409))
  })

  test('private addresses, where ALLOW_PRIVATE_TARGETS is false', async () => {
    const strict = await testApp({ ROLE: 'http', ALLOW_PRIVATE_TARGETS: 'false' })
    const { status } = await strict.send('POST', path, {
      url: receiver.url,
      events: ['invoice.created'],
    })
    expect(status).toBe(400)
    await strict.stop()
  })
})
