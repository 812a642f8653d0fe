import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { chownSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, connect as dial, type Server } from 'node:net'
import { join } from 'node:path'
import { postgresBackend } from '../../../src/queues/backends/postgres.ts'
import { hostsAndPorts, readDatabaseUrl } from '../../../src/storage/postgres/database-url.ts'
import { connect, within } from '../../../src/storage/postgres/db.ts'
import { type Embedded, startEmbedded } from '../../../src/storage/postgres/embedded/embedded.ts'
import { testEnv } from '../../support/app.ts'
import { authority } from '../../support/certificate.ts'
import { quittance } from '../../support/cli.ts'
import { databaseAuthority, localhost } from '../../support/database-certificate.ts'
import { hasIPv6 } from '../../support/ipv6.ts'
import { endWithUs, postmasterPid, serverFolder } from '../../support/postgres.ts'
import { startService } from '../../support/service.ts'
import { startTcpRelay } from '../../support/tcp-relay.ts'
import { eventually } from '../../support/wait.ts'

/**
 * A PostgreSQL that only accepts encrypted connections. Its certificate is for `localhost`, issued
 * by an unknown authority.
 */

let dataDir: string
let server: Embedded
let release: () => void

beforeAll(async () => {
  dataDir = serverFolder()
  server = await startEmbedded({ dataDir, durable: false })
  release = endWithUs(postmasterPid(dataDir), dataDir)
  const data = join(server.folder, 'data')
  const { uid, gid } = statSync(data)
  for (const [name, text] of [
    ['server.crt', localhost.cert],
    ['server.key', localhost.key],
    ['clients.crt', databaseAuthority],
  ] as const) {
    writeFileSync(join(data, name), text, { mode: 0o600 })
    chownSync(join(data, name), uid, gid)
  }
  const rules = join(data, 'pg_hba.conf')
  const encrypted = readFileSync(rules, 'utf8').replaceAll(/^host /gm, 'hostssl ')
  const certified = 'hostssl all certified samehost scram-sha-256 clientcert=verify-ca'
  writeFileSync(rules, `${certified}\n${encrypted}`)
  const sql = connect(server.url, { max: 1, name: 'test' })
  await sql.unsafe(
    `create role certified superuser login password '${new URL(server.url).password}'`,
  )
  await sql`alter system set ssl = on`
  await sql`alter system set ssl_ca_file = 'clients.crt'`
  await sql`select pg_reload_conf()`
  await sql.end()
  writeFileSync(join(dataDir, 'ca.crt'), databaseAuthority)
  writeFileSync(join(dataDir, 'other.crt'), authority)
  writeFileSync(join(dataDir, 'client.crt'), localhost.cert)
  writeFileSync(join(dataDir, 'client.key'), localhost.key)
})
afterAll(async () => {
  await server.stop()
  release()
  rmSync(dataDir, { recursive: true, force: true })
})

/** The server's URL with these parameters. Names of files become paths in the test's folder. */
function url(parameters: string, hostname = 'localhost'): string {
  const made = new URL(server.url)
  made.hostname = hostname
  made.search = parameters.replaceAll(/\w+\.(?:crt|key)/g, (name) => join(dataDir, name))
  return made.href
}

/** The outcome of each driver: `encrypted`, or the error. */
async function outcomes(databaseUrl: string): Promise<readonly string[]> {
  const sql = connect(databaseUrl, { max: 1, name: 'test' })
  const ours = await sql<{ ssl: boolean }[]>`
    select ssl from pg_stat_ssl where pid = pg_backend_pid()`
    .then(([row]) => (row?.ssl ? 'encrypted' : 'not encrypted'))
    .catch((error: Error) => error.message)
  await sql.end({ timeout: 1 })
  const queues = await postgresBackend(databaseUrl, { warn() {}, error() {} })
    .then(async (backend) => {
      await backend.close()
      return 'encrypted'
    })
    .catch((error: Error) => error.message)
  return [ours, queues]
}

