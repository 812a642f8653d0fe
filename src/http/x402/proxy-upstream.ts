import { DomainError } from '../../domain/error.ts'
import { isObject, type JsonObject, plainText } from '../../domain/json-text.ts'
import { addressKey, isTxHash, type Network } from '../../domain/network.ts'
import type { Purchase } from '../../domain/purchases/purchase.ts'
import type { Egress } from '../egress/egress.ts'
import { EgressError } from '../egress/exchange.ts'
import { readable, utf8Of } from '../request/header-text.ts'
import { towardsUpstream, withoutPayment } from './proxy-headers.ts'
import type { Body, Order } from './proxy-request.ts'

/** How long an upstream may take until its answer's headers; a budget reservation lasts longer. */
const limitMs = 30_000

export type Forwarded = {
  readonly order: Order
  readonly request: Request
  readonly body: Body
  /** Aborts once nothing more of the answer is passed on, or after too long. */
  readonly ended: AbortSignal
}

/** Sends a request on without its payment; aborts with the caller. Errors: as of `refusalOf`. */
export function forwardFree(
  egress: Pick<Egress, 'forward'>,
  forwarded: Forwarded,
  details?: Facts,
) {
  const { request, body, ended } = forwarded
  const isOnce = body !== null || !/^(?:GET|HEAD|OPTIONS)$/.test(request.method)
  const headers = withoutPayment(towardsUpstream(request.headers))
  const how = { isOnce, signals: [request.signal, ended] }
  return forward(egress, forwarded, headers, how).catch((error) => {
    throw refusalOf(error, details)
  })
}

/**
 * Sends a payment on, once: as its purchase has it or, without a name, as the caller sent it. The
 * caller cannot abort it: its outcome must be known.
 */
export function forwardPaid(
  egress: Pick<Egress, 'forward'>,
  forwarded: Forwarded,
  { payment }: Purchase,
) {
  const sent = towardsUpstream(forwarded.request.headers)
  const [name = '', value = ''] = payment?.names.header?.split(' ', 2) ?? []
  const headers = name === '' ? sent : { ...withoutPayment(sent), [name]: value }
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
  // Not valid HTTP, so it cannot be passed on.
  if (status < 200 || status > 599) throw new EgressError(`the status is ${status}`, 'broken')
  const location = response.headers.get('location')
  if (location !== null) lead(response.headers, URL.parse(utf8Of(location), url.href))
  return response
}

/**
 * Redirects the caller through the proxy, or nowhere if the target cannot be read. Many clients
 * send their key on to any host, so otherwise the upstream would decide who gets it.
 */
function lead(headers: Headers, target: URL | null): void {
  if (target) headers.set('location', `?url=${encodeURIComponent(target.href)}`)
  else headers.delete('location')
}

/** The refusal for a request without an answer; any other error unchanged. */
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

/** What an upstream says about the settlement; what is no hash on `chain` counts as not said. */
export function saidBy({ headers }: Response, chain: Network) {
  const header = headers.get('payment-response') ?? headers.get('x-payment-response')
  const { success, transaction, errorReason } = header === null ? {} : objectIn(plainText(header))
  return {
    success: typeof success === 'boolean' ? success : null,
    txHash: hashIn(transaction, chain),
    errorReason: typeof errorReason === 'string' ? readable(errorReason, 500) : null,
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
