import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { nextAddress } from '../support/addresses.ts'
import { anInvoice, type TestApp } from '../support/app.ts'
import {
  bodyOf,
  type Case,
  fill,
  headersOf,
  rawOf,
  readCorpus,
  type Values,
} from '../support/corpus.ts'
import { valuesIn } from '../support/corpus-values.ts'
import { sendRaw } from '../support/raw-socket.ts'
import { someEvents } from '../support/webhooks.ts'
import { useWorld } from '../support/world.ts'

const proposals = '§3: what is wrong with a proposal has codes of its own'
const disputes = '§9: a dispute without a reason has a code of its own'
const media = '§3: content other than JSON has a code of its own'
const malformedProposals =
  '007 008 012 013 015 017 019 020 021 022 023 025 026 028 033 036 037 038 039 040 041 042 048'
    .split(' ')
    .map((number) => `MND-${number}`)

function refusedAs(code: string, because: string, ids: readonly string[], status = 400) {
  return Object.fromEntries(ids.map((id) => [id, { status, code, because }]))
}

/** The cases in which contract.md overrides a convention of the corpus. */
const deviations: Readonly<
  Record<string, { readonly status: number; readonly code?: string; readonly because: string }>
> = {
  'AUTH-011': { status: 200, because: '§2: either kind of key works in either header' },
  'WHK-027': { status: 201, because: '§8: a secret is generated where none is given' },
  ...refusedAs('missing_field', proposals, ['MND-001', 'MND-005']),
  ...refusedAs('invalid_field', proposals, malformedProposals),
  ...refusedAs('missing_reason', disputes, ['CMP-011', 'CMP-012', 'CMP-013']),
  ...refusedAs('UNSUPPORTED_MEDIA_TYPE', media, ['INV-096', 'INV-097', 'INV-098', 'INV-099'], 415),
}

/** The one expectation (`then`) that the corpus has for accepted inputs. */
const unreached = 'no TCP connection to a private address; delivery recorded as failed/blocked'

const corpus = await readCorpus()
const overHttp = corpus.filter(({ surface }) => surface !== 'RAW tcp')
const raw = corpus.filter(({ surface }) => surface === 'RAW tcp')

const { app } = useWorld({ env: { ROLE: 'http', TRUST_PROXY: 'true' } })
const { app: production } = useWorld({ env: { NODE_ENV: 'production', TRUST_PROXY: 'true' } })
const upstream = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: demand })
let values: Values
let productionValues: Values

beforeAll(async () => {
  const proxy = '/api/x402/proxy'
  const resource = `${proxy}?url=${encodeURIComponent(upstream.url.href)}`
  values = { ...(await valuesIn(app)), PROXY: proxy, PROXY_RESOURCE: resource }
  productionValues = { ...(await valuesIn(production)), PROXY: proxy }
})
afterAll(() => upstream.stop(true))

/** The 402 of a resource that accepts no payment. */
function demand(): Response {
  const required = {
    price: '0.01',
    token: 'USDC',
    recipient: `0x${'5e'.repeat(20)}`,
    network: 'base',
  }
  return new Response('', {
    status: 402,
    headers: { 'payment-required': JSON.stringify(required) },
  })
}

describe('the corpus', () => {
  test('is run whole', () => {
    expect(overHttp.length + raw.length).toBe(360)
  })

  test('has every case that is answered otherwise, once', () => {
    const ids = new Set(corpus.map(({ id }) => id))
    expect(Object.keys(deviations).filter((id) => !ids.has(id))).toEqual([])
    expect(ids.size).toBe(corpus.length)
  })

  test('says of accepted inputs only what is looked at here', () => {
    expect(new Set(corpus.flatMap(({ then }) => then ?? []))).toEqual(new Set([unreached]))
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
      const path = sent.surface.replace(/\{\{PROXY\w*\}\}/, '/api/x402/proxy').split('?')[0]
      seen.add(`${path} ${answer.status}`)
      if (sent.then === unreached && answer.status < 300) await expectUnreached(answer.json.id)
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
        40_000,
        sent.raw_slow ? 40_000 : 1_000,
      )
      if (sent.raw_slow) return expect(openMs).toBeLessThan(35_000)
      expect(statuses).toHaveLength(1)
      expect(allowed(sent)).toContain(statuses[0] as number)
    },
  )
})

test('every answer is one that /openapi.json names', async () => {
  const { paths } = await theDocument()
  expect([...seen].filter((answer) => !isNamed(paths, answer))).toEqual([])
})

