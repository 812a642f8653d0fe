import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join, relative } from 'node:path'
import { connect, type Sql } from '../../../../src/storage/postgres/db.ts'
import { joinEmbedded, startEmbedded } from '../../../../src/storage/postgres/embedded/embedded.ts'
import { postmasterPid, serverFolder } from '../../../support/postgres.ts'
import { eventually } from '../../../support/wait.ts'

let dataDir: string
beforeEach(() => {
  dataDir = serverFolder()
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

describe('a first start', () => {
  test('serves a durable, private database from a folder given by a relative path', async () => {
    const server = await startEmbedded({ dataDir: relative(process.cwd(), join(dataDir, 'a b')) })
    const settings = await query(
      server.url,
      (sql) => sql`
      select current_setting('fsync') as fsync, current_setting('full_page_writes') as pages,
        current_setting('synchronous_commit') as commits, current_setting('listen_addresses') as listens,
        current_setting('timezone') as zone, current_setting('server_encoding') as encoding`,
    )
    expect(settings).toMatchObject([
      {
        ...{ fsync: 'on', pages: 'on', commits: 'on' },
        ...{ listens: '127.0.0.1', zone: 'UTC', encoding: 'UTF8' },
      },
    ])
    const intruder = server.url.replace(/:[0-9a-f]{48}@/, ':guess@')
    await expect(query(intruder, (sql) => sql`select 1`)).rejects.toThrow('authentication failed')
    await server.stop()
  })

  test('that died half-way never passes for a database', async () => {
    mkdirSync(join(dataDir, 'postgres/data.new'), { recursive: true })
    writeFileSync(join(dataDir, 'postgres/data.new/PG_VERSION'), '18\n')
    const server = await startEmbedded({ dataDir, durable: false })
    await expectServing(server.url)
    await server.stop()
  })
})

describe('several processes on one folder', () => {
  test('of two that start at once exactly one gets a server, the other a sentence', async () => {
    const services = [startService(dataDir), startService(dataDir)]
    const answers = await Promise.all(services.map((service) => service.answer))
    expect(answers.filter((answer) => answer.startsWith('postgres://'))).toHaveLength(1)
    expect(answers).toContain(
      `Another process is using ${dataDir}; stop it or set another DATA_DIR`,
    )
    await Promise.all(services.map((service) => service.stop()))
  })

  test('one that joins while a service starts waits for its server and never stops it', async () => {
    const service = startService(dataDir)
    // The lock file exists before the lock is held; the holder creates this folder.
    await eventually(() => existsSync(join(dataDir, 'postgres')))
    const joined = await joinEmbedded({ dataDir })
    expect(joined.url).toBe(await service.answer)
    await joined.stop()
    await expectServing(joined.url)
    await service.stop()
  })

  test('a service waits for a command that has the data, and says so once', async () => {
    const command = await joinEmbedded({ dataDir, durable: false })
    const waiting = Promise.withResolvers<void>()
    let timesSaid = 0
    const onWait = () => {
      timesSaid += 1
      waiting.resolve()
    }
    const starting = startEmbedded({ dataDir, durable: false, onWait })
    await Promise.race([waiting.promise, starting])
    await expectServing(command.url)
    await expect(startEmbedded({ dataDir })).rejects.toThrow('Another process is using')
    await command.stop()
    const service = await starting
    await expectServing(service.url)
    expect(timesSaid).toBe(1)
    await service.stop()
  })

  test('commands take turns: none is left without a database as the one that started it ends', async () => {
    const first = await joinEmbedded({ dataDir, durable: false })
    const joining = joinEmbedded({ dataDir, durable: false })
    // Long enough to join the first one's server.
    await Bun.sleep(200)
    await first.stop()
    const second = await joining
    await expectServing(second.url)
    await second.stop()
  })

  test('one that joins nobody starts a server and ends it', async () => {
    const joined = await joinEmbedded({ dataDir, durable: false })
    const pid = postmasterPid(dataDir)
    await joined.stop()
    expect(isAlive(pid)).toBe(false)
    expect(await Bun.file(join(dataDir, 'postgres.url')).exists()).toBe(false)
  })
})

describe('a service that is killed', () => {
  test.each(['alone', 'together with its server'])(
    '%s loses no committed row: the next start ends what is left of its server',
    async (how) => {
      const service = startService(dataDir)
      await fill(await service.answer)
      const orphan = postmasterPid(dataDir)
      if (how !== 'alone') process.kill(orphan, 'SIGKILL')
      await service.kill()
      if (how === 'alone') expect(isAlive(orphan)).toBe(true)
      else await eventually(() => !isAlive(orphan))
      const server = await startEmbedded({ dataDir })
      expect(isAlive(orphan)).toBe(false)
      expect(await filled(server.url)).toBe(1000)
      await server.stop()
    },
  )

  test('never has a stranger pay for it whose pid its server once had', async () => {
    const first = await startEmbedded({ dataDir, durable: false })
    const data = realpathSync(join(dataDir, 'postgres/data'))
    const lines = await Bun.file(join(data, 'postmaster.pid')).text()
    await first.stop()
    const stranger = Bun.spawn(['sleep', '60'])
    writeFileSync(join(data, 'postmaster.pid'), lines.replace(/^\d+/, `${stranger.pid}`))
    const second = await startEmbedded({ dataDir, durable: false })
    expect(stranger.exitCode).toBeNull()
    await second.stop()
    stranger.kill()
  })
})

test('Ctrl-C reaches the service, which still has its database while it drains', async () => {
  const service = startService(dataDir)
  await service.answer
  process.kill(-service.pid, 'SIGINT')
  expect(await service.lastWords()).toBe('drained with 1')
})

test('a process that exits without stopping its server takes that along in order', async () => {
  const service = startService(dataDir)
  await service.answer
  const pid = postmasterPid(dataDir)
  process.kill(service.pid, 'SIGTERM')
  await eventually(() => !isAlive(pid))
  expect(existsSync(join(dataDir, 'postgres/data/postmaster.pid'))).toBe(false)
})

describe('a signal to stop', () => {
  test('ends the wait for another process, and leaves the data to that', async () => {
    const command = await joinEmbedded({ dataDir, durable: false })
    for (const start of [startEmbedded, joinEmbedded]) {
      const ending = new AbortController()
      const started = start({ dataDir, signal: ending.signal })
      ending.abort('enough')
      await expect(started).rejects.toBe('enough')
    }
    await expectServing(command.url)
    await command.stop()
  })

  test('in the midst of a start leaves no server, and the data to the next one', async () => {
    const ending = new AbortController()
    const started = startEmbedded({ dataDir, durable: false, signal: ending.signal })
    const pidFile = join(dataDir, 'postgres/data/postmaster.pid')
    await eventually(() => existsSync(pidFile))
    ending.abort('enough')
    await expect(started).rejects.toBe('enough')
    expect(existsSync(pidFile)).toBe(false)
    const next = await joinEmbedded({ dataDir, durable: false })
    await next.stop()
  })
})

const asRoot = test.skipIf(process.getuid?.() !== 0)

asRoot("root's private DATA_DIR keeps the data in itself, closed to others' eyes", async () => {
  chmodSync(dataDir, 0o700)
  const server = await startEmbedded({ dataDir, durable: false })
  expect(lstatSync(join(dataDir, 'postgres')).isSymbolicLink()).toBe(false)
  expect(statSync(dataDir).mode & 0o777).toBe(0o711)
  expect(statSync(join(dataDir, 'postgres.password')).mode & 0o777).toBe(0o600)
  await server.stop()
})

asRoot(
  "a DATA_DIR below root's private folder holds a link to data that survives a restart and a move",
  async () => {
    chmodSync(dataDir, 0o700)
    const before = join(dataDir, 'before')
    const after = join(dataDir, 'after')
    const first = await startEmbedded({ dataDir: before })
    expect(first.folder).toBe(realpathSync(join(before, 'postgres')))
    await fill(first.url)
    await first.stop()
    mkdirSync(after)
    for (const name of ['postgres', 'postgres.password']) {
      await Bun.$`mv ${join(before, name)} ${join(after, name)}`
    }
    const second = await startEmbedded({ dataDir: after })
    expect(await filled(second.url)).toBe(1000)
    await second.stop()
    rmSync(realpathSync(join(after, 'postgres')), { recursive: true })
  },
)

asRoot('a copy of such a DATA_DIR that follows the link is a backup', async () => {
  chmodSync(dataDir, 0o700)
  const first = await startEmbedded({ dataDir: join(dataDir, 'lost') })
  await fill(first.url)
  await first.stop()
  await Bun.$`cp -RLp ${join(dataDir, 'lost')} ${join(dataDir, 'restored')}`
  rmSync(first.folder, { recursive: true })
  rmSync(join(dataDir, 'lost'), { recursive: true })
  chmodSync(dataDir, 0o755)
  const second = await startEmbedded({ dataDir: join(dataDir, 'restored') })
  expect(await filled(second.url)).toBe(1000)
  await second.stop()
})

test('where the data is gone that a link leads to, it is said what to do, and nothing is started', async () => {
  symlinkSync(join(dataDir, 'gone'), join(dataDir, 'postgres'))
  await expect(startEmbedded({ dataDir })).rejects.toThrow(
    `leads to ${join(dataDir, 'gone')}, where the data of the embedded PostgreSQL was`,
  )
})

/**
 * A separate process that starts the server, prints its URL or the error, drains on SIGINT, and
 * exits at once on SIGTERM.
 */
function startService(dataDir: string) {
  const script = `
    import { connect } from './src/storage/postgres/db.ts'
    import { startEmbedded } from './src/storage/postgres/embedded/embedded.ts'
    const server = await startEmbedded({ dataDir: process.env.FOLDER }).catch((error) => {
      console.log(error.message)
      process.exit(1)
    })
    process.once('SIGTERM', () => process.exit(1))
    process.once('SIGINT', async () => {
      await Bun.sleep(300)
      const sql = connect(server.url, { max: 1, name: 'drain' })
      const [row] = await sql\`select 1 as one\`
      await sql.end()
      await server.stop()
      console.log('drained with ' + row.one)
    })
    console.log(server.url)`
  const child = Bun.spawn([process.execPath, '-e', script], {
    cwd: join(import.meta.dir, '../../../..'),
    // Tests run under `bun --no-orphans`. Inherited, it would end the service's server with the
    // service.
    env: { ...process.env, FOLDER: dataDir, BUN_FEATURE_FLAG_NO_ORPHANS: undefined },
    stderr: 'inherit',
    detached: true,
  })
  const lines = child.stdout.pipeThrough(new TextDecoderStream()).getReader()
  const line = async () => (await lines.read()).value?.trim() ?? ''
  return {
    pid: child.pid,
    answer: line(),
    lastWords: line,
    async stop() {
      child.kill('SIGINT')
      await child.exited
    },
    async kill() {
      child.kill('SIGKILL')
      await child.exited
    },
  }
}

async function query<T>(url: string, ask: (sql: Sql) => PromiseLike<T>): Promise<T> {
  const sql = connect(url, { max: 1, name: 'embedded test' })
  try {
    return await ask(sql)
  } finally {
    await sql.end({ timeout: 1 })
  }
}

async function expectServing(url: string): Promise<void> {
  expect(await query(url, (sql) => sql`select 1 as one`)).toMatchObject([{ one: 1 }])
}

async function fill(url: string): Promise<void> {
  await query(url, (sql) => sql`create table kept as select generate_series(1, 1000) as id`)
}

async function filled(url: string): Promise<number> {
  const rows = await query(url, (sql) => sql`select from kept`)
  return rows.length
}

/** A zombie counts as ended; only its parent has not noticed. */
function isAlive(pid: number): boolean {
  const state = Bun.spawnSync(['ps', '-o', 'stat=', '-p', `${pid}`]).stdout.toString()
  return state !== '' && !state.startsWith('Z')
}
