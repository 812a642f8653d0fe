import { type TObject, type TSchema, Type } from '@sinclair/typebox'
import type { Principal } from '../domain/account.ts'
import type { By } from '../domain/audit.ts'
import { DomainError, type Reason } from '../domain/error.ts'
import type { Scope } from '../domain/scopes.ts'
import { noBytes, readBytes } from './body.ts'
import { answerTo, type ErrorShape } from './errors.ts'
import { type Body, readBody } from './json.ts'
import type { Admission, Limits } from './limits.ts'
import { check } from './validation.ts'

/** What of a request says who calls. Its URL says nothing about that, and need not be one that can be made again. */
export type Caller = Pick<Request, 'method' | 'headers'>

/** What every request passes before a handler sees it; made once by `server.ts`. */
export type Gate = {
  /** Who calls, or null for nobody; refuses what looks like a key and is none. `beforeAsking` throws where a key unknown here is not to be looked up. */
  identify(caller: Caller, beforeAsking?: () => void): Principal | null | Promise<Principal | null>
  readonly limits: Limits
  readonly metrics: {
    request(answered: { method: string; route: string; status: number; durationMs: number }): void
    rateLimited(caller: 'key' | 'address'): void
  }
  readonly log: {
    error(line: object, message: string): void
    warn(line: object, message: string): void
  }
  newRequestId(): string
}

/** One request that has been admitted, authorised, read and checked. */
export type Call = {
  readonly request: Request
  readonly params: Readonly<Record<string, string>>
  readonly requestId: string
  readonly principal: Principal
  readonly body: Body
  readonly bytes: Uint8Array
  /** Counts this many requests more than the one that came. Errors: `rate_limited`. */
  charge(more: number): Promise<void>
  /** Lets the connection be silent for this long, where what is asked for turns out to take its time. */
  keepOpen(seconds: number): void
  /** Whether the answer has been sent, or its caller is gone. */
  isOver(): boolean
}

export type Answer = {
  readonly status: number
  /** Text is JSON unless `headers` name another content type; of what type bytes are only `headers` say. Null: an answer without a body. */
  readonly body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null
  readonly headers?: Readonly<Record<string, string>>
}

type Handler = (call: Call) => Answer | Promise<Answer>

export type Options = {
  /** What the key must be allowed to do; null: no key needed. */
  readonly scope: Scope | null
  /** Whether it is answered to everybody, however much else they ask: nobody is asked who calls, and nothing is counted. */
  readonly isFree?: true
  /** How long the handler may take, in seconds, where that is longer than a connection may be silent. */
  readonly maxSeconds?: number
  /** Schema of the JSON body; absent: the operation takes none. */
  readonly body?: TSchema
  /** Whether the body may be left out. */
  readonly isBodyOptional?: true
  /** Whether the handler sees to the body itself, whatever it is. */
  readonly isBodyRaw?: true
  /** What a body that cannot be read, or does not fit, is refused with in place of `invalid_request`. */
  readonly refuseBody?: (refusal: DomainError) => DomainError
  /** Headers of every answer, refusals included. */
  readonly headers?: Readonly<Record<string, string>>
  /** What `/openapi.json` says about the operation; absent: nothing. */
  readonly docs?: Docs
}

/** An operation as its callers read about it; path, scope and body are known from the route itself. */
export type Docs = {
  readonly summary: string
  readonly description?: string
  /** Schema of the query parameters, one property each. */
  readonly query?: TObject
  /** What each success status answers with; null: no body. */
  readonly answers: Readonly<Record<number, TSchema | null>>
  readonly exampleBody?: object
  /** Schema of a body that the handler reads by itself. */
  readonly body?: TSchema
  /** Whether `Accept: text/csv` gets the same as a file. */
  readonly csv?: true
  /** Whether an `Idempotency-Key` makes it repeatable. */
  readonly idempotent?: true
  /** Why it may refuse, beyond what follows from scope, body, path and query. */
  readonly refusals?: readonly Reason[]
}

