import { describe, expect, test } from 'bun:test'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { connect, type Sql } from '../../../src/storage/postgres/db.ts'
import { testDatabase } from '../../support/postgres.ts'
import { startTcpRelay, type TcpRelay } from '../../support/tcp-relay.ts'

/**
 * Connections that die or are refused an answer when PostgreSQL has let the client in, while the
 * client asks for what it has to know before its first statement.
 */

const settings = ['in_hot_standby', 'default_transaction_read_only']
const servers = {
  PostgreSQL: settings,
  // It does not say by itself whether it takes writes, nor does a pooler.
  'PostgreSQL 13': [],
}
const ends = {
  closes: (socket: Socket) => void socket.end(),
  resets: (socket: Socket) => void socket.resetAndDestroy(),
  'leaves unanswered': () => {},
}
const wishes = { 'a statement': 'sql`select 1`', 'a reservation': 'sql.reserve()' }

const cases = Object.keys(servers).flatMap((server) =>
  Object.keys(ends).flatMap((end) =>
    Object.keys(wishes).map((wish) => [wish, server, end] as const),
  ),
)

describe('it is not the process that dies, and its caller is told', () => {
  test.concurrent.each(cases as [keyof typeof wishes, keyof typeof servers, keyof typeof ends][])(
    'where %s is wanted of a connection that %s %s',
    async (wish, server, end) => {
      const { url, stop } = await startServer(servers[server], ends[end])
      expect(await run(wishes[wish], url)).toEqual({ said: 'unavailable\n', error: '', code: 0 })
      stop()
    },
  )
})

describe('where the next connection lives', () => {
  test.each([1, 2])('those who want one get it after %i that died', async (deaths) => {
    const database = await testDatabase()
    const address = new URL(database.url)
    const relay = await startTcpRelay(Number(address.port))
    address.port = `${relay.port}`
    let left = deaths
    relay.watch(() => ({
      fromClient: (bytes) =>
        bytes.includes('pg_catalog.pg_type') && left-- > 0 ? Promise.resolve('drop') : undefined,
      fromServer: () => undefined,
    }))
    const sql = connect(address.href, { max: 2, name: 'broken off' })
    async function reserve() {
      const reserved = await sql.reserve()
      await reserved`select 1`
      reserved.release()
    }
    await Promise.all([reserve(), reserve(), sql`select 1`, reserve()])
    expect(left).toBeLessThanOrEqual(0)
    await sql.end({ timeout: 1 })
    relay.stop()
    await database.drop()
  })
})

describe('a connection that is refused such an answer is given up', () => {
  const wishes = {
    'a statement': (sql: Sql) => sql`select array['a', 'b'] as list`,
    'a reservation': async (sql: Sql) => {
      const reserved = await sql.reserve()
      const rows = await wishes['a statement'](reserved)
      reserved.release()
      return rows
    },
  }

  test.each(Object.keys(wishes) as (keyof typeof wishes)[])(
    'and %s gets no array as text',
    async (wish) => {
      const { sql, relay, stop } = await start()
      misspell(relay, { fromClient: ['pg_catalog.pg_type', 'pg_catalog.pg_typo'], times: 1 })
      const two = [wishes[wish](sql), wishes[wish](sql)]
      expect(await outcomes(two)).toEqual(['42P01', [{ list: ['a', 'b'] }]])
      await stop()
    },
  )

  test('and nothing is read from a server that was not asked whether it takes writes', async () => {
    const { database, sql, relay, stop } = await start()
    await database.sql.unsafe(
      `alter database ${new URL(database.url).pathname.slice(1)} set default_transaction_read_only = on`,
    )
    misspell(relay, {
      fromServer: ['in_hot_standby', 'in_hot_standbi'],
      fromClient: ['pg_is_in_recovery', 'pg_is_in_recoveri'],
      times: 1,
    })
    expect(await outcomes([sql`select 1`, sql`select 1`])).toEqual([
      '42883',
      'CONNECTION_UNSUITABLE',
    ])
    await stop()
  })

  /** A pool of one connection, which goes through a relay. */
  async function start() {
    const database = await testDatabase()
    const address = new URL(database.url)
    const relay = await startTcpRelay(Number(address.port))
    address.port = `${relay.port}`
    const sql = connect(address.href, { max: 1, name: 'refused' })
    async function stop() {
      await sql.end({ timeout: 1 })
      relay.stop()
      await database.drop()
    }
    return { database, sql, relay, stop }
  }

  /** Puts the second text for the first: always in what comes from the server, else so often. */
  function misspell(
    relay: TcpRelay,
    { fromServer, fromClient, times }: { fromServer?: Pair; fromClient: Pair; times: number },
  ): void {
    let left = times
    relay.watch(() => ({
      fromClient(bytes) {
        if (left > 0 && replace(bytes, fromClient)) left--
        return undefined
      },
      fromServer(bytes) {
        if (fromServer) replace(bytes, fromServer)
        return undefined
      },
    }))
  }

  type Pair = readonly [string, string]

  function replace(bytes: Buffer, [text, other]: Pair): boolean {
    const at = bytes.indexOf(text)
    if (at >= 0) bytes.write(other, at)
    return at >= 0
  }

  /** What each resolves to, or the code it rejects with. */
  function outcomes(all: readonly PromiseLike<unknown>[]): Promise<readonly unknown[]> {
    return Promise.all(
      all.map((one) =>
        one.then(
          (rows) => [...(rows as Iterable<unknown>)],
          ({ code }) => code,
        ),
      ),
    )
  }
})

/**
 * Starts a server that lets every client in, reports these settings as `off`, and then ends each
 * connection as soon as it is asked anything.
 */
async function startServer(settings: readonly string[], end: (socket: Socket) => void) {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => {
      socket.write(message('R', '\0\0\0\0'))
      for (const name of settings) socket.write(message('S', `${name}\0off\0`))
      socket.write(message('Z', 'I'))
      socket.once('data', () => end(socket))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { url: `postgres://me@127.0.0.1:${port}/db`, stop: () => server.close() }
}

/** A message of PostgreSQL's protocol: a letter, a length that counts itself, and a body. */
function message(letter: string, body: string): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(4 + body.length)
  return Buffer.concat([Buffer.from(letter), length, Buffer.from(body)])
}

/** Wants this of a pool in a process of its own, and closes the pool. Answers how that went. */
async function run(wish: string, url: string) {
  const script = `
    import { connect, within } from './src/storage/postgres/db.ts'
    const sql = connect(process.argv[1], { max: 1, name: 'broken off' })
    within(() => ${wish}, 1_000)
      .catch(({ reason }) => console.log(reason))
      .then(() => sql.end({ timeout: 0 }))
      .then(() => setTimeout(process.exit, 100))`
  const child = Bun.spawn([process.execPath, '-e', script, url], {
    cwd: join(import.meta.dir, '../../..'),
    stderr: 'pipe',
  })
  const [said, error] = await Promise.all([child.stdout.text(), child.stderr.text()])
  return { said, error, code: await child.exited }
}
