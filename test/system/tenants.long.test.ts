import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type App, startApp } from '../../src/app.ts'
import { readConfig } from '../../src/config/config.ts'
import { keyFrom } from '../../src/domain/accounts/secret.ts'
import { openAccount } from '../../src/operator/accounts.ts'
import { createLog } from '../../src/telemetry/log.ts'
import { testEnv, testSecretsKey } from '../support/app.ts'
import { type TestDatabase, testDatabase } from '../support/postgres.ts'
import { type Statements, statementsThrough } from '../support/statements.ts'
import { startTcpRelay, type TcpRelay, type Verdict } from '../support/tcp-relay.ts'
import { eventually } from '../support/wait.ts'

let database: TestDatabase
let relay: TcpRelay
let statements: Statements
let app: App

beforeAll(async () => {
  database = await testDatabase()
  const url = new URL(database.url)
  relay = await startTcpRelay(Number(url.port))
  statements = statementsThrough(relay)
  url.port = `${relay.port}`
  app = await startApp(readConfig(testEnv(url.href)), createLog('silent'))
})
afterAll(async () => {
  await app?.drain()
  relay?.stop()
  await database?.drop()
})

async function newKey(): Promise<string> {
  const limits = { perMinute: 100_000, perDay: 1_000_000 }
  const wanted = { name: 'Test', plan: 'pro', limits } as const
  return (await openAccount(database.sql, keyFrom(testSecretsKey), wanted)).v1Key
}

function get(path: string, key?: string): Promise<Response> {
  return fetch(`${app.url}${path}`, { headers: key ? { 'x-api-key': key } : {} })
}

async function invoiceOf(key: string): Promise<string> {
  const answer = await fetch(`${app.url}/v1/invoices`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({
      amount: 12.5,
      currency: 'USDC',
      customerName: 'Ada',
      customerEmail: 'ada@example.com',
    }),
  })
  return ((await answer.json()) as { data: { id: string } }).data.id
}

/** Keeps every search for buyers from PostgreSQL until `end`, as if each took very long. */
function holdSearches() {
  const held: ((verdict: Verdict) => void)[] = []
  statements.look(({ at, text }) =>
    at === 'asked' && text.includes('strpos(lower(')
      ? new Promise((resolve) => held.push(resolve))
      : undefined,
  )
  return {
    held,
    end() {
      statements.look(null)
      for (const pass of held) pass('pass')
    },
  }
}

test('an account whose searches take for ever has two of them under way: other accounts, callers without a key and /readyz are answered meanwhile', async () => {
  const [slow, other, another] = await Promise.all([newKey(), newKey(), newKey()])
  const id = await invoiceOf(other)
  await invoiceOf(slow)
  const searches = holdSearches()
  const asked = Array.from({ length: 60 }, () => get('/api/invoices?search=zzzz', slow))
  await eventually(async () => searches.held.length >= 2)
  const answers = await Promise.all([
    get(`/v1/invoices/${id}`, other),
    get('/v1/invoices', other),
    get('/v1/invoices?status=PENDING', other),
    get('/v1/mandates', another),
    get('/agent-tools/sections/trust_signals.json'),
    get('/readyz'),
  ])
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200])
  expect(searches.held.length).toBe(2)
  searches.end()
  const found = await Promise.all(asked)
  expect(found.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(2)
  for (const refused of found.filter(({ status }) => status !== 200)) {
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '2'])
  }
})
