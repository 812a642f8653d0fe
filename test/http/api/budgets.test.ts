import { beforeAll, describe, expect, test } from 'bun:test'
import { type Answer, keyWith, refused, requester, type TestApp } from '../../support/app.ts'
import { useWorld } from '../../support/world.ts'

const { app, startHere } = useWorld()
let agents = 0
/** Sends with the account's key to each of the service's two processes on one database. */
let processes: readonly TestApp['send'][]

beforeAll(async () => {
  const { url } = await startHere({ ROLE: 'http' })
  const second = requester(() => `${url}`)
  const key = { 'x-api-key': app.account.v1Key }
  processes = [
    app.send,
    (method, path, body, headers) => second(method, path, body, { ...key, ...headers }),
  ]
})

const newAgent = () => `agent ${++agents}`
const path = (agentId: string) => `/api/budget/${encodeURIComponent(agentId)}`
const put = (agentId: string, body: object | string, headers = {}) =>
  app.send('PUT', path(agentId), body, headers)
const get = (agentId: string, headers = {}) => app.send('GET', path(agentId), undefined, headers)
const check = (body: object | string, headers = {}) =>
  app.send('POST', '/api/budget/check', body, headers)
const close = (id: string, how: 'commit' | 'release') =>
  app.send('POST', `/api/budget/reservations/${id}/${how}`)

/** Creates an agent with a budget of `limit`. */
async function anAgent(limit: number, over: object = {}): Promise<string> {
  const agentId = newAgent()
  expect((await put(agentId, { limit, ...over })).status).toBe(200)
  return agentId
}

async function reserve(agentId: string, amount: number): Promise<string> {
  const { json } = await check({ agentId, amount, reserve: true })
  return json.data.reservationId
}

const error = (code: string, status: number) => ({
  error: expect.objectContaining({ code, status }),
})
const figures = ({ json }: Answer) => {
  const { spent, reserved, remaining } = json.data
  return { spent, reserved, remaining }
}

/** What a check of a budget of 100 US dollar cents answers. */
const allowance = (agentId: string, requested: number) => ({
  allowed: true,
  agentId,
  requested,
  limit: 100,
  spent: 0,
  reserved: 0,
  remaining: 100,
  currency: 'USD',
  periodEnd: anInstant,
})
const anInstant = expect.stringMatching(/^\d{4}-\d\d-\d\dT00:00:00\.000Z$/)
const anId = expect.stringMatching(/^[0-9a-f-]{36}$/)

