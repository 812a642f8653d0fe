import { isIP, isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'
import { inner } from '../egress/addresses.ts'

/**
 * The caller's address as the proxy before us added it to `X-Forwarded-For`: only the last entry,
 * because anything before it may be the caller's own word. A port, which differs for each
 * connection, and a zone are removed. A proxy may also write something other than an address for a
 * caller; up to 64 characters of that are accepted, as it names a rate-limit bucket.
 */
export function forwardedFor(request: Request): string | undefined {
  const last = request.headers.get('x-forwarded-for')?.split(',').at(-1)?.trim() ?? ''
  const [, v6, v4 = last] = /^\[(.+)\](?::\d+)?$|^([^:]+):\d+$/.exec(last) ?? []
  const address = (v6 ?? v4).replace(/%.*$/, '')
  return isIP(address) || (address !== '' && address.length <= 64) ? address : undefined
}

/**
 * The client for which requests from an address are counted. Of IPv6 that is the /64, which a
 * single subscriber or machine is given as a whole; an IPv4 address inside an IPv6 address counts
 * as itself. Everything else is its own client.
 */
export function clientOf(address: string): string {
  if (!isIPv6(address)) return address
  const ip = inner(ipaddr.parse(address))
  if (ip.kind() === 'ipv4') return ip.toString()
  const network = [...ip.toByteArray().slice(0, 8), ...new Uint8Array(8)]
  return `${ipaddr.fromByteArray(network)}/64`
}

/**
 * In place of `forwardedFor` where it is not believed: answers no address, and tells an operator
 * once that requests name their client. Behind a proxy of his, all callers without a key would be
 * counted as one.
 */
export function forwardedNotice(log: {
  warn(line: object, message: string): void
}): (request: Request) => undefined {
  let isTold = false
  return (request) => {
    if (isTold || !request.headers.has('x-forwarded-for')) return
    isTold = true
    log.warn(
      {},
      'requests come with X-Forwarded-For: if your proxy writes it, set TRUST_PROXY=true',
    )
  }
}