test('nothing of it reached a prototype', () => {
  expect(Object.keys(Object.prototype)).toEqual([])
})

type Document = {
  readonly paths: Readonly<
    Record<
      string,
      Readonly<Record<string, { readonly responses: Readonly<Record<string, object>> }>>
    >
  >
}

async function theDocument(): Promise<Document> {
  return (await ask(app, '/openapi.json', {})).json
}

/** `METHOD /path 404`, for every request that was answered. */
const seen = new Set<string>()

function isNamed(paths: Document['paths'], answer: string): boolean {
  const [, method = '', path = '', status = ''] = /^(\w+) (.*) (\d+)$/.exec(answer) ?? []
  // A literal path takes precedence over one with a parameter.
  const template = Object.hasOwn(paths, path)
    ? path
    : Object.keys(paths).find((one) =>
        new RegExp(`^${one.replace(/\{\w+\}/g, '[^/]+')}$`).test(path),
      )
  const operation = template && paths[template]?.[method.toLowerCase()]
  if (template && status === '405') return !operation
  return operation ? status in operation.responses : false
}

type Answer = {
  readonly status: number
  readonly requestId: string | null
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
  readonly json: any
}

function expectAnswer(sent: Case, { status, requestId, json }: Answer) {
  if (sent.surface.endsWith('/agent-tools/mcp'))
    return expectRpcAnswer(sent, { status, requestId, json })
  const deviation = deviations[sent.id]
  expect(deviation ? [deviation.status] : allowed(sent)).toContain(status)
  expect(requestId).toMatch(/^\S+$/)
  if (status < 400) return
  // What is sold without a key is demanded as x402 v1 has it.
  if (status === 402 && json.x402Version === 1) return expect(json.error).toBeString()
  const codes = deviation?.code ?? sent.expect_code ?? json.error.code
  expect([codes].flat()).toContain(json.error.code)
  expect(json.error).toMatchObject({ status, message: expect.stringMatching(/./) })
  expect(json.success).toBe(sent.surface.includes(' /v1/') ? false : undefined)
}

/** Checks an answer of the tool server, whose errors are JSON-RPC errors or results of a tool. */
function expectRpcAnswer(sent: Case, { status, requestId, json }: Answer) {
  expect(allowed(sent)).toContain(status)
  expect(requestId).toMatch(/^\S+$/)
  if (json === null) return expect(status).toBe(202)
  expect([json].flat()[0].jsonrpc).toBe('2.0')
  const { expect_code: expected } = sent
  // Too large a body is refused before its method is known.
  if (expected === null || status === 413) return
  const code = json.result?.isError ? 'isError' : json.error?.code
  expect([expected].flat()).toContain(code)
}

function allowed({ expect_status, also_ok = [] }: Case): readonly number[] {
  return [expect_status ?? [], also_ok].flat()
}

function send(to: TestApp, sent: Case): Promise<Answer> {
  const filled = to === production ? productionValues : values
  const [method = '', ...path] = sent.surface.split(' ')
  const body = bodyOf(sent, filled)
  return ask(to, fill(path.join(' '), filled), {
    method,
    headers: {
      ...credential(sent, filled),
      ...(body && { 'Content-Type': 'application/json' }),
      ...headersOf(sent, filled),
      // Each request has its own address, so the limit of keyless calls never interferes.
      'x-forwarded-for': nextAddress(),
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

function credential({ auth, surface }: Case, filled: Values): Record<string, string> {
  // §11: the proxy requires a key, and the corpus tests what comes after that check.
  const isProxy = surface.includes('{{PROXY')
  if (auth === 'api' || isProxy) return { authorization: `Bearer ${filled.API_KEY}` }
  if (auth === 'v1') return { 'x-api-key': filled.V1_KEY ?? '' }
  return auth === 'jwt' ? { authorization: `Bearer ${filled.SAME}` } : {}
}

/**
 * Emits an event for this webhook, and expects that a delivery is attempted without reaching
 * anybody.
 */
async function expectUnreached(webhookId: string) {
  const { sql } = production.database
  await someEvents(sql, production.account.account.id, 1, 'invoice.settled')
  // Creating an invoice wakes the workers that process events.
  await anInvoice(production)
  let attempts: readonly { readonly answered: boolean }[] = []
  while (attempts.length === 0) {
    await Bun.sleep(50)
    attempts =
      await sql`select log::json ->> 'statusCode' is not null as answered from deliveries where webhook_id = ${webhookId} and attempts = 1`
  }
  expect(attempts.filter(({ answered }) => answered)).toEqual([])
}