describe('a budget', () => {
  test('is set by PUT and read by GET', async () => {
    const agentId = newAgent()
    const terms = { limit: 10_000, period: 'week', currency: 'EUR', perTransactionLimit: 500 }
    const { status, json } = await put(agentId, terms)
    expect([status, json]).toEqual([
      200,
      {
        success: true,
        data: {
          agentId,
          currency: 'EUR',
          period: 'week',
          periodStart: anInstant,
          periodEnd: anInstant,
          limit: 10_000,
          spent: 0,
          reserved: 0,
          remaining: 10_000,
          perTransactionLimit: 500,
          active: true,
        },
      },
    ])
    expect((await get(agentId)).json).toEqual(json)
  })

  test('defaults to US dollars a month, no limit for one payment, and active', async () => {
    const { json } = await get(await anAgent(5))
    const terms = { currency: 'USD', period: 'month', perTransactionLimit: null, active: true }
    expect(json.data).toMatchObject(terms)
  })

  test('keeps what a later PUT does not name', async () => {
    const agentId = await anAgent(100, { currency: 'EUR', period: 'day', perTransactionLimit: 7 })
    await close(await reserve(agentId, 5), 'commit')
    const { json } = await put(agentId, { limit: 50 })
    const kept = { limit: 50, spent: 5, remaining: 45, currency: 'EUR', period: 'day' }
    expect(json.data).toMatchObject({ ...kept, perTransactionLimit: 7, active: true })
    expect((await put(agentId, { perTransactionLimit: null })).json.data).toMatchObject({
      ...kept,
      perTransactionLimit: null,
    })
  })

  test.each([
    ['lowered below its spending has nothing left', { limit: 50 }, { spent: 60, remaining: 0 }],
    [
      'starts counting anew in another currency',
      { currency: 'USDC', limit: 900 },
      { currency: 'USDC', spent: 0, remaining: 900 },
    ],
  ])('%s', async (_, change, expected) => {
    const agentId = await anAgent(100)
    await close(await reserve(agentId, 60), 'commit')
    expect((await put(agentId, change)).json.data).toMatchObject(expected)
  })

  test('needs its limits named anew in another currency: as bare numbers they would mean something else', async () => {
    const agentId = await anAgent(500_000_000, { currency: 'USDC', perTransactionLimit: 7 })
    const problems = async (body: object) => (await put(agentId, body)).json.error.details
    const limit = { path: 'limit', message: 'is required with another currency' }
    const perTransactionLimit = { ...limit, path: 'perTransactionLimit' }
    expect(await problems({ currency: 'USD' })).toEqual([limit, perTransactionLimit])
    expect(await problems({ currency: 'USD', limit: 50_000 })).toEqual([perTransactionLimit])
    expect(await problems({ currency: 'USD', perTransactionLimit: null })).toEqual([limit])
    expect((await get(agentId)).json.data).toMatchObject({ currency: 'USDC', limit: 500_000_000 })
    expect((await put(agentId, { currency: 'USDC' })).status).toBe(200)
    const { json } = await put(agentId, { currency: 'USD', limit: 50_000, perTransactionLimit: 70 })
    expect(json.data).toMatchObject({ currency: 'USD', limit: 50_000, perTransactionLimit: 70 })
  })

  test('has no end when it is for good', async () => {
    const { json } = await get(await anAgent(100, { period: 'total' }))
    expect(json.data).toMatchObject({ period: 'total', periodEnd: null })
  })

  test.each(['check', 'a/b?c=d&e#f', '100 % "Ümläut" \\ {x,y}', "o'brien; --", '💶'])(
    'may be of an agent with the id %s',
    async (agentId) => {
      expect((await put(agentId, { limit: 100 })).status).toBe(200)
      expect((await get(agentId)).json.data).toMatchObject({ agentId, limit: 100 })
      const held = await check({ agentId, amount: 1, reserve: true })
      expect(held.json.data).toMatchObject({ agentId, reserved: 1 })
    },
  )

  test.each(['team%2F7', '100%25', ' agent', 'agent ', ' ', 'a\u202eb', '\u200e'])(
    'is of nobody whom the proxy would take for another: 400 for %j',
    async (agentId) => {
      const answer = await put(agentId, { limit: 100 })
      expect(refused(answer)).toEqual([400, 'INVALID_REQUEST'])
      expect(answer.json.error.details[0].path).toBe('agentId')
      expect((await get(agentId)).status).toBeOneOf([400, 404])
    },
  )

  test('of such an agent is not refused for its name while nobody can tell whether it has been set', async () => {
    const { sql } = app.database
    await sql`alter table budgets rename to budgets_away`
    const { status } = await put('team%2F7', { limit: 100 })
    await sql`alter table budgets_away rename to budgets`
    expect(status).toBe(500)
  })

  test('of such an agent that has been set before can be changed all the same', async () => {
    const before = await anAgent(100)
    const agentId = `${before}%2F7`
    await app.database.sql`update budgets set agent_id = ${agentId} where agent_id = ${before}`
    const { status, json } = await put(agentId, { limit: 100, active: false })
    expect([status, json.data.active]).toEqual([200, false])
  })

  test('of another account does not exist, and is not touched by a PUT for the same agent', async () => {
    const agentId = await anAgent(100)
    const headers = { 'x-api-key': app.other.v1Key }
    expect((await get(agentId, headers)).json).toEqual(error('NOT_FOUND', 404))
    expect((await check({ agentId, amount: 1_000 }, headers)).json.data.limit).toBeNull()
    expect((await put(agentId, { limit: 7 }, headers)).json.data.limit).toBe(7)
    expect((await get(agentId)).json.data.limit).toBe(100)
  })
})

