import { lookup as resolveName } from 'node:dns/promises'
import http from 'node:http'
import https from 'node:https'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { DomainError } from '../domain/error.ts'

export type EgressRequest = {
  readonly method: 'GET' | 'POST'
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** For everything together: look-up, connecting, sending, reading. */
  readonly timeoutMs: number
  /** Of the answer no more than this is read. */
  readonly maxResponseBytes: number
}

export type EgressResponse = {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The beginning of the answer, as text. */
  readonly excerpt: string
}

export type Egress = {
  /** Refuses (`invalid_request`) a URL that must not be called, as far as can be told now. */
  check(url: string): Promise<void>
  /** Rejects with `EgressError` when there is no answer. Redirects are answers, not followed. */
  send(url: string, request: EgressRequest): Promise<EgressResponse>
  close(): void
}

export class EgressError extends Error {
  override readonly name = 'EgressError'
}

type Address = { readonly address: string; readonly family: 4 | 6 }
type Resolve = (host: string) => Promise<readonly Address[]>

/**
 * The only client for URLs that customers give us. A host is looked up once, every address it has is checked, and the connection
 * goes to the address that was checked, so a name that changes its mind in between gains nothing. Bun's fetch is out: it ignores a
 * pinned look-up, obeys HTTP_PROXY, opens file: URLs and follows redirects.
 */
export function createEgress(options: { allowPrivate: boolean; resolve?: Resolve }): Egress {
  const { allowPrivate, resolve = resolveAll } = options
  const agents = {
    'http:': new http.Agent({ keepAlive: true, maxFreeSockets: 256, timeout: 30_000 }),
    'https:': new https.Agent({ keepAlive: true, maxFreeSockets: 256, timeout: 30_000 }),
  }

  async function checkedAddress(url: URL): Promise<Address> {
    const host = url.hostname.replace(/^\[|\]$/g, '')
    const version = isIP(host)
    const addresses = version ? [{ address: host, family: version as 4 | 6 }] : await resolve(host)
    for (const { address } of addresses) {
      const problem = refusalOf(address, allowPrivate)
      if (problem) throw new EgressError(problem)
    }
    const [first] = addresses
    if (!first) throw new EgressError('the host name does not resolve')
    return first
  }

  async function check(text: string): Promise<void> {
    const url = parse(text)
    await checkedAddress(url).catch((error) => {
      // A name that does not resolve today may tomorrow: every attempt looks again.
      if (error instanceof EgressError && error.message.startsWith('points'))
        throw refused(error.message)
    })
  }

  async function send(text: string, request: EgressRequest): Promise<EgressResponse> {
    const deadline = Date.now() + request.timeoutMs
    const url = parse(text)
    const address = await inTime(checkedAddress(url), request.timeoutMs)
    return exchange(url, address, request, Math.max(1, deadline - Date.now()))
  }

  function exchange(
    url: URL,
    pinned: Address,
    { method, headers, body, maxResponseBytes }: EgressRequest,
    timeoutMs: number,
  ): Promise<EgressResponse> {
    const { request } = url.protocol === 'https:' ? https : http
    return new Promise((done, fail) => {
      const outgoing = request(
        url,
        {
          method,
          agent: agents[url.protocol as keyof typeof agents],
          headers: {
            ...headers,
            'content-length': `${Buffer.byteLength(body)}`,
            'accept-encoding': 'identity',
          },
          lookup: (_host, options, give) => {
            if (options.all) give(null, [{ ...pinned }])
            else give(null, pinned.address, pinned.family)
          },
        },
        (incoming) => {
          const chunks: Buffer[] = []
          let read = 0
          const finish = () => {
            clearTimeout(timer)
            const excerpt = Buffer.concat(chunks).subarray(0, maxResponseBytes).toString('utf8')
            done({ status: incoming.statusCode ?? 0, headers: flat(incoming.headers), excerpt })
          }
          incoming.on('data', (chunk: Buffer) => {
            chunks.push(chunk)
            read += chunk.length
            if (read < maxResponseBytes) return
            // The status is all that counts; a receiver that goes on talking is cut off.
            finish()
            outgoing.destroy()
          })
          incoming.on('end', finish)
          incoming.on('error', () =>
            fail(new EgressError('the connection broke while the answer was read')),
          )
        },
      )
      const timer = setTimeout(() => {
        fail(new EgressError(`no complete answer within the time limit`))
        outgoing.destroy()
      }, timeoutMs)
      outgoing.on('error', (error: NodeJS.ErrnoException) => {
        clearTimeout(timer)
        fail(new EgressError(error.code ?? error.message))
      })
      outgoing.end(body)
    })
  }

  return {
    check,
    send,
    close() {
      for (const agent of Object.values(agents)) agent.destroy()
    },
  }
}

const maxUrlLength = 2_048

function parse(text: string): URL {
  const url = text.length <= maxUrlLength ? URL.parse(text) : null
  if (!url) throw refused('is not a URL of at most 2,048 characters')
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw refused('must start with http:// or https://')
  if (url.username !== '' || url.password !== '') throw refused('must not contain credentials')
  if (url.hostname === '') throw refused('has no host')
  return url
}

function refused(problem: string): DomainError {
  return new DomainError('invalid_request', `url ${problem}`, {
    details: [{ path: '/url', message: problem }],
  })
}

async function resolveAll(host: string): Promise<readonly Address[]> {
  try {
    return (await resolveName(host, { all: true, verbatim: true })) as Address[]
  } catch {
    throw new EgressError('the host name does not resolve')
  }
}

// Where clouds keep their credentials; refused even where private addresses are allowed.
const metadata = new Set(['169.254.169.254', 'fd00:ec2::254', '100.100.100.200', '168.63.129.16'])
const alwaysRefused = new Set(['linkLocal', 'multicast', 'broadcast', 'reserved'])

/** Why an address must not be called, or null. */
export function refusalOf(address: string, allowPrivate: boolean): string | null {
  if (!ipaddr.isValid(address)) return 'points to no address'
  const ip = unwrapped(ipaddr.parse(address))
  const range = ip.range()
  if (metadata.has(ip.toString()) || alwaysRefused.has(range)) return `points to a ${range} address`
  if (range === 'unicast' || allowPrivate) return null
  return `points to a ${range} address`
}

/** IPv4 inside IPv6 (mapped, NAT64, 6to4) reaches the IPv4 address, so that is the one to judge. */
function unwrapped(ip: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 {
  if (ip.kind() === 'ipv4') return ip
  const v6 = ip as ipaddr.IPv6
  const bytes = v6.toByteArray()
  const range = v6.range()
  if (range === 'ipv4Mapped') return v6.toIPv4Address()
  if (range === 'rfc6052') return ipaddr.fromByteArray(bytes.slice(12))
  if (range === '6to4') return ipaddr.fromByteArray(bytes.slice(2, 6))
  return v6
}

function inTime<T>(promise: Promise<T>, limitMs: number): Promise<T> {
  return new Promise((done, fail) => {
    const timer = setTimeout(
      () => fail(new EgressError('the host name was not looked up in time')),
      limitMs,
    )
    promise.then(done, fail).finally(() => clearTimeout(timer))
  })
}

function flat(headers: http.IncomingHttpHeaders): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : value,
    ]),
  )
}
