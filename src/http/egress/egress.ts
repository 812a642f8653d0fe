import { isIP } from 'node:net'
import { type DomainError, invalidField } from '../../domain/error.ts'
import { createConcurrencyLimit } from '../../scheduling/limiter.ts'
import { nameRefusalOf, refusalOf } from './addresses.ts'
import {
  EgressError,
  type EgressRequest,
  type EgressResponse,
  exchange,
  type ForwardRequest,
  forwardTo,
  type Route,
  routeTo,
} from './exchange.ts'
import { type Address, createResolve, type Resolve } from './names.ts'

/**
 * Sends a request to the host that was looked up. Redirects are answers and not followed. Rejects
 * with `EgressError` when there is no answer.
 */
export type Send = (request: EgressRequest) => Promise<EgressResponse>

const checkLimitMs = 2_000
/** How many names are looked up at once for checks. */
const maxChecks = 32
/** How many addresses of each family are tried: a name server can give thousands. */
const maxOfFamily = 4
const maxStored = 2_048
/** Upstreams redirect to presigned URLs, which are long. */
const maxForwarded = 8_192

export type Egress = ReturnType<typeof createEgress>

/**
 * The only client for URLs that customers give us. A host is looked up once and all its addresses
 * are checked. The request goes to a checked address, with the name in `Host` and in the TLS
 * handshake, so DNS rebinding gains nothing.
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
    const problem = family ? null : nameRefusalOf(host, allowPrivate)
    if (problem !== null) throw refused(problem)
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
   * Checks that a URL may be called. A host name that does not resolve in time passes: every call
   * checks it again. Errors: `invalid_request` at /url.
   */
  async function check(text: string): Promise<void> {
    const url = parse(text)
    const find = (host: string) => checks.run('', () => lookUp(host))
    const addresses = addressesOf(url, checkLimitMs, find).catch((error) => {
      if (error instanceof EgressError) return []
      throw error
    })
    refuseForbidden(await addresses)
  }

  /**
   * Looks the host up once for several requests, which share the time limit of the first. Rejects
   * as `check` does, and with `EgressError` where the name does not resolve.
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
   * Sends any request and resolves once the answer's headers have arrived, with the body unread.
   * Rejects as `open` and `Send` do.
   */
  async function forward(text: string, request: ForwardRequest): Promise<Response> {
    const endMs = performance.now() + request.timeoutMs
    const routes = await routesTo(text, request.timeoutMs, maxForwarded)
    return forwardTo(routes, { ...request, timeoutMs: endMs - performance.now() })
  }

  return { check, open, forward }
}

function parse(text: string, maxCharacters = maxStored): URL {
  if ([...text].length > maxCharacters)
    throw refused(`must have at most ${maxCharacters.toLocaleString('en')} characters`)
  const url = URL.parse(text)
  if (!url) throw refused('must be an absolute URL, such as https://example.com/hooks')
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw refused('must start with http:// or https://')
  // The parser drops some of them silently.
  if (/\p{Cc}/u.test(text)) throw refused('must not contain control characters')
  if (url.port === '0') throw refused('must not name port 0')
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
