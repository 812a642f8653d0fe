import { type TSchema, Type } from '@sinclair/typebox'
import type { Reason } from '../../domain/error.ts'
import type { Docs } from '../operation.ts'
import { type ErrorShape, errorText, rowOf, unexpected } from '../response/errors.ts'
import { headerRefs, refer } from './components.ts'
import { meanings } from './texts.ts'

const code = Type.String({ description: 'Stable, for programs.' })
const message = Type.String({ description: 'A sentence for people.' })
const status = Type.Integer({ description: 'The HTTP status.' })
const field = Type.Object({ path: Type.String(), message: Type.String() })
const details = Type.Optional(
  Type.Union([Type.Array(field), Type.Record(Type.String(), Type.Unknown())], {
    description: 'The fields at fault, or the numbers behind a refusal.',
  }),
)
const error = Type.Object({ code, message, status, details })
const retryAfterSeconds = Type.Optional(
  Type.Integer({ description: 'The value of `Retry-After`, if it is sent.' }),
)

/** Errors in the shape of each family. */
const errors: Readonly<Record<ErrorShape, TSchema>> = {
  api: Type.Object({ error }, { $id: 'Error' }),
  v1: Type.Object({ success: Type.Literal(false), error }, { $id: 'WrappedError' }),
  rpc: Type.Object(
    {
      jsonrpc: Type.Literal('2.0'),
      id: Type.Union([Type.String(), Type.Integer(), Type.Null()], {
        description: 'Null if the request was refused before it was read.',
      }),
      error: Type.Object({
        code: Type.Integer({ description: 'The JSON-RPC error code.' }),
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

/** Keep the names of shared refusals apart. */
const prefixes: Readonly<Record<ErrorShape, string>> = { api: '', v1: 'Wrapped', rpc: 'Rpc' }

const onEvery = headerRefs(
  'X-Request-Id',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
)

export const notModified = {
  description: 'The version you have is current.',
  headers: { ...onEvery, ...headerRefs('ETag') },
}

export const passedOn = {
  description: 'The upstream’s own answer. The upstream may also send one of the statuses above.',
  headers: onEvery,
  content: { '*/*': { schema: {} } },
}

type Example = { readonly code: string; readonly status: number; readonly message: string }

/** Writes responses; those that several operations share become components. */
export function createResponses(schemaOf: (schema: unknown) => unknown) {
  const used: Record<string, object> = {}

  /** The response of a success, with `more` headers; `schema` null: no body. */
  function answer(
    schema: TSchema | null,
    { idempotent, cacheable, csv }: Docs,
    more: readonly string[] = [],
  ): object {
    return {
      description:
        schema === null ? 'Done; the answer has no body.' : (schema.description ?? 'Done.'),
      headers: {
        ...onEvery,
        ...(idempotent && headerRefs('Idempotent-Replayed')),
        ...(cacheable && headerRefs('ETag')),
        ...headerRefs(...more),
      },
      ...(schema && {
        content: {
          [schema.contentMediaType ?? 'application/json']: { schema: schemaOf(schema) },
          ...(csv && { 'text/csv': { schema: { type: 'string' } } }),
        },
      }),
    }
  }

  /** A response for each status of these reasons, and 500. One may also be among `answers`. */
  function refusals(
    shape: ErrorShape,
    reasons: readonly Reason[],
    { answers, answerHeaders }: Docs,
  ): Record<string, object> {
    const byStatus = Object.groupBy(reasons, (reason) => rowOf(reason).status)
    const named = Object.entries(byStatus).map(([status, reasons = []]) => {
      const examples = reasons.map(exampleOf)
      const other = answers[Number(status)]
      if (!other) return [status, shared(shape, examples)]
      const more = answerHeaders?.[Number(status)]
      return [status, errorResponse(schemaOf, shape, examples, other, more)]
    })
    return { ...Object.fromEntries(named), 500: shared(shape, [unexpected]) }
  }

  function shared(shape: ErrorShape, examples: readonly Example[]): object {
    const name = prefixes[shape] + examples.map(({ code }) => pascal(code)).join('Or')
    used[name] ??= errorResponse(schemaOf, shape, examples)
    return refer('responses')(name)
  }

  return { answer, refusals, used }
}

/** With `other`, the answer may be that as well. */
function errorResponse(
  schemaOf: (schema: unknown) => unknown,
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
      ...(isWait && headerRefs('Retry-After')),
      ...(isUnknown && headerRefs('WWW-Authenticate')),
      ...headerRefs(...more),
    },
    content: {
      'application/json': {
        schema: schemaOf(other ? Type.Union([other, errors[shape]]) : errors[shape]),
        examples: Object.fromEntries(values),
      },
    },
  }
}

function exampleOf(reason: Reason): Example {
  return { ...rowOf(reason), message: meanings[reason] }
}

function pascal(code: string): string {
  return code.toLowerCase().replace(/(?:^|_)(\w)/g, (_, first: string) => first.toUpperCase())
}
