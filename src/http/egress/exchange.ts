import type { Address } from './names.ts'

export type EgressRequest = {
  readonly method: 'GET' | 'POST'
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
  /** Limit for connecting, sending and reading together. */
  readonly timeoutMs: number
  /** The most bytes that are read of the answer's body. */
  readonly maxResponseBytes: number
}

/** An answer; `excerpt` is what could be read of its body within the limits of size and time. */
export type EgressResponse = {
  readonly status: number
  readonly headers: Pick<Headers, 'get'>
  readonly excerpt: string
}

/**
 * Why there is no answer: `unreachable` means that nothing was sent; after `timeout` and `broken`
 * the other side may have received the request.
 */
type Fault = 'unreachable' | 'timeout' | 'broken'

/** No answer came. The owner of the URL may read the message. */
export class EgressError extends Error {
  override readonly name = 'EgressError'
  readonly fault: Fault
  constructor(message: string, fault: Fault) {
    super(message)
    this.fault = fault
  }
}

/** A request to be passed on. Its body is streamed, and so is its answer's. */
export type ForwardRequest = {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null
  /** Prevents that Bun sends it again when a kept-alive connection turns out closed. */
  readonly isOnce: boolean
  /** Limit for the look-up and the answer's headers; the body may take any time. */
  readonly timeoutMs: number
  /** Any of these aborts the request, at any time. */
  readonly signals: readonly AbortSignal[]
}

/** One address of a URL: the URL with that address, the value of `Host`, and `fetch` options. */
export type Route = { readonly target: string; readonly host: string; readonly options: object }

export function routeTo(url: URL, { address, family }: Address): Route {
  const target = new URL(url)
  target.hostname = family === 6 ? `[${address}]` : address
  return {
    target: target.href,
    host: url.host,
    options: {
      // Never through HTTP_PROXY, and the body is left compressed as the receiver sent it.
      proxy: false,
      decompress: false,
      // The certificate must be for the name, not the address; connections are pooled by name, too.
      ...(url.hostname !== target.hostname && { tls: { serverName: url.hostname } }),
    },
  }
}

export async function exchange(
  routes: readonly Route[],
  request: EgressRequest,
  signal: AbortSignal,
): Promise<EgressResponse> {
  const response = await firstAnswer(routes, request, signal)
  const excerpt = await beginning(response, request.maxResponseBytes)
  return { status: response.status, headers: response.headers, excerpt }
}

/** Sends the request and answers with the body unread. */
export async function forwardTo(
  routes: readonly Route[],
  request: ForwardRequest,
): Promise<Response> {
  const end = new AbortController()
  const late = () => end.abort(new DOMException('no answer', 'TimeoutError'))
  const timer = setTimeout(late, request.timeoutMs)
  // Not `AbortSignal.any`, which costs a tenth of a forwarded request.
  for (const signal of request.signals) {
    const giveUp = () => end.abort(signal.reason)
    if (signal.aborted) giveUp()
    else signal.addEventListener('abort', giveUp, { once: true })
  }
  try {
    return await firstAnswer(routes, request, end.signal)
  } finally {
    clearTimeout(timer)
  }
}

type Sent = Pick<ForwardRequest, 'method' | 'headers'> & {
  readonly isOnce?: boolean
  readonly body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null
}

/** Tries the next address only when the one before was not reached, so nothing is sent twice. */
async function firstAnswer(
  [first, ...others]: readonly Route[],
  request: Sent,
  signal: AbortSignal,
): Promise<Response> {
  if (!first) throw new EgressError('the host name does not resolve', 'unreachable')
  try {
    return await fetchBy(first, request, signal)
  } catch (error) {
    const { code, name } = error as { code?: unknown; name?: unknown }
    const cause = typeof code === 'string' ? code : 'the request failed'
    const isUnreached = unreached.has(cause)
    // A stream that has been started cannot be sent again.
    const isRepeatable = !(request.body instanceof ReadableStream)
    if (isUnreached && isRepeatable && others.length > 0)
      return firstAnswer(others, request, signal)
    if (name === 'TimeoutError') throw new EgressError('no answer within the time limit', 'timeout')
    throw new EgressError(cause, isUnreached || mistrusted.test(cause) ? 'unreachable' : 'broken')
  }
}

// No listener, no route, or no local address to connect from, as on an IPv6-only machine.
const unreached = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL'])
// No valid certificate: the request has not been sent.
const mistrusted = /^(?:.*CERT.*|UNABLE_TO_.*)$/

function fetchBy(
  { target, host, options }: Route,
  { method, headers, body, isOnce = false }: Sent,
  signal: AbortSignal,
): Promise<Response> {
  return fetch(target, {
    ...options,
    method,
    headers: { ...headers, host, 'accept-encoding': 'identity' },
    body,
    redirect: 'manual',
    keepalive: !isOnce,
    signal,
  })
}

async function beginning(response: Response, maxBytes: number): Promise<string> {
  // Most answers have no body, and a stream would cost more than the rest of such an answer.
  if (response.status === 204 || response.headers.get('content-length') === '0') return ''
  const chunks: Uint8Array[] = []
  let length = 0
  try {
    for await (const chunk of response.body ?? []) {
      chunks.push(chunk)
      length += chunk.length
      if (length >= maxBytes) break
    }
  } catch {
    // The receiver has answered; a body that breaks off or takes too long changes nothing.
  }
  return Buffer.concat(chunks).subarray(0, maxBytes).toString('utf8')
}
