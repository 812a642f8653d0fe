import { DomainError } from '../../domain/error.ts'
import { isObject, type JsonObject, plainText } from '../../domain/json-text.ts'
import { addressKey, isTxHash, type Network } from '../../domain/network.ts'
import type { Egress } from '../egress/egress.ts'
import { EgressError } from '../egress/exchange.ts'
import { wholeBody } from '../request/body.ts'
import { utf8Of } from '../request/header-text.ts'
import { towardsUpstream, withoutPayment } from './proxy-headers.ts'
import type { Order } from './proxy-request.ts'

/** How long an upstream may take until its answer's headers; a budget reservation lasts longer. */
const limitMs = 30_000
const smallBytes = 65_536

/** A request to be sent to the upstream. */
export type Forwarded = {
  readonly order: Order
  readonly request: Request
  readonly body: Sendable
  /** Aborted once nothing more of its answer is passed on, or that has gone on for too long. */
  readonly ended: AbortSignal
}

type Sendable = Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null

/**
 * Sends a request on without a payment. It is aborted with the caller's request, and may be sent
 * twice if it changes nothing. Rejects as `Egress` does.
 */
export function forwardFree(egress: Pick<Egress, 'forward'>, forwarded: Forwarded) {
  const { request, body, ended } = forwarded
  const isOnce = body !== null || !/^(?:GET|HEAD|OPTIONS)$/.test(request.method)
  const headers = withoutPayment(towardsUpstream(request.headers))
  return forward(egress, forwarded, headers, {
    isOnce,
    signals: [request.signal, ended],
  })
}

/**
 * Sends a request on with its payment, once and without being aborted, because the outcome of the
 * payment must be known. Rejects as `Egress` does.
 */
export function forwardPaid(egress: Pick<Egress, 'forward'>, forwarded: Forwarded) {
  const headers = towardsUpstream(forwarded.request.headers)
  return forward(egress, forwarded, headers, { isOnce: true, signals: [forwarded.ended] })
}

async function forward(
  egress: Pick<Egress, 'forward'>,
  { order: { url, method }, body }: Forwarded,
  headers: Readonly<Record<string, string>>,
  how: { readonly isOnce: boolean; readonly signals: readonly AbortSignal[] },
): Promise<Response> {
  const response = await egress.forward(url.href, {
    method,
    headers,
    body,
    timeoutMs: limitMs,
    ...how,
  })
  const { status } = response
  // Such an answer cannot be passed on, as it is not valid HTTP.
  if (status < 200 || status > 599) throw new EgressError(`the status is ${status}`, 'broken')
  const location = response.headers.get('location')
  if (location !== null) lead(response.headers, URL.parse(utf8Of(location), url.href))
  return response
}

/**
 * Leads the caller to a redirect's target through the proxy, or nowhere where that cannot be read.
 * Many clients send a key, in whichever header, on to whatever host they are redirected to, and
 * also to hosts that a URL may not name here: else the upstream would decide who gets the key.
 */
function lead(headers: Headers, target: URL | null): void {
  if (target) headers.set('location', `?url=${encodeURIComponent(target.href)}`)
  else headers.delete('location')
}

/**
 * The body of a request as it is to be sent on. A small one with a declared length is read whole
 * and sent with its length, because some servers read nothing else; any other is streamed in
 * chunks. Errors: `invalid_request`.
 */
export async function sendable(request: Request): Promise<Sendable> {
  const body = bodyOf(request)
  const length = request.headers.get('content-length')
  if (body === null || length === null || Number(length) > smallBytes) return body
  return wholeBody(request)
}

function bodyOf({ method, body }: Request): ReadableStream<Uint8Array> | null {
  return method === 'GET' || method === 'HEAD' ? null : body
}

/**
 * The refusal for a request without an answer; an error that is not about the upstream is returned
 * unchanged.
 */
export function refusalOf(error: unknown, details?: Facts) {
  if (!(error instanceof EgressError)) return error
  const reason = error.fault === 'timeout' ? 'upstream_timeout' : 'upstream_failed'
  return new DomainError(reason, `The upstream did not answer: ${error.message}`, {
    ...(details && { details }),
    ...(details?.invoiceId && { headers: { 'x-invoice-id': details.invoiceId } }),
  })
}

type Facts = { readonly invoiceId?: string; readonly payment?: 'not_taken' | 'pending' }

/** Whether a failed request has certainly not reached the upstream. */
export function isUnsent(error: unknown): boolean {
  return !(error instanceof EgressError) || error.fault === 'unreachable'
}

/**
 * What an upstream says about the settlement on `chain`, read from base64 or plain JSON. Anything
 * that cannot be a transaction hash there counts as not said.
 */
export function saidBy({ headers }: Response, chain: Network) {
  const header = headers.get('payment-response') ?? headers.get('x-payment-response')
  const { success, transaction } = header === null ? {} : objectIn(plainText(header))
  return {
    success: typeof success === 'boolean' ? success : null,
    txHash: hashIn(transaction, chain),
  }
}

/** The JSON object in a text; an empty object where there is none. */
export function objectIn(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}

function hashIn(transaction: unknown, chain: Network): string | null {
  return typeof transaction === 'string' && isTxHash(chain, transaction)
    ? addressKey(transaction)
    : null
}
