import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { createKeyRing, type KeyRing } from '../../../src/actors/keys/key-ring.ts'
import { newKey } from '../../../src/domain/accounts/account.ts'
import { keyFrom } from '../../../src/domain/accounts/secret.ts'
import { identify } from '../../../src/http/admission/auth.ts'
import { createLimits, type Limits } from '../../../src/http/admission/limits.ts'
import { createOperations, type Operation } from '../../../src/http/operation.ts'
import { openAccount } from '../../../src/operator/accounts.ts'
import { postgresWindows } from '../../../src/storage/limits/postgres-windows.ts'
import { connect, type Sql } from '../../../src/storage/postgres/db.ts'
import { testSecretsKey } from '../../support/app.ts'
import { eventually } from '../../support/wait.ts'
import { watchedSql } from '../../support/watched-sql.ts'
import { useWorld } from '../../support/world.ts'

const sealKey = keyFrom(testSecretsKey)
const { database: db } = useWorld({ service: 'none' })
let keys: KeyRing
let limits: Limits
let operation: Operation
let withKeyInBody: Operation
let counters: Sql
let steadyMs = 0
let lookUps = 0

beforeAll(async () => {
  // Rate limits use this clock, which always stands at the start of the same minute.
  await db.sql.unsafe(`
    create function public.clock_timestamp() returns timestamptz language sql as $$ select timestamptz '2030-01-01T12:00:00Z' $$;
    do $$ begin execute format('alter database %I set search_path = public, pg_catalog', current_database()); end $$`)
  counters = connect(db.url, { max: 2, name: 'test guessed keys' })
})

beforeEach(async () => {
  steadyMs = 0
  lookUps = 0
  keys = createKeyRing({
    sql: watchedSql(db.sql, { before: () => lookUps++ }),
    pollSql: db.sql,
    clock: { now: () => new Date(), learn() {} },
    steadyMs: () => performance.now(),
    onFault: () => {},
  })
  limits = createLimits({
    store: postgresWindows(counters),
    clock: () => steadyMs,
    nowMs: Date.now,
  })
  const gate = {
    identify: (request: Request, beforeLookup?: () => void) =>
      identify(request, keys, beforeLookup),
    findKey: keys.find,
    limits,
    metrics: { request() {}, rateLimited() {} },
    log: { error() {}, warn() {} },
  }
  const addressOf = (request: Request) => request.headers.get('x-from') ?? ''
  const operations = createOperations(gate, 'api', {
    addressOf,
    keepOpen() {},
    isOver: () => false,
  })
  operation = operations({ scope: 'invoices:read' }, () => ({ status: 204, body: null }))
  withKeyInBody = operations({ scope: null, isPublic: true }, async ({ admitKey, request }) => {
    await admitKey(await request.text())
    return { status: 204, body: null }
  })
})

afterEach(async () => {
  await Promise.all([limits.close(), keys.close()])
})
afterAll(async () => {
  await counters.end()
})

function call(key: string, from: string) {
  const headers = { 'x-api-key': key, 'x-from': from }
  const request = new Request('http://localhost/api/invoices', { headers })
  return operation({ request, params: {}, route: '/api/invoices' })
}

function callInBody(key: string, from: string) {
  const sent = { method: 'POST', headers: { 'x-from': from }, body: key }
  const request = new Request('http://localhost/agent-tools/mcp', sent)
  return withKeyInBody({ request, params: {}, route: '/agent-tools/mcp' })
}

/** The statuses of `times` guessed keys, sent one after the other. */
async function guess(times: number, from: string, send = call) {
  const statuses: number[] = []
  for (let n = 0; n < times; n++)
    statuses.push((await send(newKey('inv_', randomBytes(32)), from)).status)
  return statuses
}

test('an address that is refused has no more keys looked up', async () => {
  const statuses = await guess(250, '192.0.2.1')
  expect(statuses).toEqual([...Array(100).fill(401), ...Array(150).fill(429)])
  expect(lookUps).toBe(100)
})

test('keys guessed in bodies, well-formed or not, count with those in headers', async () => {
  const from = '192.0.2.7'
  await guess(50, from)
  expect((await callInBody('nope ☹', from)).status).toBe(401)
  const statuses = await guess(60, from, callInBody)
  expect(statuses).toEqual([...Array(49).fill(401), ...Array(11).fill(429)])
  expect(lookUps).toBe(99)
  expect(await guess(1, from)).toEqual([429])
})

test('that lasts to the end of the minute, however seldom it guesses, and no longer', async () => {
  const from = '192.0.2.6'
  await guess(101, from)
  const before = lookUps
  for (const afterMs of [1_100, 10_000]) {
    steadyMs = afterMs
    // Long enough for unused entries to be dropped from memory.
    await Bun.sleep(1_100)
    const statuses = await Promise.all(Array.from({ length: 20 }, () => guess(1, from)))
    expect(statuses.flat()).toEqual(Array(20).fill(429))
  }
  expect(lookUps).toBe(before)
  expect(limits.refusalOf(`guess:${from}`)).toMatchObject({ resetAfterSeconds: 50 })
  steadyMs = 60_000
  await guess(1, from)
  expect(lookUps).toBe(before + 1)
})

test('a refusal says how long to wait, and concerns no other address', async () => {
  await guess(101, '192.0.2.2')
  const refused = await call(newKey('inv_', randomBytes(32)), '192.0.2.2')
  expect(refused.headers.get('x-ratelimit-limit')).toBe('100')
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await guess(1, '192.0.2.3'))[0]).toBe(401)
})

test('who is refused without a key is asked whose key he has all the same', async () => {
  const { apiKey: key } = await openAccount(db.sql, sealKey, { name: 'Acme', plan: 'pro' })
  for (let n = 0; n < 101; n++) await limits.admit('ip:192.0.2.5', { perMinute: 100, perDay: null })
  expect((await call(key, '192.0.2.5')).status).toBe(204)
})

test('a key that is known is served whatever its address is refused', async () => {
  const { apiKey: key } = await openAccount(db.sql, sealKey, { name: 'Acme', plan: 'pro' })
  // What is looked up while the changes of keys are asked for may be out of date, and is not kept.
  await eventually(async () => {
    const before = lookUps
    expect((await call(key, '192.0.2.4')).status).toBe(204)
    return lookUps === before
  })
  await guess(101, '192.0.2.4')
  expect((await call(key, '192.0.2.4')).status).toBe(204)
})
