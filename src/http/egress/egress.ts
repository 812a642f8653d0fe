import { isIP } from 'node:net'
import { type DomainError, invalidField } from '../../domain/error.ts'
import { createConcurrencyLimit } from '../../scheduling/limiter.ts'
import { refusalOf } from './addresses.ts'
import { type Address, createResolve, type Resolve } from './names.ts'

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
type EgressResponse = {
  readonly status: number
  readonly headers: Pick<Headers, 'get'>
  readonly excerpt: string
}

/** A request to be passed on. Its body is streamed, and so is its answer's. */
export type ForwardRequest = {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null
  /**
   * Whether it must not be sent twice, as Bun does when a kept-alive connection turns out closed.
   */
  readonly isOnce: boolean
  /**
   * Limit for the look-up and until the answer's headers have arrived; its body may take any time.
   */
  readonly timeoutMs: number
  /** Any of these aborts the request, at any time. */
  readonly signals: readonly AbortSignal[]
}

/**
 * Sends a request to the host that was looked up. Redirects are answers and not followed. Rejects
 * with `EgressError` when there is no answer.
 */
export type Send = (request: EgressRequest) => Promise<EgressResponse>

/**
 * Why there is no answer: `unreachable` means that nothing was sent; after `timeout` and `broken`
 * the other side may have received the request.
 */
type Fault = 'unreachable' | 'timeout' | 'broken'

/** No answer came; the message says why, in words that may be shown to the owner of the URL. */
export class EgressError extends Error {
  override readonly name = 'EgressError'
  readonly fault: Fault
  constructor(message: string, fault: Fault) {
    super(message)
    this.fault = fault
  }
}

const checkLimitMs = 2_000
/** How many names are looked up at once for checks, which do not wait for late answers. */
const maxChecks = 32
/** How many addresses of each family are tried: a name server can give thousands. */
const maxOfFamily = 4

export type Egress = ReturnType<typeof createEgress>

/**
 * The only client for URLs that customers give us. A host is looked up once and all its addresses
 * are checked. The request then goes to a checked address itself, with the name in `Host` and in
 * the TLS handshake, so a name that resolves differently in between (DNS rebinding) gains nothing.
 */
export function createEgress(options: { allowPrivate: boolean; resolve?: Resolve }) {
  const { allowPrivate, resolve = createResolve() } = options
  const checks = createConcurrencyLimit({
    perKey: maxChecks,
    maxWaitingPerKey: 0,
    maxWaitMs: 0,
    refusal: () => new EgressError('too many host names are being looked up', 'unreachable'),
  })

  async function lookUp(host: string): Promise<readonly Address[]> {
    return resolve(host).catch(() => {
      throw new EgressError('the host name does not resolve', 'unreachable')
    })
  }

  async function addressesOf(
    url: URL,
    limitMs: number,
    find = lookUp,
  ): Promise<readonly Address[]> {
    const host = url.hostname.replace(/^\[|\]$/g, '')
    const family = isIP(host)
    return family ? [{ address: host, family }] : inTime(find(host), limitMs)
  }

  function refuseForbidden(addresses: readonly Address[]): void {
    for (const { address } of addresses) {
      const problem = refusalOf(address, allowPrivate)
      if (problem !== null) throw refused(problem)
    }
  }

  async function routesTo(
    text: string,
    limitMs: number,
    maxCharacters = maxStored,
  ): Promise<readonly Route[]> {
    const url = parse(text, maxCharacters)
    const addresses = await addressesOf(url, limitMs)
    refuseForbidden(addresses)
    // IPv4 first: without an IPv6 route, a machine may notice only after the time limit.
    const few = [4, 6].flatMap((family) =>
      addresses.filter((address) => address.family === family).slice(0, maxOfFamily),
    )
    return few.map((address) => routeTo(url, address))
  }

  /**
   * Checks that a URL may be called. A host name that does not resolve in time passes: it is
   * checked whenever it is called. Errors: `invalid_request` at /url.
   */
  async function check(text: string): Promise<void> {
    const url = parse(text)
    const find = (host: string) => checks.run('', () => lookUp(host))
    refuseForbidden(await addressesOf(url, checkLimitMs, find).catch(() => []))
  }

  /**
   * Looks the host up once for requests that are made at once and share one time limit. Rejects as
   * `check` does, and with `EgressError` where the name does not resolve.
   */
  async function open(text: string, limitMs: number): Promise<Send> {
    const routes = await routesTo(text, limitMs)
    // One timer for all: a timer for each request would cost a twentieth of it.
    let end: AbortSignal | undefined
    return (request) => {
      end ??= AbortSignal.timeout(request.timeoutMs)
      return exchange(routes, request, end)
    }
  }

  /**
   * Looks the host up and sends any request; resolves as soon as the answer's headers have arrived,
   * with the body unread. Redirects are answers and not followed. Rejects as `open` and `Send` do.
   */
  async function forward(text: string, request: ForwardRequest): Promise<Response> {
    const endMs = performance.now() + request.timeoutMs
    const routes = await routesTo(text, request.timeoutMs, maxForwarded)
    return answerFrom(routes, { ...request, timeoutMs: endMs - performance.now() })
  }

  return { check, open, forward }
}

