import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { presets } from '../../src/domain/account.ts'
import { issueKey } from '../../src/operator/accounts.ts'
import { revokeKey } from '../../src/storage/accounts.ts'
import { keyWith, type TestApp, testApp, testSecretsKey } from '../support/app.ts'
import { bodyOf, type Case, fill, rawOf, readCorpus, type Values } from '../support/corpus.ts'
import { forgedTokens } from '../support/forged-tokens.ts'
import { sendRaw } from '../support/raw-socket.ts'

/** Surfaces that do not exist yet, with how many cases wait for each. */
const waiting = {
  'POST /v1/mandates': 74,
  'GET /v1/public/mandates': 3,
  'POST /api/x402': 13,
  'POST /agent-tools/mcp': 36,
  'DELETE /agent-tools/mcp': 1,
  'GET {{PROXY': 19,
}

/** Where contract.md says otherwise than a convention of the corpus, it wins. */
const deviations: Readonly<
  Record<string, { readonly status: number; readonly code?: string; readonly because: string }>
> = {
  'AUTH-011': { status: 200, because: '§2: either kind of key works in either header' },
  'WHK-027': { status: 201, because: '§8: a secret is generated where none is given' },
  ...Object.fromEntries(
    ['INV-096', 'INV-097', 'INV-098', 'INV-099'].map((id) => [
      id,
      {
        status: 415,
        code: 'UNSUPPORTED_MEDIA_TYPE',
        because: '§3: content other than JSON has a code of its own',
      },
    ]),
  ),
}

const surfaceIs = (start: string) => (sent: Case) => sent.surface.startsWith(start)
const corpus = await readCorpus()
const cases = corpus.filter((sent) => !Object.keys(waiting).some((start) => surfaceIs(start)(sent)))
const overHttp = cases.filter(({ surface }) => surface !== 'RAW tcp')
const raw = cases.filter(({ surface }) => surface === 'RAW tcp')

let app: TestApp
let production: TestApp
let values: Values
let productionValues: Values

beforeAll(async () => {
  app = await testApp({ ROLE: 'http', TRUST_PROXY: 'true' })
  production = await testApp({ NODE_ENV: 'production', TRUST_PROXY: 'true' })
  values = await valuesIn(app)
  productionValues = await valuesIn(production)
})

afterAll(() => Promise.all([app.stop(), production.stop()]))

describe('the corpus', () => {
  test('is run whole, but for families that are not there yet', () => {
    const counts = Object.keys(waiting).map((start) => [
      start,
      corpus.filter(surfaceIs(start)).length,
    ])
    expect(Object.fromEntries(counts)).toEqual(waiting)
    expect(cases).toHaveLength(214)
  })

  test('has every case that is answered otherwise, once', () => {
    const ids = new Set(cases.map(({ id }) => id))
    expect(Object.keys(deviations).filter((id) => !ids.has(id))).toEqual([])
    expect(ids.size).toBe(cases.length)
  })

  test('forges tokens that would open the dashboard, were they not forged', async () => {
    const { status } = await ask(app, '/api/v1/dashboard/tax-summary', {
      headers: { authorization: `Bearer ${values.SAME}` },
    })
    expect(status).toBe(200)
  })
})

describe('a request', () => {
  test.each(overHttp.map((sent) => [`${sent.id} ${sent.surface.slice(0, 80)}: ${sent.why}`, sent]))(
    '%s',
    async (_, sent) => {
      const isProduction = sent.profile === 'prod'
      const answer = await send(isProduction ? production : app, sent)
      expectAnswer(sent, answer)
    },
  )
})

describe('bytes on a socket', () => {
  test.concurrent.each(raw.map((sent) => [`${sent.id}: ${sent.why}`, sent]))(
    '%s',
    async (_, sent) => {
      const { statuses, openMs } = await sendRaw(
        app.url,
        rawOf(sent),
        sent.raw_slow ? 16_000 : 1_000,
      )
      if (sent.raw_slow) return expect(openMs).toBeLessThan(15_000)
      expect(statuses).toHaveLength(1)
      expect(allowed(sent)).toContain(statuses[0] as number)
    },
  )
})

