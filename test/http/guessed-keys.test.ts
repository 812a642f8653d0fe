import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { newKey } from '../../src/domain/account.ts'
import { keyFrom } from '../../src/domain/secret.ts'
import { createKeyRing, identify, type KeyRing } from '../../src/http/auth.ts'
import { createLimits, type Limits } from '../../src/http/limits.ts'
import { createOperations, type Operation } from '../../src/http/operation.ts'
import { openAccount } from '../../src/operator/accounts.ts'
import * as Accounts from '../../src/storage/accounts.ts'
import { postgresWindows } from '../../src/storage/request-windows.ts'
import { testSecretsKey } from '../support/app.ts'
import { type TestDatabase, testDatabase } from '../support/postgres.ts'

const sealKey = keyFrom(testSecretsKey)
let db: TestDatabase
let keys: KeyRing
let limits: Limits
let operation: Operation
let lookUps = 0

beforeAll(async () => {
  db = await testDatabase()
})

beforeEach(async () => {
  lookUps = 0
  keys = createKeyRing({
    store: {
      findKey: (hash) => {
        lookUps++
        return Accounts.findKey(db.sql, hash)
      },
      findKeyById: (keyId) => Accounts.findKeyById(db.sql, keyId),
      changedSince: (asOf) => Accounts.changedSince(db.sql, asOf),
      touchLastUsed: (uses) => Accounts.touchLastUsed(db.sql, uses),
    },
    unixMs: Date.now,
    steadyMs: () => performance.now(),
    onFault: () => {},
  })
  // The clock stands still: a refusal would be doubted after a second, however slow the machine.
  limits = createLimits({ store: postgresWindows(db.sql), clock: () => 0 })
  const gate = {
    identify: (request: Request, beforeAsking?: () => void) =>
      identify(request, keys, beforeAsking),
    limits,
    metrics: { request() {}, rateLimited() {} },
    log: { error() {}, warn() {} },
    newRequestId: () => crypto.randomUUID(),
  }
  const addressOf = (request: Request) => request.headers.get('x-from') ?? ''
  const operations = createOperations(gate, 'api', {
    addressOf,
    keepOpen() {},
    isOver: () => false,
  })
  operation = operations({ scope: 'invoices:read' }, () => ({ status: 204, body: null }))
})

afterEach(async () => {
  await Promise.all([limits.close(), keys.close()])
})
afterAll(() => db.drop())

function call(key: string, from: string) {
  const headers = { 'x-api-key': key, 'x-from': from }
  const request = new Request('http://localhost/api/invoices', { headers })
  return operation({ request, params: {}, route: '/api/invoices' })
}

/** How each of so many guesses, one after the other, is answered. */
async function guess(times: number, from: string) {
  const statuses: number[] = []
  for (let n = 0; n < times; n++)
    statuses.push((await call(newKey('inv_', randomBytes(32)), from)).status)
  return statuses
}

test('an address that is refused has no more keys looked up', async () => {
  const statuses = await guess(500, '192.0.2.1')
  const wrong = statuses.filter((status) => status === 401).length
  // A hundred a minute, and a minute may begin on the way.
  expect(wrong).toBeLessThanOrEqual(200)
  expect(statuses.slice(wrong)).toEqual(Array(500 - wrong).fill(429))
  expect(lookUps).toBeLessThanOrEqual(wrong + 1)
})

test('a refusal says how long to wait, and concerns no other address', async () => {
  await guess(210, '192.0.2.2')
  const refused = await call(newKey('inv_', randomBytes(32)), '192.0.2.2')
  expect(refused.headers.get('x-ratelimit-limit')).toBe('100')
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await guess(1, '192.0.2.3'))[0]).toBe(401)
})

test('who is refused without a key is asked whose key he has all the same', async () => {
  const { apiKey: key } = await openAccount(db.sql, sealKey, { name: 'Acme', plan: 'pro' })
  for (let n = 0; n < 210; n++) await limits.admit('ip:192.0.2.5', { perMinute: 100, perDay: null })
  expect((await call(key, '192.0.2.5')).status).toBe(204)
})

test('a key that is known is served whatever its address is refused', async () => {
  const { apiKey: key } = await openAccount(db.sql, sealKey, { name: 'Acme', plan: 'pro' })
  expect((await call(key, '192.0.2.4')).status).toBe(204)
  await guess(210, '192.0.2.4')
  expect((await call(key, '192.0.2.4')).status).toBe(204)
})
