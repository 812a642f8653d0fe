import { type TObject, type TSchema, Type } from '@sinclair/typebox'
import type { By, Principal } from '../domain/accounts/account.ts'
import type { Scope } from '../domain/accounts/scopes.ts'
import { DomainError, type Reason } from '../domain/error.ts'
import type { Tracing } from '../telemetry/tracing.ts'
import { type Admitted, createAdmission } from './admission/admission.ts'
import {
  type Allowance,
  authorize,
  type Connections,
  type Gate,
  keyless,
} from './admission/gate.ts'
import { noBytes, readBytes } from './request/body.ts'
import { type Body, readBody } from './request/json.ts'
import { bodyWithoutNulls } from './request/null-members.ts'
import { pathOf } from './request/request-url.ts'
import { check } from './request/validation.ts'
import { isPreflight, preflightAnswer, readableAnywhere } from './response/cross-origin.ts'
import { answerTo, type ErrorAnswer, type ErrorShape } from './response/errors.ts'

export type Call = {
  readonly request: Request
  readonly params: Readonly<Record<string, string>>
  readonly requestId: string
  readonly principal: Principal
  readonly body: Body
  readonly bytes: Uint8Array
  charge: Admitted['charge']
  /**
   * The principal of a key in the request's body; counts one request of it. Errors:
   * `unauthorized`, `rate_limited`.
   */
  admitKey(key: string): Promise<Principal>
  /** Lets the connection be silent for this long. */
  keepOpen(seconds: number): void
  isOver(): boolean
}

export type Answer = {
  readonly status: number
  /** Text is JSON unless `headers` name another content type. */
  readonly body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null
  readonly headers?: Readonly<Record<string, string>>
}

type Handler = (call: Call) => Answer | Promise<Answer>

export type Options = {
  /** The permission that the key must have; null: no key needed. */
  readonly scope: Scope | null
  /** Another permission that will do. */
  readonly orScope?: Scope
  /** The caller is not authenticated and nothing is counted. */
  readonly isPublic?: true
  /** The seconds the handler may take, if it may take longer than a connection may be silent. */
  readonly maxSeconds?: number
  /** Schema of the JSON body; absent: the operation takes none. */
  readonly body?: TSchema
  readonly isBodyOptional?: true
  /** An optional member that is null is refused, instead of counting as left out. */
  readonly refusesNull?: true
  /** The handler reads the body itself, of any type. */
  readonly isBodyRaw?: true
  /** Replaces the `invalid_request` of a body that cannot be read or does not fit the schema. */
  readonly refuseBody?: (refusal: DomainError) => DomainError
  readonly headers?: Readonly<Record<string, string>>
  /** Counts requests without a key, and those with a session, apart from others of the address. */
  readonly keylessAllowance?: Allowance
  /** The answer in place of an error, such as a page for browsers. */
  readonly showRefusal?: (refusal: ErrorAnswer, request: Request) => Promise<Answer>
  /** How `/openapi.json` describes the operation; absent: it is not listed. */
  readonly docs?: Docs
}

/** The documentation of an operation; its path, scope and body come from the route itself. */
export type Docs = {
  readonly summary: string
  readonly description?: string
  readonly query?: TObject
  readonly headers?: TObject
  /** Schema of the answer for each success status; null: no body. */
  readonly answers: Readonly<Record<number, TSchema | null>>
  readonly answerHeaders?: Readonly<Record<number, readonly string[]>>
  readonly exampleBody?: object
  readonly exampleAnswer?: object
  /** What the operation costs, where it is paid by x402. */
  readonly priceUsdcBase?: bigint
  readonly body?: TSchema
  /** `Accept: text/csv` gets the same content as a file. */
  readonly csv?: true
  readonly cacheable?: true
  readonly passesOn?: true
  readonly passesBodyOn?: boolean
  readonly idempotent?: true
  /** Refusals beyond those that follow from scope, body, path and query. */
  readonly refusals?: readonly Reason[]
}

export type Operation = ((context: Context) => Promise<Response>) & { readonly options: Options }

type Context = {
  readonly request: Request
  readonly params: Record<string, string>
  /** The pattern of the path, as Elysia matched it. */
  readonly route: string
}

const nobody: Admitted = { principal: null, charge: async () => {} }
/** Caches know that `Authorization` means one caller, but not that `X-API-Key` and cookies do. */
const ofOneCaller = { 'cache-control': 'no-store' }
const requestIdLook = /^[\w.:-]{1,128}$/
export const emptyBody: Body = { value: {}, source: () => undefined }

export type Operations = (options: Options, handle: Handler) => Operation

/** Elysia's option for routes that may be sent a body: the operation reads it, not Elysia. */
export const unparsed = { parse: 'none' } as const

/**
 * Wraps handlers with what all operations of a family share, in the order of contract §3. Every
 * answer, refusals included, carries the request id and the rate-limit headers. Pages of any origin
 * may call the family if `origins` says so: their preflights are answered, and not counted.
 */