describe('a check', () => {
  test('within the budget is allowed, says how it stands, and changes nothing', async () => {
    const agentId = await anAgent(100)
    for (const _ of [1, 2]) {
      const { status, json } = await check({ agentId, amount: 100, currency: 'USD' })
      expect([status, json]).toEqual([200, { success: true, data: allowance(agentId, 100) }])
    }
  })

  test('of an agent without a budget is allowed, without a limit; nothing can be reserved of it', async () => {
    const agentId = newAgent()
    const unlimited = { limit: null, remaining: null, currency: null, periodEnd: null }
    const data = { ...allowance(agentId, 9), ...unlimited }
    expect((await check({ agentId, amount: 9 })).json).toEqual({ success: true, data })
    expect((await check({ agentId, amount: 9, currency: 'EUR', reserve: true })).json.data).toEqual(
      { ...data, currency: 'EUR', reservationId: null, expiresAt: null },
    )
    expect((await get(agentId)).status).toBe(404)
  })

  test('over the budget is 402 BUDGET_EXCEEDED with the numbers', async () => {
    const agentId = await anAgent(100)
    await reserve(agentId, 30)
    await close(await reserve(agentId, 40), 'commit')
    const { status, json } = await check({ agentId, amount: 31 })
    expect([status, json]).toEqual([
      402,
      {
        error: {
          code: 'BUDGET_EXCEEDED',
          message: expect.any(String),
          status: 402,
          details: {
            ...allowance(agentId, 31),
            ...{ allowed: false, spent: 40, reserved: 30, remaining: 30 },
            ...{ perTransactionLimit: null, reason: 'limit', term: 'amount', used: 70 },
          },
        },
      },
    ])
    expect((await check({ agentId, amount: 30 })).status).toBe(200)
  })

  test('over the limit for one payment, or of a budget that is not active, is 402 and says so', async () => {
    const agentId = await anAgent(100, { perTransactionLimit: 10 })
    expect((await check({ agentId, amount: 10 })).status).toBe(200)
    const over = await check({ agentId, amount: 11 })
    expect(refused(over)).toEqual([402, 'BUDGET_EXCEEDED'])
    expect(over.json.error.details).toMatchObject({
      reason: 'perTransactionLimit',
      perTransactionLimit: 10,
    })
    await put(agentId, { active: false })
    const paused = await check({ agentId, amount: 1, reserve: true })
    expect(refused(paused)).toEqual([402, 'BUDGET_EXCEEDED'])
    expect(paused.json.error.details).toMatchObject({ reason: 'inactive', remaining: 100 })
  })

  test('in another currency than the budget’s is INVALID_REQUEST', async () => {
    const answer = await check({ agentId: await anAgent(100), amount: 1, currency: 'EUR' })
    expect(refused(answer)).toEqual([400, 'INVALID_REQUEST'])
  })
})