test('nothing of it reached a prototype', () => {
  expect(Object.keys(Object.prototype)).toEqual([])
  for (const name in {}) expect(name).toBe('')
})

type Answer = {
  readonly status: number
  readonly requestId: string | null
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
  readonly json: any
}

function expectAnswer(sent: Case, { status, requestId, json }: Answer) {
  const deviation = deviations[sent.id]
  expect(deviation ? [deviation.status] : allowed(sent)).toContain(status)
  expect(requestId).toMatch(/^\S+$/)
  if (status < 400) return
  const codes = deviation?.code ?? sent.expect_code ?? json.error.code
  expect([codes].flat()).toContain(json.error.code)
  expect(json.error).toMatchObject({ status, message: expect.stringMatching(/./) })
  expect(json.success).toBe(sent.surface.includes(' /v1/') ? false : undefined)
}

function allowed({ expect_status, also_ok = [] }: Case): readonly number[] {
  return [expect_status ?? [], also_ok].flat()
}

function send(to: TestApp, sent: Case): Promise<Answer> {
  const filled = to === production ? productionValues : values
  const [method = '', ...path] = sent.surface.split(' ')
  const body = bodyOf(sent, filled)
  const given = Object.entries(sent.headers ?? {}).map(([name, text]) => [name, fill(text, filled)])
  return ask(to, fill(path.join(' '), filled), {
    method,
    headers: {
      ...credential(sent, filled),
      ...(body && { 'Content-Type': 'application/json' }),
      ...Object.fromEntries(given),
      // An address each, so that the limit of keyless calls never answers in place of what is asked.
      'x-forwarded-for': sent.id,
    },
    ...(body && { body }),
  })
}

async function ask(to: TestApp, path: string, init: RequestInit): Promise<Answer> {
  const response = await fetch(to.url + path, init)
  const text = await response.text()
  return {
    status: response.status,
    requestId: response.headers.get('x-request-id'),
    json: text ? JSON.parse(text) : null,
  }
}

function credential({ auth }: Case, filled: Values): Record<string, string> {
  if (auth === 'api') return { authorization: `Bearer ${filled.API_KEY}` }
  if (auth === 'v1') return { 'x-api-key': filled.V1_KEY ?? '' }
  return auth === 'jwt' ? { authorization: `Bearer ${filled.SAME}` } : {}
}

/** Something of everything that the cases name, in this app. */
async function valuesIn(of: TestApp): Promise<Values> {
  const { sql } = of.database
  const accountId = of.account.account.id
  const revoked = await issueKey(sql, {
    accountId,
    kind: 'inv_',
    name: 'revoked',
    scopes: presets.full,
  })
  await revokeKey(sql, accountId, revoked.id)
  const invoice = await of.send('POST', '/v1/invoices', {
    amount: 10,
    currency: 'USDC',
    customerName: 'Ada',
    customerEmail: 'ada@example.com',
  })
  const webhook = await of.send('POST', '/api/webhooks', {
    url: 'https://203.0.113.7/hook',
    events: ['invoice.settled'],
  })
  await of.send('PUT', '/api/budget/spender', { limit: 100, currency: 'USD' })
  const token = await of.send('POST', '/api/v1/auth/token')
  return {
    API_KEY: of.account.apiKey,
    API_KEY_MINUS_LAST: of.account.apiKey.slice(0, -1),
    V1_KEY: of.account.v1Key,
    OTHER_KEY: of.other.apiKey,
    OTHER_ACCOUNT: of.other.account.id,
    REVOKED_KEY: revoked.key,
    READONLY_KEY: await keyWith(of, presets.read_only),
    INV: invoice.json.data.id,
    WH: webhook.json.id ?? 'none',
    AGENT: 'spender',
    ...(await forgedTokens(token.json.data.token, testSecretsKey)),
  }
}
