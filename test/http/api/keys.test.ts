import { describe, expect, test } from 'bun:test'
import { presets } from '../../../src/domain/accounts/scopes.ts'
import { issueKey } from '../../../src/operator/accounts.ts'
import { listAudit } from '../../../src/storage/accounts/audit.ts'
import { keyWith, refused } from '../../support/app.ts'
import { useWorld } from '../../support/world.ts'

const { app } = useWorld({ env: { ROLE: 'http' } })

function create(body: object, key = app.account.apiKey) {
  return app.keyless('POST', '/api/keys', body, { 'x-api-key': key })
}

function revoke(id: string, key = app.account.apiKey) {
  return app.keyless('DELETE', `/api/keys/${id}`, undefined, { 'x-api-key': key })
}

const forbidden = [403, 'FORBIDDEN']

async function listed(id: string) {
  const { data } = (await app.send('GET', '/api/keys')).json
  return data.find((one: { id: string }) => one.id === id)
}

describe('creating', () => {
  test('shows the key once; it works with what it was granted, and no more', async () => {
    const wanted = { name: 'agent', scopes: ['invoices:read'], expiresAt: '2100-01-01T00:00:00Z' }
    const { status, headers, json } = await create(wanted)
    const { key, ...rest } = json
    expect([status, headers.get('cache-control')]).toEqual([201, 'no-store'])
    expect(key).toMatch(/^inv_[0-9a-f]{64}$/)
    expect(rest).toEqual({
      id: expect.any(String),
      hint: `inv_…${key.slice(-4)}`,
      ...wanted,
      expiresAt: '2100-01-01T00:00:00.000Z',
      createdAt: expect.any(String),
      revokedAt: null,
      lastUsedAt: null,
    })
    expect(await listed(json.id)).toEqual(rest)
    const answers = ['/api/invoices', '/api/webhooks'].map((path) =>
      app.keyless('GET', path, undefined, { 'x-api-key': key }),
    )
    expect((await Promise.all(answers)).map((answer) => answer.status)).toEqual([200, 403])
  })

  test('without scopes grants what the key in use may do, but never admin', async () => {
    expect((await create({})).json.scopes).toEqual(presets.full)
    const operator = await keyWith(app, ['admin', 'webhooks:write', 'dashboard:read'])
    expect((await create({}, operator)).json.scopes).toEqual(['webhooks:write', 'dashboard:read'])
  })

  test.each([
    [{ preset: 'webhook_only' }, presets.webhook_only],
    [{ scopes: ['read_only'] }, presets.read_only],
    [
      { scopes: ['webhook_only', 'webhooks:read', 'invoices:read'] },
      [...presets.webhook_only, 'invoices:read'],
    ],
    [
      { scopes: ['invoices:read'], preset: 'webhook_only' },
      ['invoices:read', ...presets.webhook_only],
    ],
    [{ preset: 'full' }, presets.full],
  ])('%p grants what the preset holds, and no more', async (body, granted) => {
    const { status, json } = await create(body)
    expect([status, json.scopes]).toEqual([201, granted])
    expect((await listed(json.id)).scopes).toEqual(granted)
  })

  test('an unknown preset or scope is refused with the list of known ones', async () => {
    const preset = (await create({ preset: 'everything' })).json.error.message
    expect(preset).toBe('preset: must be one of full, read_only, webhook_only')
    const scope = (await create({ scopes: ['everything'] })).json.error.message
    for (const name of [...presets.full, ...Object.keys(presets)]) expect(scope).toContain(name)
  })

  test('a key that may only read issues and revokes none', async () => {
    const reader = await keyWith(app, presets.read_only)
    expect((await create({}, reader)).status).toBe(403)
    const { id } = (await create({ scopes: ['dashboard:read'] })).json
    const headers = { 'x-api-key': reader }
    expect((await app.send('DELETE', `/api/keys/${id}`, undefined, headers)).status).toBe(403)
  })

  test('a permission that the key in use lacks is refused, by itself or in a preset', async () => {
    const writer = await keyWith(app, ['webhooks:write', 'dashboard:read'])
    expect(refused(await create({ preset: 'full' }, writer))).toEqual(forbidden)
    const reader = await keyWith(app, presets.read_only)
    expect(refused(await create({ scopes: ['invoices:write'] }, reader))).toEqual(forbidden)
  })

  test('a key that expires on a day lasts all of that day', async () => {
    const today = new Date().toISOString().slice(0, 10)
    const { status, json } = await create({ expiresAt: today })
    expect([status, json.expiresAt]).toEqual([201, `${today}T23:59:59.999Z`])
  })

  test('a key that expires issues none that outlives it', async () => {
    const expiresAt = new Date('2090-01-01T00:00:00.000Z')
    const accountId = app.account.account.id
    const wanted = { accountId, kind: 'inv_', name: '', scopes: presets.full, expiresAt } as const
    const { key } = await issueKey(app.database.sql, wanted)
    expect((await create({}, key)).json.expiresAt).toBe(expiresAt.toISOString())
    expect((await create({ expiresAt: '2090-01-02' }, key)).json.error.details).toEqual([
      { path: 'expiresAt', message: 'must not be later than that of the key in use' },
    ])
  })

  test.each([
    ['name', { name: '' }],
    ['name', { name: 'x'.repeat(257) }],
    ['scopes', { scopes: [] }],
    ['scopes', { scopes: 'invoices:read' }],
    ['scopes/0', { scopes: ['admin'] }],
    ['scopes/0', { scopes: ['nope'] }],
    ['preset', { preset: 'admin' }],
    ['preset', { preset: null }],
    ['preset', { preset: ['full'] }],
    ['expiresAt', { expiresAt: 'tomorrow' }],
    ['expiresAt', { expiresAt: 4_000_000_000 }],
    ['expiresAt', { expiresAt: '2020-01-01' }],
  ])('400 naming %s for %p', async (path, body) => {
    const answer = await create(body)
    expect(refused(answer)).toEqual([400, 'INVALID_REQUEST'])
    expect(answer.json.error.details[0].path).toBe(path)
  })

  test('once for one Idempotency-Key; the answer again is without the key', async () => {
    const headers = { 'x-api-key': app.account.apiKey, 'idempotency-key': 'one' }
    const send = (body: object) => app.keyless('POST', '/api/keys', body, headers)
    const { key, ...rest } = (await send({ name: 'once' })).json
    const again = await send({ name: 'once' })
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 'true'])
    expect(again.json).toEqual(rest)
    expect(await listed(rest.id)).toEqual(rest)
    expect(key).toStartWith('inv_')
    expect(refused(await send({ name: 'other' }))).toEqual([422, 'IDEMPOTENCY_KEY_REUSED'])
  })

  test('409 at 50 keys, also when some of them were revoked just now', async () => {
    const { apiKey } = await app.newAccount()
    const made = []
    for (let n = 2; n < 50; n++) made.push((await create({}, apiKey)).status)
    expect(new Set(made)).toEqual(new Set([201]))
    const { data } = (await app.keyless('GET', '/api/keys', undefined, { 'x-api-key': apiKey }))
      .json
    expect((await revoke(data[0].id, apiKey)).status).toBe(204)
    expect(refused(await create({}, apiKey))).toEqual([409, 'LIMIT_REACHED'])
  })

  test('50 keys and never one more, however many are asked for at once', async () => {
    const { apiKey } = await app.newAccount()
    const answers = await Promise.all(Array.from({ length: 60 }, () => create({}, apiKey)))
    const made = answers.filter(({ status }) => status === 201)
    expect(made).toHaveLength(48)
    for (const answer of answers)
      if (answer.status !== 201) expect(refused(answer)).toEqual([409, 'LIMIT_REACHED'])
    const headers = { 'x-api-key': apiKey }
    const { data } = (await app.keyless('GET', '/api/keys', undefined, headers)).json
    expect(data).toHaveLength(50)
  })
})