describe('a reservation', () => {
  test('is held for 60 seconds and counts at once', async () => {
    const agentId = await anAgent(100)
    const before = Date.now()
    const { status, json } = await check({ agentId, amount: 60, reserve: true })
    expect([status, json.data]).toEqual([
      200,
      {
        ...allowance(agentId, 60),
        ...{ reserved: 60, remaining: 40 },
        ...{ reservationId: anId, expiresAt: expect.stringMatching(/Z$/) },
      },
    ])
    // The expiry is in whole seconds, rounded up.
    const madeAtMs = Date.parse(json.data.expiresAt) - 60_000
    expect(madeAtMs).toBeWithin(before, Date.now() + 1_001)
    expect(figures(await get(agentId))).toEqual({ spent: 0, reserved: 60, remaining: 40 })
    const over = await check({ agentId, amount: 41, reserve: true })
    expect(refused(over)).toEqual([402, 'BUDGET_EXCEEDED'])
  })

  test('is spent by a commit, once, however often that is said', async () => {
    const agentId = await anAgent(100)
    const reservationId = await reserve(agentId, 60)
    const first = await close(reservationId, 'commit')
    expect([first.status, first.json]).toEqual([
      200,
      {
        success: true,
        data: {
          reservationId,
          amount: 60,
          status: 'committed',
          ...(await get(agentId)).json.data,
        },
      },
    ])
    const again = await Promise.all([1, 2, 3].map(() => close(reservationId, 'commit')))
    for (const { json } of again) expect(json).toEqual(first.json)
    expect(figures(await get(agentId))).toEqual({ spent: 60, reserved: 0, remaining: 40 })
    expect(refused(await close(reservationId, 'release'))).toEqual([409, 'INVALID_STATE'])
  })

  test('is free again after a release, once, however often that is said', async () => {
    const agentId = await anAgent(100)
    const reservationId = await reserve(agentId, 60)
    await reserve(agentId, 1)
    const answers = await Promise.all([1, 2, 3].map(() => close(reservationId, 'release')))
    for (const { status, json } of answers) {
      expect([status, json.data.status]).toEqual([200, 'released'])
    }
    expect(figures(await get(agentId))).toEqual({ spent: 0, reserved: 1, remaining: 99 })
    expect(refused(await close(reservationId, 'commit'))).toEqual([409, 'INVALID_STATE'])
  })

  test('that was never made does not exist', async () => {
    for (const how of ['commit', 'release'] as const)
      for (const id of ['nope', '%00', '0190a000-0000-7000-8000-000000000000'])
        expect((await close(id, how)).json).toEqual(error('NOT_FOUND', 404))
  })

  test('with an Idempotency-Key is made once, and answered the same though the budget is used up', async () => {
    const agentId = await anAgent(100)
    const headers = { 'idempotency-key': agentId }
    const body = { agentId, amount: 100, reserve: true }
    const first = await check(body, headers)
    const again = await check(body, headers)
    expect([again.status, again.text]).toEqual([200, first.text])
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(first.headers.get('idempotent-replayed')).toBeNull()
    expect((await get(agentId)).json.data.reserved).toBe(100)
    const other = await check({ ...body, amount: 1 }, headers)
    expect(refused(other)).toEqual([422, 'IDEMPOTENCY_KEY_REUSED'])
    const elsewhere = await check(body, { ...headers, 'x-api-key': app.other.v1Key })
    expect(elsewhere.json.data.limit).toBeNull()
  })

  test('a refused one keeps no key: the request may succeed later', async () => {
    const agentId = await anAgent(10)
    const headers = { 'idempotency-key': agentId }
    const body = { agentId, amount: 20, reserve: true }
    expect((await check(body, headers)).status).toBe(402)
    await put(agentId, { limit: 20 })
    expect((await check(body, headers)).status).toBe(200)
  })

  test('the same key at once in two processes reserves once', async () => {
    const agentId = await anAgent(100)
    const body = { agentId, amount: 10, reserve: true }
    const answers = await Promise.all(
      processes.map((send) =>
        send('POST', '/api/budget/check', body, { 'idempotency-key': agentId }),
      ),
    )
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect((await get(agentId)).json.data.reserved).toBe(10)
  })
})

describe('many at once', () => {
  test('200 reservations of 1 against 100 through two processes: exactly 100 are admitted', async () => {
    const agentId = await anAgent(100)
    const body = { agentId, amount: 1, reserve: true }
    const answers = await Promise.all(
      Array.from({ length: 100 }, () =>
        processes.map((send) => send('POST', '/api/budget/check', body)),
      ).flat(),
    )
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 200).length).toBe(100)
    expect(statuses.filter((status) => status === 402).length).toBe(100)
    expect(figures(await get(agentId))).toEqual({ spent: 0, reserved: 100, remaining: 0 })
    const ids = answers.flatMap(({ json }) => json.data?.reservationId ?? [])
    const closed = await Promise.all(
      ids.flatMap((id) =>
        processes.map((send) => send('POST', `/api/budget/reservations/${id}/commit`)),
      ),
    )
    expect(closed.every(({ status }) => status === 200)).toBe(true)
    expect(figures(await get(agentId))).toEqual({ spent: 100, reserved: 0, remaining: 0 })
  })

  test('a commit and a release of one reservation through two processes: one of them wins', async () => {
    const agentId = await anAgent(1_000)
    const ids = await Promise.all(Array.from({ length: 20 }, () => reserve(agentId, 10)))
    const outcomes = await Promise.all(
      ids.map((id) =>
        Promise.all(
          (['commit', 'release'] as const).map((how, at) =>
            processes[at]?.('POST', `/api/budget/reservations/${id}/${how}`),
          ),
        ),
      ),
    )
    for (const pair of outcomes) {
      expect(pair.map((one) => one?.status).sort()).toEqual([200, 409])
    }
    const committed = outcomes.filter(([commit]) => commit?.status === 200).length
    expect(figures(await get(agentId))).toEqual({
      spent: committed * 10,
      reserved: 0,
      remaining: 1_000 - committed * 10,
    })
  })

  test('a first budget set through two processes at once is set', async () => {
    const agentId = newAgent()
    const answers = await Promise.all(
      [...processes, ...processes].map((send) => send('PUT', path(agentId), { limit: 100 })),
    )
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect((await get(agentId)).json.data.limit).toBe(100)
  })
})

