import { type TSchema, Type } from '@sinclair/typebox'
import type { Reason } from '../../domain/error.ts'
import type { Docs } from '../operation.ts'
import { type ErrorShape, errorText, rowOf, unexpected } from '../response/errors.ts'
import { meanings } from './texts.ts'

/** How a caller may authenticate. A security requirement lists the permission a key must have. */
export const securitySchemes = {
  bearerKey: {
    type: 'http',
    scheme: 'bearer',
    description: 'An API key of either kind, `inv_…` or `sk_…`.',
  },
  headerKey: {
    type: 'apiKey',
    in: 'header',
    name: 'x-api-key',
    description: 'The same key in a header of its own.',
  },
  dashboardToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'A token of `POST /api/v1/auth/token`, good for 60 minutes.',
  },
}

const code = Type.String({ description: 'Stable, to be compared by programs.' })
const message = Type.String({ description: 'A sentence for people.' })
const status = Type.Integer({ description: 'The HTTP status once more.' })
const field = Type.Object({ path: Type.String(), message: Type.String() })
const details = Type.Optional(
  Type.Union([Type.Array(field), Type.Record(Type.String(), Type.Unknown())], {
    description: 'The fields at fault, or the numbers behind a refusal.',
  }),
)
const error = Type.Object({ code, message, status, details })
const retryAfterSeconds = Type.Optional(
  Type.Integer({ description: '`Retry-After` once more, where it is sent.' }),
)

const errors: Readonly<Record<ErrorShape, TSchema>> = {
  api: Type.Object({ error }, { $id: 'Error' }),
  v1: Type.Object({ success: Type.Literal(false), error }, { $id: 'WrappedError' }),
  rpc: Type.Object(
    {
      jsonrpc: Type.Literal('2.0'),
      id: Type.Union([Type.String(), Type.Integer(), Type.Null()], {
        description: 'Null where a request is refused before it is read.',
      }),
      error: Type.Object({
        code: Type.Integer({ description: 'As JSON-RPC numbers them.' }),
        message,
        data: Type.Optional(
          Type.Object({ code, status, details, retry_after_seconds: retryAfterSeconds }),
        ),
      }),
    },
    { $id: 'RpcError' },
  ),
}

const inProgress = rowOf('idempotency_in_progress').code

/** Prefixes that keep the names of shared refusals of different shapes apart. */
const prefixes: Readonly<Record<ErrorShape, string>> = { api: '', v1: 'Wrapped', rpc: 'Rpc' }

const headers = {
  'X-Request-Id': header('Names the request in our logs; a valid one of yours is kept.', 'string'),
  'X-RateLimit-Limit': header('Requests allowed in the tighter of the two windows.', 'integer'),
  'X-RateLimit-Remaining': header('What is left of them.', 'integer'),
  'X-RateLimit-Reset': header('Unix time in seconds at which the window starts anew.', 'integer'),
  'Retry-After': header('Seconds to wait.', 'integer'),
  'WWW-Authenticate': header('How to prove who you are: `Bearer`.', 'string'),
  ETag: header('Names this version, for `If-None-Match`.', 'string'),
  'Idempotent-Replayed': header('`true` where this is the first answer once more.', 'string'),
  'PAYMENT-REQUIRED': header('What must be paid, as x402 has it: base64 of JSON.', 'string'),
  'PAYMENT-RESPONSE': header('What was paid, as x402 has it: base64 of JSON.', 'string'),
  'X-PAYMENT-RESPONSE': header('The same for clients of x402 v1.', 'string'),
  'X-Invoice-Id': header('The invoice of what is bought.', 'string'),
  'X-Receipt-Id': header('Its receipt, once there is one.', 'string'),
  Link: header('Where the PDF of the invoice is: `rel="invoice"`.', 'string'),
}

const onEvery = refs(
  'X-Request-Id',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
)

const parameters = {
  RequestId: {
    name: 'X-Request-Id',
    in: 'header',
    description: 'Names the request in our logs; made here where it is missing.',
    schema: { type: 'string', pattern: '^[\\w.:-]{1,128}$' },
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description: 'Makes the request repeatable: same key and body, same answer, for 24 hours.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'The `ETag` of what you have: is it still the same, the answer is 304.',
    schema: { type: 'string' },
  },
}

