import { DomainError } from '../../domain/error.ts'
import { isObject, type JsonObject, plainText } from '../../domain/json-text.ts'
import { addressKey, isTxHash, type Network } from '../../domain/network.ts'
import { wholeBody } from '../body.ts'
import { type Egress, EgressError } from '../egress.ts'
import { towardsUpstream, withoutPayment } from './proxy-headers.ts'
import type { Order } from './proxy-request.ts'

/** How long an upstream may take for the headers of its answer; what is held of a budget is held for longer. */
const limitMs = 30_000
const smallBytes = 65_536

/** A request on its way to the upstream. */
export type Forwarded = {
  readonly order: Order
  readonly request: Request
  readonly body: Sendable
  /** Aborted once its answer has gone on for so long that it must end. */
  readonly ended: AbortSignal
}

type Sendable = Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null

/** Sends a request on without a payment: it may be given up, and, if it changes nothing, be sent twice. Rejects as `Egress` does. */
export function forwardFree(egress: Pick<Egress, 'forward'>, forwarded: Forwarded) {
  const { request, body, ended } = forwarded
  const isOnce = body !== null || !/^(?:GET|HEAD|OPTIONS)$/.test(request.method)
  const headers = withoutPayment(towardsUpstream(request.headers))
  return forward(egress, forwarded, headers, {
    isOnce,
    signals: [request.signal, ended],
  })
}

/** Sends one on with its payment: once, and nobody gives it up, for what becomes of the payment must be known. */
export function forwardPaid(egress: Pick<Egress, 'forward'>, forwarded: Forwarded) {
  const headers = towardsUpstream(forwarded.request.headers)
  return forward(egress, forwarded, headers, { isOnce: true, signals: [forwarded.ended] })
}

async function forward(
  egress: Pick<Egress, 'forward'>,
  { order: { url, method }, request, body }: Forwarded,
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
  // There is no passing these on: they are no HTTP answers.
  if (status < 200 || status > 599) throw new EgressError(`the status is ${status}`, 'broken')
  const location = response.headers.get('location')
  if (location !== null) response.headers.set('location', onward(location, url, request.headers))
  return response
}

/**
 * Where a redirect leads, as the caller must be told: a path is one of the upstream's, not of ours. Clients that follow it to another host take
 * `Authorization` out, but no other header: whoever shows the key in `X-API-Key` is led there through us, or the upstream would say who gets it.
 */
function onward(location: string, from: URL, headers: Headers): string {
  const target = URL.parse(location, from.href)
  if (!target) return location
  if (!headers.has('x-api-key')) return URL.canParse(location) ? location : target.href
  return `?url=${encodeURIComponent(target.href)}`
}

/**
 * What is small and says how long it is goes on whole, with its length: some servers read nothing else. The rest is streamed, in chunks.
 * Errors: `invalid_request`.
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

/** What to refuse with when no answer came; what is not about the upstream stays what it is. */
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

/** What an upstream says of the settlement on `chain`: in base64, or as plain JSON. What could be no transaction there it has not said. */
export type Told = { readonly success: boolean | null; readonly txHash: string | null }

export function toldBy({ headers }: Response, chain: Network): Told {
  const header = headers.get('payment-response') ?? headers.get('x-payment-response')
  const { success, transaction } = header === null ? {} : objectIn(plainText(header))
  return {
    success: typeof success === 'boolean' ? success : null,
    txHash: hashIn(transaction, chain),
  }
}

/** A text's JSON object; an empty one where there is none. */
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
