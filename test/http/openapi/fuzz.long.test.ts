import { afterAll, beforeAll, expect, test } from 'bun:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { keyWith } from '../../support/app.ts'
import { nameOf, routeExamples, routes } from '../../support/route-examples.ts'
import { useWorld } from '../../support/world.ts'

/**
 * Sends what nobody would: each documented operation gets requests that are valid, and such that
 * are spoilt at random. Whatever is answered must be in `/openapi.json`, which is the only judge.
 * `FUZZ_SEED` repeats a run.
 */

const seed = Number(process.env.FUZZ_SEED ?? 20_261_124)
const least = 2_400

const { app } = useWorld({ env: { ROLE: 'http', TRUST_PROXY: 'true' } })
const upstream = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: () => new Response('free', { headers: { 'content-type': 'application/octet-stream' } }),
})
const { examples, bodies } = routeExamples(app, upstream.url)
const documented = routes.filter(({ docs }) => docs !== undefined)
// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document
let document: any
let ajv: Ajv2020
let operatorKey: string
let token: string

beforeAll(async () => {
  document = (await app.keyless('GET', '/openapi.json')).json
  ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false, allErrors: true })
  addFormats.default(ajv)
  // The document itself is no schema; what is pointed to is.
  ajv.addVocabulary(['components', 'paths'])
  const { components, paths } = document
  ajv.addSchema({ $id: 'openapi', components, paths })
  operatorKey = await keyWith(app, ['admin'])
  const issued = await app.send('POST', '/api/v1/auth/token')
  token = issued.json.token ?? issued.json.data?.token
  await app.database
    .sql`update accounts set requests_per_minute = 1000000, requests_per_day = 1000000`
})

afterAll(() => upstream.stop(true))

type Random = () => number