/** A route's handler, which still knows what it was made from. */
export type Operation = ((context: Context) => Promise<Response>) & { readonly options: Options }

type Context = {
  readonly request: Request
  readonly params: Record<string, string>
  /** The pattern of the path, as Elysia matched it. */
  readonly route: string
}

const nobody = { principal: null, bucket: '' }
const keyless = { perMinute: 100, perDay: null }
const requestIdLook = /^[\w.:-]{1,128}$/
const empty: Body = { value: {}, source: () => undefined }

export type Operations = (options: Options, handle: Handler) => Operation

/**
 * Wraps handlers with what all of a family's operations have in common, in contract §3's order: limit, authentication, scope, size and
 * content type, JSON, validation. Every answer, refusals included, carries the request id and the rate-limit headers.
 */
export function createOperations(
  gate: Gate,
  shape: ErrorShape,
  connections: Connections,
): Operations {
  return (options, handle) => {
    // Named members only: Elysia reads this parameter list to decide what to compute for each request.
    async function run({ request, params, route }: Context): Promise<Response> {
      const startedMs = performance.now()
      const response = await answerAll(request, params)
      gate.metrics.request({
        method: request.method,
        route,
        status: response.status,
        durationMs: performance.now() - startedMs,
      })
      return response
    }

    async function answerAll(request: Request, params: Record<string, string>): Promise<Response> {
      const requestId = inboundRequestId(request) ?? gate.newRequestId()
      const headers: Record<string, string> = { 'x-request-id': requestId, ...options.headers }
      try {
        const { principal, bucket } = options.isFree ? nobody : await admit(request, headers)
        authorize(principal, options.scope)
        const schema =
          options.body ??
          (request.body !== null && takesUnasked(request.method, options) ? anyObject : null)
        const bytes = schema ? await readBytes(request, options) : noBytes
        const body = schema ? readAs(schema, bytes, options) : empty
        if (options.maxSeconds) connections.keepOpen(request, options.maxSeconds)
        const answer = await handle({
          request,
          params,
          requestId,
          principal: principal as Principal,
          body,
          bytes,
          async charge(more) {
            for (let n = 0; n < more; n++) await count(bucket, principal, headers)
          },
          keepOpen: (seconds) => connections.keepOpen(request, seconds),
          isOver: () => connections.isOver(request),
        })
        return respond(answer, headers)
      } catch (error) {
        report(error, request, requestId)
        return respond(answerTo(error, shape), headers)
      }
    }
    return Object.assign(run, { options })
  }

  /**
   * Counts a request where it belongs. From an address that has shown a hundred wrong keys in a minute none is looked up that this process
   * does not know: a good one among the guesses is refused with them, until the minute is over.
   */
  async function admit(
    request: Request,
    headers: Record<string, string>,
  ): Promise<{ principal: Principal | null; bucket: string }> {
    let principal: Principal | null
    let refusal: unknown
    try {
      const found = gate.identify(request, () => {
        const refused = gate.limits.refusalOf(guessesOf(request))
        if (refused) insist(refused)
      })
      principal = found instanceof Promise ? await found : found
    } catch (error) {
      // Where keys cannot be looked up, nobody has shown a wrong one.
      if (error instanceof DomainError && error.reason === 'unavailable') throw error
      // A wrong key counts against the address it came from, so guessing is limited like any keyless call.
      principal = null
      refusal = error
    }
    if (refusal instanceof DomainError && refusal.reason === 'unauthorized')
      await gate.limits.admit(guessesOf(request), keyless)
    const bucket = principal ? bucketOf(principal) : bucketOfAddress(request)
    const counted = count(bucket, principal, headers)
    if (counted instanceof Promise) await counted
    if (refusal) throw refusal
    return { principal, bucket }
  }

  /** Wrong keys apart: what else comes from an address without a key, such as the pages of payers, keeps no key from being looked up. */
  function guessesOf(request: Request): string {
    return `guess:${connections.addressOf(request)}`
  }

  function bucketOfAddress(request: Request): string {
    return `ip:${connections.addressOf(request)}`
  }

  function count(
    bucket: string,
    principal: Principal | null,
    headers: Record<string, string>,
  ): void | Promise<void> {
    const heed = (admission: Admission) => {
      describe(admission, headers)
      if (!admission.allowed) gate.metrics.rateLimited(principal ? 'key' : 'address')
      insist(admission)
    }
    const admitted = gate.limits.admit(bucket, principal ?? keyless)
    return admitted instanceof Promise ? admitted.then(heed) : heed(admitted)
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

/** What only the listening server knows of the connection a request came by. */
export type Connections = {
  addressOf(request: Request): string
  /** Lets it be silent for this long before it is closed. */
  keepOpen(request: Request, seconds: number): void
  /** Whether its answer has been sent, body included, or its caller is gone. */
  isOver(request: Request): boolean
}

/** What the requests of a caller are counted by. */
export function bucketOf({ keyId, countedAs = keyId }: Principal): string {
  return countedAs
}

/** Errors: `rate_limited`. */
export function insist({ allowed, retryAfterSeconds }: Admission): void {
  if (!allowed) throw new DomainError('rate_limited', 'Too many requests', { retryAfterSeconds })
}

function describe(admission: Admission, headers: Record<string, string>): void {
  headers['x-ratelimit-limit'] = `${admission.limit}`
  headers['x-ratelimit-remaining'] = `${admission.remaining}`
  headers['x-ratelimit-reset'] = `${admission.resetSeconds}`
}

/** Errors: `unauthorized`, `forbidden`. */
export function authorize(principal: Principal | null, scope: Scope | null): void {
  if (scope === null) return
  if (!principal) throw new DomainError('unauthorized', 'An API key is required')
  if (!principal.scopes.has(scope)) {
    throw new DomainError('forbidden', `This key lacks the permission ${scope}`)
  }
}

const anyObject = Type.Object({})

/** Whether a body where none is needed is looked at: it is ignored, but only if it is one that could have been needed. */
export function takesUnasked(method: string, { scope, isBodyRaw }: Options): boolean {
  return scope !== null && method === 'POST' && !isBodyRaw
}

function readAs(schema: TSchema, bytes: Uint8Array, options: Options): Body {
  if (options.isBodyOptional && bytes.length === 0) return empty
  try {
    const body = readBody(bytes)
    check(schema, body.value)
    return body
  } catch (error) {
    if (options.refuseBody && error instanceof DomainError) throw options.refuseBody(error)
    throw error
  }
}

/** The `X-Request-Id` that a caller gave its request, if it is one we take; or null. */
export function inboundRequestId(request: Request): string | null {
  const id = request.headers.get('x-request-id')
  return id !== null && requestIdLook.test(id) ? id : null
}

function respond(answer: Answer, headers: Record<string, string>): Response {
  if (typeof answer.body === 'string') headers['content-type'] = 'application/json'
  if (answer.headers) Object.assign(headers, answer.headers)
  return new Response(answer.body, { status: answer.status, headers })
}

/** On whose behalf this call changes something. */
export function byOf({ principal, requestId }: Call): By {
  return { keyId: principal.keyId, requestId }
}

/**
 * The path of a request URL, without paying for a URL object: it begins with whatever its client says it calls, which may make no URL,
 * or with the path where the client says nothing that could be a host.
 */
export function pathOf(url: string): string {
  const start = url.startsWith('/') ? 0 : url.indexOf('/', url.indexOf('//') + 2)
  const end = url.indexOf('?', start)
  return end < 0 ? url.slice(start) : url.slice(start, end)
}

/** The query of such a URL. */
export function queryOf(url: string): URLSearchParams {
  const start = url.indexOf('?')
  return new URLSearchParams(start < 0 ? '' : url.slice(start))
}