export function createOperations(
  gate: Gate,
  shape: ErrorShape,
  connections: Connections,
  origins: 'any' | 'own' = 'own',
): Operations {
  const { admit, admitKey, showWindow } = createAdmission(gate, connections)
  return (options, handle) => {
    const { keylessAllowance: allowance = keyless } = options
    const ofAll = { ...(options.scope !== null && ofOneCaller), ...options.headers }
    const ofPages = { ...ofAll, ...(origins === 'any' && readableAnywhere) }
    // Elysia reads this parameter list to decide what to compute for each request.
    async function run({ request, params, route }: Context): Promise<Response> {
      const startedMs = performance.now()
      const seen: Seen = { accountId: null, body: null }
      const { tracing } = gate
      const response = await (tracing?.isSampled(request.headers.get('traceparent'))
        ? traced(tracing, request, route, seen, () => answerAll(request, params, seen))
        : answerAll(request, params, seen))
      const { status } = response
      const durationMs = performance.now() - startedMs
      gate.metrics.request({ method: request.method, route, status, durationMs })
      gate.logAccess?.({
        method: request.method,
        route,
        status,
        ms: Math.round(durationMs * 10) / 10,
        account: seen.accountId,
        requestId: response.headers.get('x-request-id'),
        bytes: sizeOf(seen.body),
      })
      return response
    }

    async function answerAll(
      request: Request,
      params: Record<string, string>,
      seen: Seen,
    ): Promise<Response> {
      const requestId = inboundRequestId(request) ?? crypto.randomUUID()
      // What caches may keep for a program may be read by a page later.
      const isForPages = options.scope === null || request.headers.has('origin')
      const headers: Record<string, string> = {
        'x-request-id': requestId,
        ...(isForPages ? ofPages : ofAll),
      }
      try {
        if (origins === 'any' && isPreflight(request)) {
          showWindow(request, headers)
          return respond(preflightAnswer, headers, seen)
        }
        const { principal, charge } = options.isPublic
          ? nobody
          : await admit(request, headers, allowance)
        seen.accountId = principal?.accountId ?? null
        authorize(principal, options.scope, options.orScope)
        const schema =
          options.body ??
          (request.body !== null && takesUnasked(request.method, options) ? anyObject : null)
        const bytes = schema ? await readBytes(request, options) : noBytes
        const body = schema ? readAs(schema, bytes, request.method, options) : emptyBody
        if (options.maxSeconds) connections.keepOpen(request, options.maxSeconds)
        const answer = await handle({
          request,
          params,
          requestId,
          principal: principal as Principal,
          body,
          bytes,
          charge,
          admitKey: (key) => admitKey(request, key),
          keepOpen: (seconds) => connections.keepOpen(request, seconds),
          isOver: () => connections.isOver(request),
        })
        showWindow(request, headers)
        return respond(answer, headers, seen)
      } catch (error) {
        report(error, request, requestId)
        const refusal = answerTo(error, shape)
        showWindow(request, headers)
        return respond((await options.showRefusal?.(refusal, request)) ?? refusal, headers, seen)
      }
    }
    return Object.assign(run, { options })
  }

  function report(error: unknown, request: Request, requestId: string): void {
    const about = { requestId, method: request.method, path: pathOf(request.url) }
    if (!(error instanceof DomainError)) gate.log.error({ ...about, err: error }, 'request failed')
    else if (error.operatorText)
      gate.log.warn(
        { ...about, reason: error.reason, detail: error.operatorText },
        'request refused',
      )
  }
}

function traced(
  tracing: Pick<Tracing, 'run'>,
  { method, headers }: Request,
  route: string,
  seen: Seen,
  answer: () => Promise<Response>,
): Promise<Response> {
  const attributes = { 'http.request.method': method, 'http.route': route }
  const options = { parent: headers.get('traceparent'), kind: 'SERVER', attributes } as const
  return tracing.run(`${method} ${route}`, options, answer, ({ status, headers }) => ({
    attributes: {
      'http.response.status_code': status,
      'quittance.request_id': headers.get('x-request-id') ?? '',
      ...(seen.accountId !== null && { 'quittance.account_id': seen.accountId }),
    },
    error: status >= 500 ? `answered ${status}` : null,
  }))
}

/** What the access log and the trace say of a request besides its answer. */
type Seen = { accountId: string | null; body: Answer['body'] }

/** Bytes; null for a stream, whose length is not known yet. */
function sizeOf(body: Answer['body']): number | null {
  if (body instanceof ReadableStream) return null
  return body === null ? 0 : Buffer.byteLength(body)
}

const anyObject = Type.Object({})

/** Whether a body must be a JSON object although the operation takes none and ignores it. */
export function takesUnasked(method: string, { scope, isBodyRaw }: Options): boolean {
  return scope !== null && method === 'POST' && !isBodyRaw
}

/** Whether null is as good as leaving a member out. In PUT and PATCH it is a value. */
export function nullIsAbsent(method: string, { refusesNull }: Options): boolean {
  return method === 'POST' && !refusesNull
}

function readAs(schema: TSchema, bytes: Uint8Array, method: string, options: Options): Body {
  if (options.isBodyOptional && bytes.length === 0) return emptyBody
  try {
    const sent = readBody(bytes)
    const body = nullIsAbsent(method, options) ? bodyWithoutNulls(schema, sent) : sent
    check(schema, body.value)
    return body
  } catch (error) {
    if (options.refuseBody && error instanceof DomainError) throw options.refuseBody(error)
    throw error
  }
}

/** The `X-Request-Id` the caller sent; null if there is none that we accept. */
export function inboundRequestId(request: Request): string | null {
  const id = request.headers.get('x-request-id')
  return id !== null && requestIdLook.test(id) ? id : null
}

function respond(answer: Answer, headers: Record<string, string>, seen: Seen): Response {
  seen.body = answer.body
  if (typeof answer.body === 'string') headers['content-type'] = 'application/json'
  if (answer.headers) Object.assign(headers, answer.headers)
  return new Response(answer.body, { status: answer.status, headers })
}

export function byOf({ principal, requestId }: Call): By {
  return { keyId: principal.keyId, requestId }
}
