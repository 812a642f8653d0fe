import { type ChildProcess, spawn } from 'node:child_process'
import * as fs from 'node:fs/promises'
import { join } from 'node:path'
import { exists, textOf, writePrivate } from './files.ts'
import { EmbeddedError, type Home } from './home.ts'

const startLimitMs = 120_000
const stopLimitMs = 10_000

/** Creates all files of the database if there are none. */
export async function initialiseData(
  home: Home,
  password: string,
  durable: boolean,
): Promise<void> {
  if (await exists(home.data)) return
  // A first start that died half-way must not pass for a database.
  const staging = `${home.data}.new`
  const passwordFile = join(home.links, 'password')
  await fs.rm(staging, { recursive: true, force: true })
  await fs.mkdir(staging, { mode: 0o700 })
  await writePrivate(passwordFile, password)
  if (home.user) {
    for (const path of [staging, passwordFile]) {
      await fs.chown(path, home.user.uid, home.user.gid)
    }
  }
  const initdb = launch(home, 'initdb', [
    ...['-D', staging, '-U', 'postgres', '--auth=scram-sha-256', `--pwfile=${passwordFile}`],
    // Text is ordered by its bytes; capitals are those of all of Unicode.
    ...['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--encoding=UTF8'],
    ...['--no-instructions', ...(durable ? [] : ['--no-sync'])],
  ])
  await initdb.ended
  await fs.rm(passwordFile)
  if (initdb.child.exitCode !== 0) throw new EmbeddedError(`initdb failed: ${initdb.output()}`)
  await fs.rename(staging, home.data)
}

const settings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: 200,
  shared_buffers: '256MB',
  max_wal_size: '2GB',
  checkpoint_timeout: '15min',
  random_page_cost: 1.1,
  jit: 'off',
}
const withoutDurability = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }

// Another process took the port, or backends of a killed server have not ended yet.
const passing = /already in use|still in use/

/**
 * Starts the server on a free port and waits until it is ready. `stalePid` is from `stopLeftover`.
 * Throws `EmbeddedError` with the server's own words, or the reason of `signal`.
 */
export async function startServer(
  home: Home,
  options: {
    readonly durable: boolean
    readonly stalePid: string
    readonly signal: AbortSignal | undefined
  },
): Promise<{ server: Program; port: number }> {
  const { durable, stalePid, signal } = options
  const deadline = Date.now() + startLimitMs
  while (true) {
    const port = freePort()
    const values = { ...settings, port, ...(durable ? {} : withoutDurability) }
    const set = Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    // pg_ctl's way to say that the pid in postmaster.pid is no server. Without that file PostgreSQL
    // could not check that no old backend is still writing.
    const environment = { PG_GRANDPARENT_PID: stalePid }
    const server = launch(home, 'postgres', ['-D', home.data, ...set], environment)
    const isReady = await becomesReady(server, home.data, deadline, signal)
    if (isReady && !signal?.aborted) return { server, port }
    await stopServer(server)
    signal?.throwIfAborted()
    if (!passing.test(server.output()) || Date.now() > deadline) {
      throw new EmbeddedError(`PostgreSQL did not start: ${server.output()}`)
    }
    await Bun.sleep(100)
  }
}

/** Waits until the eighth line of the pid file is `ready`. */
async function becomesReady(
  server: Program,
  data: string,
  deadline: number,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  let hasEnded = false
  void server.ended.then(() => {
    hasEnded = true
  })
  while (!hasEnded && !signal?.aborted && Date.now() < deadline) {
    const lines = await pidFile(data)
    if (Number(lines[0]) === server.child.pid && lines[7]?.trim() === 'ready') return true
    await Bun.sleep(10)
  }
  return false
}

type Program = {
  readonly child: ChildProcess
  readonly ended: Promise<void>
  output(): string
}

function launch(home: Home, name: string, args: readonly string[], environment = {}): Program {
  const libraries = `${home.links}:${join(home.native, 'lib')}`
  const child = spawn(join(home.native, 'bin', name), args, {
    // A process group of its own: Ctrl-C must reach only this process.
    detached: true,
    cwd: home.links,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...{ TZ: 'UTC', LC_ALL: 'C', LD_LIBRARY_PATH: libraries, DYLD_LIBRARY_PATH: libraries },
      ...environment,
    },
    ...home.user,
  })
  let text = ''
  const hear = (said: unknown) => {
    text = `${text}${said}`.slice(-4_000)
  }
  child.stdout.on('data', hear)
  child.stderr.on('data', hear)
  const endWithUs = () => void child.kill('SIGINT')
  process.on('exit', endWithUs)
  const ended = new Promise<void>((done) => {
    child.once('close', () => done())
    child.once('error', (error) => {
      hear(error.message)
      done()
    })
  }).finally(() => process.off('exit', endWithUs))
  return { child, ended, output: () => text }
}

/** In order, and after ten seconds at once. */
export async function stopServer({ child, ended }: Program): Promise<void> {
  // SIGINT rolls back open transactions; committed ones are on disk.
  child.kill('SIGINT')
  const late = setTimeout(() => child.kill('SIGQUIT'), stopLimitMs)
  await ended
  clearTimeout(late)
}

/** Ends a server whose parent was killed. Returns the pid in its pid file. */
export async function stopLeftover(base: string): Promise<string> {
  const data = join(base, 'data')
  const [pid = ''] = await pidFile(data)
  const isRunning = async () => (await commandOf(pid)).includes(`postgres -D ${data} `)
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    if (pid === '' || !(await isRunning())) return pid
    process.kill(Number(pid), signal)
    const deadline = Date.now() + stopLimitMs
    while ((await isRunning()) && Date.now() < deadline) await Bun.sleep(20)
  }
  if (await isRunning()) throw new EmbeddedError(`A PostgreSQL left behind (${pid}) does not stop`)
  return pid
}

async function pidFile(data: string): Promise<readonly string[]> {
  return (await textOf(join(data, 'postmaster.pid'))).split('\n')
}

/** The command line of a process; empty when it is gone. Small Linux images lack `ps`. */
async function commandOf(pid: string): Promise<string> {
  if (process.platform === 'linux') {
    return (await textOf(`/proc/${pid}/cmdline`)).replaceAll('\0', ' ')
  }
  const ps = Bun.spawn(['ps', '-ww', '-o', 'args=', '-p', pid], { stderr: 'ignore' })
  return new Response(ps.stdout).text()
}

function freePort(): number {
  const probe = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
  probe.stop(true)
  return probe.port
}
