import { readFileSync } from 'node:fs'

/** Where a PostgreSQL is and how to speak to it, in terms that both of our drivers have. What is empty, or 0, they find out themselves. */
export type DatabaseAddress = {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: string
  readonly database: string
  /** Settings of a session, as a server's command line has them. */
  readonly options: string
  /** False: not encrypted. */
  readonly ssl: false | TlsOptions
}

type TlsOptions = {
  readonly host?: string
  readonly rejectUnauthorized?: false
  readonly checkServerIdentity?: () => undefined
  readonly ca?: string
  readonly cert?: string
  readonly key?: string
  readonly passphrase?: string
}

/**
 * What a PostgreSQL URL says, with libpq's meaning of it: `sslmode=require` encrypts and trusts whoever answers, `verify-ca` and
 * `verify-full` do not. Each of our drivers takes the same words for something else, and sends those it does not know to the server,
 * which refuses them. Parameters that are about neither the way to the server nor TLS are left out. Throws an `Error` with a sentence for
 * the operator, without secrets, where TLS is asked for in a way that cannot be had.
 */
export function readDatabaseUrl(url: string): DatabaseAddress {
  const { hostname, port, username, password, pathname, searchParams } = new URL(url)
  const given = (name: string) => searchParams.get(name) ?? ''
  const host = given('host') || decodeURIComponent(hostname)
  return {
    host,
    port: Number(given('port') || port),
    user: given('user') || decodeURIComponent(username),
    password: given('password') || decodeURIComponent(password),
    database: given('dbname') || decodeURIComponent(pathname.slice(1)),
    options: given('options'),
    ssl: tlsOf(host, [...searchParams.keys()], given),
  }
}

const known = [
  ...['ssl', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'sslpassword'],
  // Left out: nothing is less safe without them.
  ...['sslnegotiation', 'sslcompression', 'sslsni'],
]
/** Words of other drivers. */
const modes: Readonly<Record<string, string>> = {
  true: 'require',
  '1': 'require',
  'no-verify': 'require',
  false: 'disable',
  '0': 'disable',
}

function tlsOf(
  host: string,
  names: readonly string[],
  given: (name: string) => string,
): false | TlsOptions {
  const strange = names.find((name) => name.startsWith('ssl') && !known.includes(name))
  if (strange !== undefined) throw new Error(`${strange} is not supported`)
  const root = given('sslrootcert')
  const word = given('sslmode') || given('ssl') || (root ? 'verify-full' : 'disable')
  const mode = modes[word] ?? word
  if (mode === 'disable') return false
  const own = {
    ...(host && { host }),
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
  // `require` as well, as with libpq: who names an authority wants it asked.
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
