import ipaddr from 'ipaddr.js'

/** Why an address must not be called, as the end of a sentence; null if it may be. */
export function refusalOf(address: string, allowPrivate: boolean): string | null {
  const ip = inner(ipaddr.parse(address))
  const range = rangeOf(ip)
  if (metadata.has(ip.toString())) return 'points to a metadata address: it is never called'
  if (range === 'unicast' || (allowPrivate && privateRanges.has(range))) return null
  const rule = privateRanges.has(range) ? 'only public addresses are called' : 'it is never called'
  return `points to ${words[range] ?? 'a reserved'} address: ${rule}`
}

/** As `refusalOf`, of a name that never means a public host, whether or not it resolves now. */
export function nameRefusalOf(host: string, allowPrivate: boolean): string | null {
  const name = host.toLowerCase().replace(/\.+$/, '')
  if (metadataNames.has(name)) return 'points to a metadata address: it is never called'
  const isLocal = !name.includes('.') || /\.(?:local|localdomain|localhost)$/.test(name)
  return isLocal ? refusalOf('127.0.0.1', allowPrivate) : null
}

/** The range of an address. ipaddr.js calls unknown ones unicast; of IPv6 only 2000::/3 is. */
function rangeOf(ip: ipaddr.IPv4 | ipaddr.IPv6): string {
  const range = ip.range()
  const isGlobal = ip.kind() === 'ipv4' || (ip.toByteArray()[0] ?? 0) >> 5 === 1
  return range === 'unicast' && !isGlobal ? 'reserved' : range
}

/** The IPv4 address inside an IPv6 address (mapped, NAT64, 6to4); any other address as it is. */
export function inner(ip: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 {
  const bytes = ip.toByteArray()
  const range = ip.range()
  if (range === 'ipv4Mapped' || range === 'rfc6052') return ipaddr.fromByteArray(bytes.slice(12))
  if (range === '6to4') return ipaddr.fromByteArray(bytes.slice(2, 6))
  return ip
}

/** Where clouds serve credentials, beyond link-local addresses; always refused. */
const metadata = new Set([
  '100.100.100.200',
  '168.63.129.16',
  'fd00:42::42',
  'fd00:ec2::254',
  'fd20:ce::254',
])
const metadataNames = new Set([
  'instance-data',
  'instance-data.ec2.internal',
  'metadata',
  'metadata.azure.internal',
  'metadata.goog',
  'metadata.google.internal',
])
const privateRanges = new Set(['private', 'loopback', 'uniqueLocal', 'carrierGradeNat'])

const words: Readonly<Record<string, string>> = {
  broadcast: 'a broadcast',
  carrierGradeNat: 'a carrier-grade NAT',
  linkLocal: 'a link-local',
  loopback: 'a loopback',
  multicast: 'a multicast',
  private: 'a private',
  uniqueLocal: 'a private',
  unspecified: 'an unspecified',
}