/** Collects what the operations of one document share. */
export function createComponents() {
  const schemas: Record<string, unknown> = {}
  const responses: Record<string, object> = {}
  const used = () => ({ schemas, responses, headers, parameters })
  return { schemaOf, answer, notModified, passedOn, refusal, used }

  /** A schema as JSON; parts with an `$id` become components of that name. */
  function schemaOf(schema: unknown): unknown {
    if (Array.isArray(schema)) return schema.map(schemaOf)
    if (typeof schema !== 'object' || schema === null) return schema
    const { $id, ...rest } = schema as { readonly $id?: unknown }
    if (typeof $id !== 'string') return membersOf(rest)
    schemas[$id] ??= membersOf(rest)
    return refer('schemas')($id)
  }

  function membersOf(schema: object): object {
    const members = Object.entries(schema).map(([name, value]) => [name, schemaOf(value)])
    return Object.fromEntries(members)
  }

  /** The response of a success, with `more` headers; with `schema` null it has no body. */
  function answer(
    schema: TSchema | null,
    { idempotent, cacheable, csv }: Docs,
    more: readonly string[] = [],
  ): object {
    return {
      description:
        schema === null ? 'Done; there is nothing to say.' : (schema.description ?? 'Done.'),
      headers: {
        ...onEvery,
        ...(idempotent && refs('Idempotent-Replayed')),
        ...(cacheable && refs('ETag')),
        ...refs(...more),
      },
      ...(schema && {
        content: {
          [schema.contentMediaType ?? 'application/json']: { schema: schemaOf(schema) },
          ...(csv && { 'text/csv': { schema: { type: 'string' } } }),
        },
      }),
    }
  }

  function notModified(): object {
    return {
      description: 'What you have is still the same.',
      headers: { ...onEvery, ...refs('ETag') },
    }
  }

  function passedOn(): object {
    return {
      description:
        'The upstream’s own answer. One of the statuses above may be the upstream’s too.',
      headers: onEvery,
      content: { '*/*': { schema: {} } },
    }
  }

  /**
   * One response for each status of these reasons, and for 500. Where a status is also one of
   * `answers`, it may be either.
   */
  function refusal(
    shape: ErrorShape,
    reasons: readonly Reason[],
    { answers, answerHeaders }: Docs,
  ): Record<string, object> {
    const byStatus = Object.groupBy(reasons, (reason) => rowOf(reason).status)
    const named = Object.entries(byStatus).map(([status, reasons = []]) => {
      const examples = reasons.map(exampleOf)
      const other = answers[Number(status)]
      if (!other) return [status, shared(shape, examples)]
      return [status, errorResponse(shape, examples, other, answerHeaders?.[Number(status)])]
    })
    return { ...Object.fromEntries(named), 500: shared(shape, [unexpected]) }
  }

  function shared(shape: ErrorShape, examples: readonly Example[]): object {
    const name = prefixes[shape] + examples.map(({ code }) => pascal(code)).join('Or')
    responses[name] ??= errorResponse(shape, examples)
    return refer('responses')(name)
  }

  function errorResponse(
    shape: ErrorShape,
    examples: readonly Example[],
    other?: TSchema,
    more: readonly string[] = [],
  ): object {
    const isWait = examples.some(
      ({ status, code }) => status === 429 || status === 503 || code === inProgress,
    )
    const isUnknown = examples.some(({ status }) => status === 401)
    const values = examples.map((error) => [
      error.code,
      { value: JSON.parse(errorText(error, shape)) },
    ])
    const described = examples.map(({ code, message }) => `\`${code}\`: ${message}.`)
    return {
      description: [other?.description, ...described].filter(Boolean).join(' '),
      headers: {
        ...onEvery,
        ...(isWait && refs('Retry-After')),
        ...(isUnknown && refs('WWW-Authenticate')),
        ...refs(...more),
      },
      content: {
        'application/json': {
          schema: schemaOf(other ? Type.Union([other, errors[shape]]) : errors[shape]),
          examples: Object.fromEntries(values),
        },
      },
    }
  }
}

/** Makes references to components of this kind by name. */
export function refer(kind: string): (name: string) => { readonly $ref: string } {
  return (name) => ({ $ref: `#/components/${kind}/${name}` })
}

type Example = { readonly code: string; readonly status: number; readonly message: string }

function exampleOf(reason: Reason): Example {
  return { ...rowOf(reason), message: meanings[reason] }
}

function pascal(code: string): string {
  return code.toLowerCase().replace(/(?:^|_)(\w)/g, (_, first: string) => first.toUpperCase())
}

function header(description: string, type: string): object {
  return { description, schema: { type } }
}

function refs(...names: readonly string[]): Readonly<Record<string, object>> {
  return Object.fromEntries(names.map((name) => [name, refer('headers')(name)]))
}
