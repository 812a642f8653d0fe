import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { postgresBackend } from '../../src/queues/backends/postgres.ts'
import { connect, type Sql, withoutTimeLimit } from '../../src/storage/postgres/db.ts'
import { type Embedded, startEmbedded } from '../../src/storage/postgres/embedded/embedded.ts'
import { migrate } from '../../src/storage/postgres/migrate.ts'

export type TestDatabase = {
  readonly url: string
  readonly sql: Sql
  drop(): Promise<void>
}

/** Names the run's one server to test processes. */
export const clusterVariable = 'QUITTANCE_TEST_CLUSTER'
const template = 'quittance_template'

let server: Promise<Server> | undefined
type Server = { readonly url: string; readonly admin: Sql }

/** For one test, on a real server. */
export async function testDatabase(): Promise<TestDatabase> {
  const database = await emptyDatabase(template)
  const sql = connect(database.url, { max: 4, name: 'test' })
  return {
    url: database.url,
    sql,
    async drop() {
      await sql.end({ timeout: 1 })
      await database.drop()
    },
  }
}

/** Without tables, or a copy of `from`. */
export async function emptyDatabase(
  from = 'template0',
): Promise<{ url: string; drop(): Promise<void> }> {
  server ??= openServer()
  const { url, admin } = await server
  const name = `test_${randomUUID().replaceAll('-', '')}`
  // A run makes 300; the default strategy would write 10 MB of WAL for each.
  const copied = `template ${from} strategy file_copy`
  await admin.unsafe(`create database ${name} ${copied}`)
  return {
    url: withDatabase(url, name),
    async drop() {
      await admin.unsafe(`drop database if exists ${name} with (force)`)
    },
  }
}

/** With a migrated template database. It ends with this process, however that ends. */
export async function startCluster(): Promise<Embedded> {
  const dataDir = serverFolder(roomyMemory() ?? tmpdir())
  const server = await startEmbedded({ dataDir, durable: false })
  const release = endWithUs(postmasterPid(dataDir), dataDir)
  const admin = connect(server.url, { max: 1, name: 'test admin' })
  await admin.unsafe(`create database ${template}`)
  await admin.end()
  const sql = connect(withDatabase(server.url, template), { max: 2, name: 'template' })
  await migrate(sql)
  await sql.end()
  // Otherwise every service would create the queues' tables when it starts.
  const queues = await postgresBackend(withDatabase(server.url, template), console)
  await queues.close()
  return {
    url: server.url,
    folder: server.folder,
    async stop() {
      await server.stop()
      release()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** Readable by the other user that may run the server. */
export function serverFolder(parent = tmpdir()): string {
  const folder = mkdtempSync(join(parent, 'quittance-test-'))
  chmodSync(folder, 0o755)
  return folder
}

/** The file system in memory, if it has 4 GiB free: copying a database's files is slow on disk. */
function roomyMemory(): string | null {
  const memory = '/dev/shm'
  if (!existsSync(memory)) return null
  const { bavail, bsize } = statfsSync(memory)
  return bavail * bsize > 4 * 2 ** 30 ? memory : null
}

export function postmasterPid(dataDir: string): number {
  return Number(readFileSync(join(dataDir, 'postgres/data/postmaster.pid'), 'utf8').split('\n')[0])
}

/**
 * Once this process has ended, a guard stops the server `pid` and removes `folder`: bun runs no
 * exit hooks in tests, and SIGKILL skips them. The kernel closes our end of its pipe. Call the
 * returned function after you stopped the server yourself.
 */
export function endWithUs(pid: number, folder: string): () => void {
  // Where nothing reaps orphans, the ended server remains a zombie.
  const script = `read -r _ || {
    kill -INT $1; n=0
    while [ $n -lt 100 ] && kill -0 $1; do sleep 0.1; n=$((n + 1)); done
    rm -rf "$2"
  }`
  const guard = spawn('sh', ['-c', script, 'guard', `${pid}`, folder], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  guard.unref()
  return () => void guard.stdin.end('ended\n')
}

async function openServer(): Promise<Server> {
  const url = process.env[clusterVariable] ?? (await startCluster()).url
  // Copying files can take longer than the usual statement timeout.
  const admin = withoutTimeLimit(
    connect(withDatabase(url, 'postgres'), { max: 1, name: 'test admin' }),
  )
  return { url, admin }
}

function withDatabase(url: string, name: string): string {
  const changed = new URL(url)
  changed.pathname = `/${name}`
  return changed.href
}