/** Mulberry32: the same numbers for the same seed. */
function randomOf(start: number): Random {
  let state = start >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const odd: readonly unknown[] = [
  ...[null, true, 0, -1, 1.5, 1e21, 2 ** 53, '', ' ', '0', '-1', '1e3', 'NaN', 'null'],
  ...['x'.repeat(5_000), 'a\u0000b', '🙂', '٣', '\u202eabc', '__proto__', "'; drop table", '%00'],
  ...['2026-02-30', '2026-05-01T12:00:00.000Z', '0x5e', 'USDC', 'EUR', 'base', 'DE'],
  ...[crypto.randomUUID(), [], [1], [[]], {}, { a: 1 }, { toString: 1 }],
]
const oddTexts = odd.filter((one) => typeof one === 'string')
const oddBodies = [
  '',
  '{',
  'null',
  '[]',
  '"x"',
  '{"a":1,"a":2}',
  `${'['.repeat(300)}`,
  '{"\u0000":1}',
]

function pick<T>(random: Random, from: readonly T[]): T {
  return from[Math.floor(random() * from.length)] as T
}

/** The JSON text of a body with up to three members spoilt, or no JSON at all. */
function spoilt(body: unknown, random: Random): string {
  if (random() < 0.1) return pick(random, oddBodies)
  const copy = structuredClone(body ?? {})
  for (let n = Math.ceil(random() * 3); n > 0; n--) spoilOne(copy, random)
  return JSON.stringify(copy)
}

function spoilOne(inside: unknown, random: Random): void {
  if (typeof inside !== 'object' || inside === null) return
  const members = inside as Record<string, unknown>
  const name = pick(random, [...Object.keys(members), 'unknown'])
  const member = members[name]
  if (typeof member === 'object' && member !== null && random() < 0.5) spoilOne(member, random)
  else if (random() < 0.25) delete members[name]
  else members[name] = structuredClone(pick(random, odd))
}

type Route = (typeof documented)[number]
type Sent = {
  readonly method: string
  readonly path: string
  readonly headers: Record<string, string>
  readonly body?: string
}

async function requestTo(route: Route, ids: readonly string[], random: Random): Promise<Sent> {
  const { method, path, docs } = route
  const { queries = [''] } = examples[nameOf(route)] ?? {}
  const id = pick(random, ids)
  const isValid = random() < 0.3
  const named = isValid || random() < 0.7 ? id : pick(random, oddTexts)
  const address = path.replace(/:\w+/, encodeURIComponent(named) || '%20')
  const body = bodies.get(id) ?? docs?.exampleBody
  const isSent = method !== 'GET' && method !== 'OPTIONS' && body !== undefined
  return {
    method,
    path:
      address + (isValid ? pick(random, queries) : queryOf(route, pick(random, queries), random)),
    headers: {
      'x-forwarded-for': `198.51.${Math.floor(random() * 250)}.${Math.floor(random() * 250)}`,
      ...(random() < 0.95 && credential(path)),
      ...(isSent && {
        'content-type': isValid || random() < 0.95 ? 'application/json' : 'text/plain',
      }),
      ...(random() < 0.1 && {
        'idempotency-key': pick(random, ['k', 'x'.repeat(255), 'x'.repeat(256)]),
      }),
      ...(random() < 0.1 && { accept: pick(random, ['text/csv', 'text/html', '*/*', 'x']) }),
    },
    ...(isSent && { body: isValid ? JSON.stringify(body) : spoilt(body, random) }),
  }
}

function queryOf({ docs }: Route, query: string, random: Random): string {
  const wanted = new URLSearchParams(query)
  const known = Object.keys(docs?.query?.properties ?? {})
  for (const name of known) if (random() < 0.3) wanted.set(name, pick(random, oddTexts))
  if (random() < 0.1) wanted.set('unknown', '1')
  return wanted.size > 0 ? `?${wanted}` : ''
}

function credential(path: string): Record<string, string> {
  if (path.startsWith('/api/v1/dashboard/')) return { authorization: `Bearer ${token}` }
  return { 'x-api-key': path.startsWith('/api/transfers') ? operatorKey : app.account.v1Key }
}

/** What is wrong with an answer; null: nothing. */
async function faultIn({ method, path }: Route, response: Response): Promise<string | null> {
  const text = await response.text()
  const template = path.replace(/:(\w+)/g, '{$1}')
  const pointer = [template, method.toLowerCase(), 'responses', `${response.status}`]
  const told = found(['paths', ...pointer])
  if (!told) return `${response.status} is not documented: ${text.slice(0, 200)}`
  const limit = response.headers.get('x-ratelimit-limit')
  if (!limit) return 'no X-RateLimit-Limit'
  const type = response.headers.get('content-type')?.split(';')[0] ?? ''
  if (told.value.content === undefined) return text === '' ? null : 'a body is not documented'
  const schema = told.value.content[type]?.schema
  if (!schema) return `${type} is not documented for ${response.status}`
  if (type !== 'application/json') return null
  const validate = validatorAt([...told.at, 'content', type, 'schema'])
  return validate(JSON.parse(text))
    ? null
    : `${ajv.errorsText(validate.errors)} in ${text.slice(0, 300)}`
}

/** What is at a place of the document, or where that refers to. */
function found(at: readonly string[]) {
  const value = at.reduce((inside, name) => inside?.[name], document)
  if (!value?.$ref) return value && { at, value }
  const target = value.$ref.slice(2).split('/')
  return {
    at: target,
    value: target.reduce(
      (inside: Record<string, unknown>, name: string) => inside[name] as typeof inside,
      document,
    ) as typeof document,
  }
}

function validatorAt(at: readonly string[]) {
  const pointer = at.map((part) =>
    encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')),
  )
  const $ref = `openapi#/${pointer.join('/')}`
  return ajv.getSchema($ref) ?? ajv.compile({ $ref })
}

test(`whatever is sent, by seed ${seed}, the answer is documented`, async () => {
  const random = randomOf(seed)
  const faults: string[] = []
  const statuses = new Map<number, number>()
  const each = Math.ceil(least / documented.length)
  for (const route of documented) {
    const { of } = examples[nameOf(route)] ?? {}
    const ids = of ? await Promise.all([of(), of(), of()]) : ['']
    for (let n = 0; n < each; n++) {
      const sent = await requestTo(route, ids, random)
      const response = await fetch(app.url + sent.path, { redirect: 'manual', ...sent })
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
      const fault = await faultIn(route, response)
      if (fault) faults.push(`${nameOf(route)} ${JSON.stringify(sent).slice(0, 600)}: ${fault}`)
    }
  }
  expect(faults).toEqual([])
  const made = [...statuses.values()].reduce((sum, count) => sum + count, 0)
  expect(made).toBeGreaterThanOrEqual(2_000)
  expect(statuses.get(429) ?? 0).toBe(0)
  expect((statuses.get(200) ?? 0) / made).toBeGreaterThan(0.2)
})