describe('revoking', () => {
  test('ends the key, once and for all, and says who did it', async () => {
    const { id } = (await create({ scopes: ['invoices:read'] })).json
    expect([(await revoke(id)).status, (await revoke(id)).status]).toEqual([204, 204])
    expect((await listed(id)).revokedAt).toBeString()
    const query = { accountId: app.account.account.id, before: null, limit: 10 }
    const entries = (await listAudit(app.database.sql, query)).filter((one) => one.subjectId === id)
    expect(entries.map(({ action }) => action)).toContainAllValues(['revoked', 'created'])
    for (const { actor } of entries) expect(actor).toStartWith('key:')
  })

  test('a key that was never used is refused at once, and a key can revoke itself', async () => {
    const { id, key } = (await create({})).json
    expect((await revoke(id, key)).status).toBe(204)
    const unused = (await create({})).json
    await revoke(unused.id)
    expect((await create({}, unused.key)).status).toBe(401)
  })

  test('a key with more permissions cannot be revoked', async () => {
    const reader = await keyWith(app, presets.read_only)
    const { id } = (await create({})).json
    expect(refused(await revoke(id, reader))).toEqual(forbidden)
    expect((await listed(id)).revokedAt).toBeNull()
  })

  test.each(['none', Bun.randomUUIDv7()])('404 for %s', async (id) => {
    expect(refused(await revoke(id))).toEqual([404, 'NOT_FOUND'])
  })
})
