import { readFileSync } from 'node:fs'
import { type Server, splitServers } from '../server-list.ts'

/** Empty values and 0 mean the defaults of the drivers. */
export type DatabaseAddress = {
  /** Of one database. At any time one of them takes writes. */
  readonly servers: readonly { readonly host: string; readonly port: number }[]
  readonly user: string
  readonly password: string
  readonly database: string
  /** As on a server's command line. */
  readonly options: string
  readonly ssl: false | TlsOptions
}

type TlsOptions = {
  readonly rejectUnauthorized?: false
  readonly checkServerIdentity?: () => undefined
  readonly ca?: string
  readonly cert?: string
  readonly key?: string
  readonly passphrase?: string
}

/**
 * Parses a PostgreSQL URL with libpq's meaning of `sslmode`, because each of our drivers interprets
 * it differently, and sends unknown parameters to the server, which refuses them. Throws an `Error`
 * for the operator, without secrets.
 */
export function readDatabaseUrl(url: string): DatabaseAddress {
  const { url: first, servers } = splitServers(url)
  const { username, password, pathname, searchParams } = new URL(first)
  const given = (name: string) => searchParams.get(name) ?? ''
  return {
    servers: serversIn(servers, given),
    user: given('user') || decoded('user', username),
    password: given('password') || decoded('password', password),
    database: given('dbname') || decoded('name of the database', pathname.slice(1)),
    options: given('options'),
    ssl: tlsOf([...searchParams.keys()], given),
  }
}

/** The servers as postgres.js takes them: from a text it would split a port off an IPv6 address. */
export function hostsAndPorts({ servers }: DatabaseAddress) {
  const [first = { host: '', port: 0 }] = servers
  if (isFolder(first.host) || first.host === '') return first
  return {
    host: servers.map(({ host }) => host),
    port: servers.map(({ port }) => port || defaultPort),
  }
}

/** The addresses of the same database on each of its servers alone. */
export function oneByOne(address: DatabaseAddress): readonly DatabaseAddress[] {
  return address.servers.map((server) => ({ ...address, servers: [server] }))
}

export const defaultPort = 5432

/** As in libpq: parameters replace what is before the path, and one port serves all hosts. */
function serversIn(listed: readonly Server[], given: (name: string) => string) {
  const hosts = given('host')
    ? given('host').split(',')
    : listed.map(({ host }) => decoded('host name', host))
  const ports = given('port') ? given('port').split(',') : listed.map(({ port }) => port)
  if (ports.length !== 1 && ports.length !== hosts.length)
    throw new Error('it must name one port, or one for each host')
  if (hosts.length > 1 && hosts.some((host) => host === '' || isFolder(host)))
    throw new Error('each of several hosts must be a name or an address')
  return hosts.map((host, at) => ({
    host: host.replace(/^\[(.*)\]$/, '$1'),
    port: portOf(ports[at] ?? ports[0] ?? ''),
  }))
}

/** Of a Unix socket. */
function isFolder(host: string): boolean {
  return host.startsWith('/')
}

function decoded(name: string, text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new Error(`the ${name} has a % that begins no escape: write %25 for it`)
  }
}

function portOf(text: string): number {
  const port = Number(text)
  if (!/^\d*$/.test(text) || port > 65_535) throw new Error('port must be a number up to 65535')
  return port
}

const known = [
  ...['ssl', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'sslpassword'],
  // Ignored.
  ...['sslnegotiation', 'sslcompression', 'sslsni'],
]
const modes: Readonly<Record<string, string>> = {
  true: 'require',
  '1': 'require',
  'no-verify': 'require',
  false: 'disable',
  '0': 'disable',
}

function tlsOf(names: readonly string[], given: (name: string) => string): false | TlsOptions {
  const strange = names.find((name) => name.startsWith('ssl') && !known.includes(name))
  if (strange !== undefined) throw new Error(`${strange} is not supported`)
  const root = given('sslrootcert')
  const word = given('sslmode') || given('ssl') || (root ? 'verify-full' : 'disable')
  const mode = modes[word] ?? word
  if (mode === 'disable') return false
  const own = {
    ...(given('sslcert') && { cert: fileOf(given, 'sslcert') }),
    ...(given('sslkey') && { key: fileOf(given, 'sslkey') }),
    ...(given('sslpassword') && { passphrase: given('sslpassword') }),
  }
  const ca = root && root !== 'system' ? { ca: fileOf(given, 'sslrootcert') } : {}
  if (mode === 'verify-full') return { ...own, ...ca }
  if (root === 'system') throw new Error('sslrootcert=system needs sslmode=verify-full')
  if (mode === 'require' && !root) return { ...own, rejectUnauthorized: false }
  if (mode === 'verify-ca' && !root)
    throw new Error('sslmode=verify-ca needs sslrootcert, a file of certificates')
  // As in libpq, `require` with a root certificate verifies it.
  if (mode === 'verify-ca' || mode === 'require')
    return { ...own, ...ca, checkServerIdentity: () => undefined }
  throw new Error('sslmode must be disable, require, verify-ca or verify-full')
}

function fileOf(given: (name: string) => string, name: string): string {
  try {
    return readFileSync(given(name), 'utf8')
  } catch (error) {
    throw new Error(`${name} cannot be read: ${(error as Error).message}`)
  }
}