/** A port of `::1` that leads to the server. */
async function doorOnIPv6(): Promise<Server> {
  const door = createServer((client) => {
    const onward = dial(Number(new URL(server.url).port), '127.0.0.1')
    client.on('error', () => onward.destroy()).pipe(onward)
    onward.on('error', () => client.destroy()).pipe(client)
  })
  await new Promise<void>((resolve) => door.listen(0, '::1', resolve))
  return door
}

describe('both drivers', () => {
  test.each([
    ['require', 'localhost'],
    ['require', '127.0.0.1'],
    ['require&sslrootcert=ca.crt', '127.0.0.1'],
    ['verify-ca&sslrootcert=ca.crt', '127.0.0.1'],
    ['verify-full&sslrootcert=ca.crt', 'localhost'],
    ['require&channel_binding=require&uselibpqcompat=true&connect_timeout=9', 'localhost'],
    ['require&pgbouncer=true&options=-c%20work_mem%3D8MB', 'localhost'],
  ])('speak encrypted: sslmode=%s to %s', async (parameters, host) => {
    expect(await outcomes(url(`sslmode=${parameters}`, host))).toEqual(['encrypted', 'encrypted'])
  })

  test.each([
    ['verify-full&sslrootcert=ca.crt', '127.0.0.1'],
    ['verify-full&sslrootcert=system', 'localhost'],
    ['verify-full', 'localhost'],
    ['verify-ca&sslrootcert=other.crt', 'localhost'],
    ['require&sslrootcert=other.crt', 'localhost'],
  ])('refuse whoever cannot prove who it is: sslmode=%s to %s', async (parameters, host) => {
    for (const outcome of await outcomes(url(`sslmode=${parameters}`, host)))
      expect(outcome).toMatch(/certificate|altnames/i)
  })

  test.skipIf(!hasIPv6)('reach a server by its IPv6 address', async () => {
    const door = await doorOnIPv6()
    const made = new URL(url('sslmode=require', '[::1]'))
    made.port = String((door.address() as AddressInfo).port)
    expect(await outcomes(made.href)).toEqual(['encrypted', 'encrypted'])
    made.hostname = 'nowhere.invalid'
    made.searchParams.set('host', '::1')
    expect(await outcomes(made.href)).toEqual(['encrypted', 'encrypted'])
    door.close()
  })

  test('show a certificate of their own to whoever asks for one', async () => {
    const told = 'user=certified&sslmode=require'
    for (const outcome of await outcomes(url(told))) expect(outcome).toContain('client certificate')
    const shown = url(`${told}&sslcert=client.crt&sslkey=client.key`)
    expect(await outcomes(shown)).toEqual(['encrypted', 'encrypted'])
  })

  test.each(['', 'sslmode=disable', 'ssl=false'])('encrypt only when told: %s', async (told) => {
    for (const outcome of await outcomes(url(told))) expect(outcome).toContain('no encryption')
  })
})

test('a service without Redis starts where a certificate cannot be verified, and the doctor sees its queues', async () => {
  const env = testEnv(url('sslmode=require&channel_binding=require'), { LOG_LEVEL: 'info' })
  const service = await startService(env)
  const { json } = await quittance(env, 'doctor', '--json')
  expect(json).toContainEqual(expect.objectContaining({ what: 'queues', verdict: 'ok' }))
  expect(await service.stop()).toBe(0)
})

test.each([
  ['a certificate that proves nothing', 'sslmode=verify-full', 'localhost'],
  ['a certificate for another name', 'sslmode=verify-full&sslrootcert=ca.crt', '127.0.0.1'],
  ['a server that lets nobody in like this', '', 'localhost'],
])('%s is no fault of a statement: it is unavailable', async (_, told, host) => {
  const sql = connect(url(told, host), { max: 1, name: 'test' })
  const error = await within(() => sql`select 1`).catch((error) => error)
  expect(error).toMatchObject({ reason: 'unavailable', retryAfterSeconds: 1 })
  await sql.end({ timeout: 1 })
})

