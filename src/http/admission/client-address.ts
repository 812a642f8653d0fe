import { isIP, isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'
import { inner } from '../egress/addresses.ts'

/**
 * The last entry of `X-Forwarded-For`, which our proxy added; the others may be forged. Without
 * port and zone. A proxy may write a name in place of an address, here of up to 64 characters.
 */
export function forwardedFor(request: Request): string | undefined {
  const last = request.headers.get('x-forwarded-for')?.split(',').at(-1)?.trim() ?? ''
  const [, v6, v4 = last] = /^\[(.+)\](?::\d+)?$|^([^:]+):\d+$/.exec(last) ?? []
  const address = (v6 ?? v4).replace(/%.*$/, '')
  return isIP(address) || (address !== '' && address.length <= 64) ? address : undefined
}

/** The client for which requests are counted: of IPv6 the /64, which one subscriber has. */
export function clientOf(address: string): string {
  if (!isIPv6(address)) return address
  const ip = inner(ipaddr.parse(address))
  if (ip.kind() === 'ipv4') return ip.toString()
  const network = [...ip.toByteArray().slice(0, 8), ...new Uint8Array(8)]
  return `${ipaddr.fromByteArray(network)}/64`
}

/**
 * Replaces `forwardedFor` without `TRUST_PROXY`: warns once if requests have the header. Behind a
 * proxy, all callers without a key would be counted as one.
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
