import { type TObject, type TSchema, Type } from '@sinclair/typebox'
import manifest from '../../../package.json' with { type: 'json' }
import { toDecimal, usdcScale } from '../../domain/money/money.ts'
import {
  type Docs,
  nullIsAbsent,
  type Operation,
  type Options,
  takesUnasked,
} from '../operation.ts'
import { aboutNulls } from '../request/null-members.ts'
import { type ErrorShape, shapeAt } from '../response/errors.ts'
import { createSchemas, headers, parameters, refer, securitySchemes } from './components.ts'
import { webhooksOf } from './event-docs.ts'
import { createResponses, notModified, passedOn } from './responses.ts'
import { about, resources } from './texts.ts'

/** A route as Elysia lists it. */
export type Route = { readonly method: string; readonly path: string; readonly handler: unknown }

type Documented = Omit<Route, 'handler'> & { readonly options: Options; readonly docs: Docs }

/** The OpenAPI document, as JSON text, of every route that has `docs`. */
export function openApi(routes: readonly Route[]): string {
  const documented = routes.flatMap(documentedOf)
  const schemas = createSchemas()
  const responses = createResponses(schemas.schemaOf)
  const components = { schemaOf: schemas.schemaOf, responses }
  const paths: Record<string, Record<string, object>> = {}
  for (const route of documented) {
    const template = route.path.replace(/:(\w+)/g, '{$1}')
    const operation = operationOf(route, components)
    paths[template] = { ...paths[template], [route.method.toLowerCase()]: operation }
  }
  return JSON.stringify({
    openapi: '3.1.1',
    info: {
      title: 'Quittance',
      version: manifest.version,
      description: about,
      license: { name: manifest.license, identifier: manifest.license },
    },
    servers: [{ url: '/' }],
    tags: tagsOf(documented),
    paths,
    webhooks: webhooksOf(schemas.schemaOf),
    components: {
      schemas: schemas.used,
      responses: responses.used,
      headers,
      parameters,
      securitySchemes,
    },
  })
}

function documentedOf({ method, path, handler }: Route): readonly Documented[] {
  const { options } = handler as Partial<Operation>
  return options?.docs ? [{ method, path, options, docs: options.docs }] : []
}

type Components = {
  readonly schemaOf: ReturnType<typeof createSchemas>['schemaOf']
  readonly responses: ReturnType<typeof createResponses>
}

function operationOf(route: Documented, components: Components): object {
  const { method, path, options, docs } = route
  const { scope, body = docs.body } = options
  return {
    operationId: operationIdOf(method, path),
    tags: [tagOf(path)],
    summary: docs.summary,
    description: [docs.description, scope && `Needs the permission \`${scope}\`.`]
      .filter(Boolean)
      .join(' '),
    security: securityOf(path, options),
    ...(docs.priceUsdcBase !== undefined && { 'x-payment-info': paymentOf(docs.priceUsdcBase) }),
    parameters: [
      ...pathParameters(path),
      ...parametersOf('query', docs.query),
      ...parametersOf('header', docs.headers),
      ...sharedParameters(docs),
    ],
    ...(body && { requestBody: requestBodyOf(body, route, components) }),
    ...(docs.passesBodyOn && { requestBody: { content: { '*/*': {} } } }),
    responses: {
      ...successes(docs, components),
      ...refusals(route, components),
      ...(docs.passesOn && { default: passedOn }),
    },
  }
}

/** As crawlers of x402 read it. */
function paymentOf(priceUsdcBase: bigint): object {
  const amount = toDecimal(priceUsdcBase, usdcScale)
  return { price: { mode: 'fixed', currency: 'USD', amount }, protocols: [{ x402: {} }] }
}

function securityOf(path: string, { scope }: Options): readonly object[] {
  if (scope === null) return []
  if (path.startsWith('/api/v1/dashboard/')) return [{ dashboardToken: [scope] }]
  return [{ bearerKey: [scope] }, { headerKey: [scope] }]
}

function pathParameters(path: string): readonly object[] {
  return Array.from(path.matchAll(/:(\w+)/g), ([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
}

function parametersOf(
  place: 'query' | 'header',
  { properties, required }: TObject = Type.Object({}),
): readonly object[] {
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: place,
    required: required?.includes(name) ?? false,
    ...(description !== undefined && { description }),
    schema,
  }))
}

function sharedParameters({ idempotent, cacheable }: Docs): readonly object[] {
  const names = ['RequestId', idempotent && 'IdempotencyKey', cacheable && 'IfNoneMatch']
  return names.filter((name) => typeof name === 'string').map(refer('parameters'))
}

function requestBodyOf(
  body: TSchema,
  { method, options, docs }: Documented,
  { schemaOf }: Components,
): object {
  const isNullTold =
    (options.body || docs.priceUsdcBase !== undefined) && nullIsAbsent(method, options)
  const description = isNullTold ? aboutNulls(body) : null
  const example = docs.exampleBody && { example: docs.exampleBody }
  return {
    ...(description && { description }),
    required: !options.isBodyOptional && docs.priceUsdcBase === undefined,
    content: { 'application/json': { schema: schemaOf(body), ...example } },
  }
}

function successes(docs: Docs, { responses }: Components): Readonly<Record<string, object>> {
  const named = Object.entries(docs.answers).map(([status, schema]) => [
    status,
    responses.answer(schema, docs, docs.answerHeaders?.[Number(status)]),
  ])
  return { ...Object.fromEntries(named), ...(docs.cacheable && { 304: notModified }) }
}

function refusals(
  { method, path, options, docs }: Documented,
  { responses }: Components,
): Readonly<Record<string, object>> {
  const { scope, body = docs.body } = options
  const readsBody = body || takesUnasked(method, options)
  const reasons = [
    ...(readsBody || docs.query ? (['invalid_request'] as const) : []),
    ...(docs.refusals ?? []),
    // A key is checked even where none is needed.
    'unauthorized' as const,
    ...(scope === null ? [] : (['forbidden'] as const)),
    ...(path.includes('/:') ? (['not_found'] as const) : []),
    ...(docs.idempotent ? (['idempotency_in_progress', 'idempotency_key_reused'] as const) : []),
    ...(readsBody ? (['payload_too_large', 'unsupported_media_type'] as const) : []),
    'rate_limited' as const,
    'unavailable' as const,
  ]
  const shape: ErrorShape = shapeAt(path)
  return responses.refusals(shape, [...new Set(reasons)], docs)
}

function operationIdOf(method: string, path: string): string {
  const words = path.split('/').filter(Boolean)
  const named = words.map((word) =>
    word.startsWith(':') ? `By${capital(word.slice(1))}` : word.split('-').map(capital).join(''),
  )
  return method.toLowerCase() + named.join('')
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}

// `/api/v1` comes first, because `/api` is a prefix of it.
const familyAndResource = /^(\/api\/v1|\/api|\/v1|)\/(?:public\/)?([\w-]+)/

function tagOf(path: string): string {
  const [, family = '', resource = ''] = familyAndResource.exec(path) ?? []
  return `${resources[resource]?.name ?? resource} ${family}`.trim()
}

function tagsOf(routes: readonly Documented[]): readonly object[] {
  const tags = new Map(
    routes.map(({ path }) => {
      const [, , resource = ''] = familyAndResource.exec(path) ?? []
      return [tagOf(path), resources[resource]?.description ?? '']
    }),
  )
  return Array.from(tags, ([name, description]) => ({ name, description }))
}