describe('refused', () => {
  const badAmounts = ['0', '-1', '1.5', '"1"', '1e400', '9007199254740992', 'true', 'null', '[1]']

  test.each(badAmounts)('an amount of %s is INVALID_AMOUNT', async (amount) => {
    const agentId = await anAgent(100)
    const answer = await check(`{"agentId":"${agentId}","amount":${amount},"reserve":true}`)
    expect(refused(answer)).toEqual([400, 'INVALID_AMOUNT'])
    expect(answer.json.error.details[0].path).toBe('amount')
  })

  test.each(badAmounts.filter((amount) => amount !== '0'))(
    'a limit of %s is INVALID_AMOUNT, and so is one for one payment unless it is null',
    async (amount) => {
      expect(refused(await put('a', `{"limit":${amount}}`))).toEqual([400, 'INVALID_AMOUNT'])
      const answer = await put(newAgent(), `{"limit":1,"perTransactionLimit":${amount}}`)
      expect(answer.json.error?.code).toBe(amount === 'null' ? undefined : 'INVALID_AMOUNT')
    },
  )

  test.each<[string, object]>([
    ['a new budget without a limit', { period: 'day' }],
    ['an unknown period', { limit: 1, period: 'year' }],
    ['an unknown currency', { limit: 1, currency: 'XXX' }],
    ['a currency that is no text', { limit: 1, currency: 1 }],
    ['active that is no boolean', { limit: 1, active: 'true' }],
  ])('%s is INVALID_REQUEST', async (_, body) => {
    expect(refused(await put(newAgent(), body))).toEqual([400, 'INVALID_REQUEST'])
  })

  test.each<[string, object]>([
    ['no agent', { agentId: undefined }],
    ['an agent of null', { agentId: null }],
    ['an empty agent', { agentId: '' }],
    ['an agent with a NUL', { agentId: 'a\u0000' }],
    ['an agent over 256 characters', { agentId: 'a'.repeat(257) }],
    ['no amount', { amount: undefined }],
    ['an unknown currency', { currency: 'XXX' }],
    ['reserve that is no boolean', { reserve: 'true' }],
  ])('a check with %s is INVALID_REQUEST', async (_, over) => {
    const answer = await check({ agentId: 'a', amount: 1, ...over })
    expect(refused(answer)).toEqual([400, 'INVALID_REQUEST'])
  })

  test('an agent in the path that cannot be one is INVALID_REQUEST; of one without a budget, NOT_FOUND', async () => {
    for (const agentId of ['a\u0000', 'a'.repeat(257)]) {
      expect(refused(await get(agentId))).toEqual([400, 'INVALID_REQUEST'])
      expect(refused(await put(agentId, { limit: 1 }))).toEqual([400, 'INVALID_REQUEST'])
    }
    expect(refused(await get('nope'))).toEqual([404, 'NOT_FOUND'])
    expect(refused(await app.send('GET', '/api/budget/..%2f'))).toEqual([404, 'NOT_FOUND'])
    expect(refused(await app.send('GET', '/api/budget/%ff%zz'))).toEqual([400, 'INVALID_REQUEST'])
  })

  test('a body where none is needed has to be one all the same', async () => {
    const id = await reserve(await anAgent(100), 60)
    const path = `/api/budget/reservations/${id}/commit`
    expect(refused(await app.send('POST', path, '{"a":'))).toEqual([400, 'INVALID_REQUEST'])
    const text = { 'content-type': 'text/plain' }
    const typed = await app.send('POST', path, '{}', text)
    expect(refused(typed)).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE'])
    expect((await app.send('POST', path, { reason: 'said and ignored' })).status).toBe(200)
  })

  test('with a key that may only read budgets: it may check, and reserve nothing', async () => {
    const readOnly = { 'x-api-key': await keyWith(app, ['budgets:read']) }
    const agentId = await anAgent(10)
    const reserving = await check({ agentId, amount: 1, reserve: true }, readOnly)
    expect(refused(reserving)).toEqual([403, 'FORBIDDEN'])
    expect((await check({ agentId, amount: 1 }, readOnly)).status).toBe(200)
    expect((await get(agentId, readOnly)).json.data.reserved).toBe(0)
  })
})