describe('a URL', () => {
  const base = 'postgres://ada:p%40ss@db.test:5433/money'

  test('is taken apart, its parameters before its parts', () => {
    const parts = {
      user: 'ada',
      password: 'p@ss',
      database: 'money',
      options: '',
      ssl: false,
    } as const
    expect(readDatabaseUrl(base)).toEqual({ servers: [{ host: 'db.test', port: 5433 }], ...parts })
    expect(readDatabaseUrl('postgres:///money?host=/run/postgresql&user=ada')).toEqual({
      ...parts,
      ...{ servers: [{ host: '/run/postgresql', port: 0 }], password: '' },
    })
  })

  test('names an IPv6 address in brackets, which are none of it', () => {
    const address = readDatabaseUrl('postgres://u:p@[::1]:5433/db')
    expect(address).toMatchObject({ servers: [{ host: '::1', port: 5433 }] })
    expect(hostsAndPorts(address)).toEqual({ host: ['::1'], port: [5433] })
    const brief = readDatabaseUrl('postgres://u:p@[fe80::a]/db')
    expect(hostsAndPorts(brief)).toEqual({ host: ['fe80::a'], port: [5432] })
    const socket = readDatabaseUrl('postgres:///db?host=/run/postgresql')
    expect(hostsAndPorts(socket)).toEqual({ host: '/run/postgresql', port: 0 })
  })

  test.each([
    ['postgres://u:p%40,@a:1,b,[::1]:3/db?target_session_attrs=read-write', 'a 1 b 0 ::1 3'],
    ['postgres:///db?host=a,b&port=1,2', 'a 1 b 2'],
    ['postgres://u:p@x:9/db?host=a,b', 'a 9 b 9'],
    ['postgres://u:p@a,b/db?port=7', 'a 7 b 7'],
  ])('names several servers, as for psql: %s', (written, servers) => {
    const read = readDatabaseUrl(written).servers.flatMap(({ host, port }) => [host, port])
    expect(read.join(' ')).toBe(servers)
  })

  test.each([
    ['postgres://ada:50%off@db.test/money', 'the password has a % that begins no escape'],
    ['postgres://a%da:x@db.test/money', 'the user has a % that begins no escape'],
    ['postgres://ada:x@db.test/mon%y', 'the name of the database has a % that begins no escape'],
  ])(
    'whose percent sign begins no escape is refused, without the password: %s',
    (written, stderr) => {
      const read = () => readDatabaseUrl(written)
      expect(read).toThrow(`${stderr}: write %25 for it`)
      expect(read).not.toThrow('off')
    },
  )

  test.each([
    ['port=abc', 'port must be a number up to 65535'],
    ['port=5432,5433', 'it must name one port, or one for each host'],
    ['host=a,/run/postgresql', 'each of several hosts must be a name or an address'],
    ['port=65536', 'port must be a number up to 65535'],
    ['sslmode=prefer', 'sslmode must be disable, require, verify-ca or verify-full'],
    ['sslmod=verify-full', 'sslmod is not supported'],
    ['sslmode=verify-full&sslcrl=/x', 'sslcrl is not supported'],
    ['sslmode=verify-ca', 'sslmode=verify-ca needs sslrootcert'],
    ['sslmode=require&sslrootcert=system', 'sslrootcert=system needs sslmode=verify-full'],
    ['sslmode=require&sslrootcert=/none', 'sslrootcert cannot be read: ENOENT'],
  ])('that asks for what cannot be had is refused: %s', (parameters, stderr) => {
    expect(() => readDatabaseUrl(`${base}?${parameters}`)).toThrow(stderr)
  })
})

test('an encrypted connection that has died without a word is replaced too, by either driver', async () => {
  const relay = await startTcpRelay(Number(new URL(server.url).port))
  const relayed = new URL(url('sslmode=require', '127.0.0.1'))
  relayed.port = `${relay.port}`
  const sql = connect(relayed.href, { max: 1, name: 'silent' })
  const backend = await postgresBackend(relayed.href, { warn() {}, error() {} })
  const queue = backend.openQueue('silent')
  const asks = [() => within(() => sql`select 1`), () => queue.getJobCounts('waiting')]
  for (const ask of asks) await ask()
  relay.forget()
  const answered = (ask: () => Promise<unknown>) =>
    eventually(() =>
      ask().then(
        () => true,
        () => false,
      ),
    )
  await Promise.all(asks.map(answered))
  await queue.close()
  await backend.close()
  await sql.end({ timeout: 1 })
  relay.stop()
})