async function exchange(
  routes: readonly Route[],
  request: EgressRequest,
  signal: AbortSignal,
): Promise<EgressResponse> {
  const response = await firstAnswer(routes, request, signal)
  const excerpt = await beginning(response, request.maxResponseBytes)
  return { status: response.status, headers: response.headers, excerpt }
}

async function answerFrom(routes: readonly Route[], request: ForwardRequest): Promise<Response> {
  const end = new AbortController()
  const timer = setTimeout(() => end.abort(timedOut()), request.timeoutMs)
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

function timedOut(): DOMException {
  return new DOMException('no answer', 'TimeoutError')
}

type Sent = Pick<ForwardRequest, 'method' | 'headers'> & {
  readonly isOnce?: boolean
  readonly body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null
}

/**
 * Tries the addresses in order. The next is tried only when the one before was not reached, so
 * nothing is sent twice.
 */
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
    // A stream that has been started cannot be sent again.
    const isRepeatable = !(request.body instanceof ReadableStream)
    const isUnreached = typeof code === 'string' && unreached.has(code)
    if (isUnreached && isRepeatable && others.length > 0)
      return firstAnswer(others, request, signal)
    if (name === 'TimeoutError') throw new EgressError('no answer within the time limit', 'timeout')
    const isMistrusted = typeof code === 'string' && mistrusted.test(code)
    throw new EgressError(
      typeof code === 'string' ? code : 'the request failed',
      isUnreached || isMistrusted ? 'unreachable' : 'broken',
    )
  }
}

// No listener, no route, or no local address to connect from, as on an IPv6-only machine.
const unreached = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL'])
// No valid certificate: the request has not been sent.
const mistrusted = /^(?:.*CERT.*|UNABLE_TO_.*)$/

/**
 * One address of a URL: the URL with that address, the value of `Host`, and options for `fetch`.
 */
type Route = { readonly target: string; readonly host: string; readonly options: object }

function routeTo(url: URL, { address, family }: Address): Route {
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
    // The receiver has answered; that its body broke off or took too long changes nothing.
  }
  return Buffer.concat(chunks).subarray(0, maxBytes).toString('utf8')
}

const maxStored = 2_048
/** Upstreams redirect to presigned URLs, which are long. */
const maxForwarded = 8_192

function parse(text: string, maxCharacters = maxStored): URL {
  if ([...text].length > maxCharacters)
    throw refused(`must have at most ${maxCharacters.toLocaleString('en')} characters`)
  const url = URL.parse(text)
  if (!url) throw refused('must be an absolute URL, such as https://example.com/hooks')
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw refused('must start with http:// or https://')
  if (url.username !== '' || url.password !== '') throw refused('must not contain credentials')
  return url
}

function refused(problem: string): DomainError {
  return invalidField('url', problem)
}

function inTime<T>(promise: Promise<T>, limitMs: number): Promise<T> {
  return new Promise((done, fail) => {
    const late = () =>
      fail(new EgressError('the host name was not looked up in time', 'unreachable'))
    const timer = setTimeout(late, limitMs)
    promise.then(done, fail).finally(() => clearTimeout(timer))
  })
}
