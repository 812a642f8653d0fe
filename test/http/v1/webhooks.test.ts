import { describe, expect, test } from 'bun:test'
import { createdInvoice, refused, testApp } from '../../support/app.ts'
import { verify } from '../../support/receiver.ts'
import { useWorld } from '../../support/world.ts'

const { app, receiver } = useWorld({ receiver: true })

const path = '/v1/webhooks'

function create(over: object = {}, headers: Record<string, string> = {}) {
  const wanted = { url: receiver.url, events: ['invoice.created'], ...over }
  return app.send('POST', path, wanted, headers)
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
    const made = await createdInvoice(app)
    const delivery = await receiver.next(({ data }) => data.id === made.id)
    expect(verify(delivery, secret)).toEqual({ plain: true, standard: true })
    const envelope = JSON.parse(delivery.body)
    const { accepting, ...paymentDetails } = made.paymentDetails
    expect(accepting).toBe(false)
    expect(envelope).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      type: 'invoice.created',
      createdAt: made.createdAt,
      sequence: 1,
      data: { ...made, paymentDetails },
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
    const made = await createdInvoice(app)
    expect((await app.send('DELETE', `${path}/${id}`)).status).toBe(204)
    expect((await app.send('DELETE', `${path}/${id}`)).json).toEqual(error('NOT_FOUND', 404))
    await Bun.sleep(300)
    expect(receiver.received.filter(({ body }) => body.includes(made.id))).toEqual([])
  })

  test('is changed by PATCH, and only in what is named', async () => {
    const { json } = await create()
    const { id } = json.data
    const wanted = { events: ['invoice.settled', 'invoice.settled'] }
    const changed = await app.send('PATCH', `${path}/${id}`, wanted)
    const kept = { id, url: receiver.url, active: true }
    expect(changed.json.data).toMatchObject({ ...kept, events: ['invoice.settled'] })
    const empty = await app.send('PATCH', `${path}/${id}`, {})
    expect(refused(empty)).toEqual([400, 'INVALID_REQUEST'])
    await app.send('DELETE', `${path}/${id}`)
  })
})

test('a test event is written as an invoice that was made here: decimals and the family’s status', async () => {
  const { id } = (await create()).json.data
  const tried = await app.send('POST', `${path}/${id}/test`, { event: 'invoice.created' })
  const { body } = await receiver.next((envelope) => envelope.id === tried.json.data.eventId)
  const { data } = JSON.parse(body)
  const figures = { amount: 12.5, subtotal: 12.5, total: 12.5, currency: 'USDC' }
  expect(data).toMatchObject({ status: 'PENDING', ...figures })
  expect(data.paymentDetails.amountDue).toBe('12.50')
  expect(data).not.toHaveProperty('tax')
  await app.send('DELETE', `${path}/${id}`)
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
    expect(refused(await create(over))).toEqual([400, 'INVALID_REQUEST'])
  })

  test('ids that name nothing', async () => {
    for (const id of ['nope', '%00', '0190a000-0000-7000-8000-000000000000']) {
      expect((await app.send('GET', `${path}/${id}`)).json).toEqual(error('NOT_FOUND', 404))
    }
  })

  test('the 51st of an account', async () => {
    const { v1Key } = await app.newAccount()
    const creations = Array.from({ length: 55 }, () => create({}, { 'x-api-key': v1Key }))
    const answers = await Promise.all(creations)
    const others = answers.filter(({ status }) => status !== 201)
    expect(others.map(refused)).toEqual(Array(5).fill([409, 'LIMIT_REACHED']))
  })

  test('private addresses, where ALLOW_PRIVATE_TARGETS is false', async () => {
    const strict = await testApp({ ROLE: 'http', ALLOW_PRIVATE_TARGETS: 'false' })
    const wanted = { url: receiver.url, events: ['invoice.created'] }
    expect((await strict.send('POST', path, wanted)).status).toBe(400)
    await strict.stop()
  })
})
