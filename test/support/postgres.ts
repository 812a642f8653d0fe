import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { postgresBackend } from '../../src/queues/postgres-backend.ts'
import { connect, type Sql } from '../../src/storage/db.ts'
import { type Embedded, startEmbedded } from '../../src/storage/embedded.ts'
import { migrate } from '../../src/storage/migrate.ts'

export type TestDatabase = {
  readonly url: string
  readonly sql: Sql
  drop(): Promise<void>
}

/** Where `test/run.ts` tells the tests of a whole run about its one server. */
export const clusterVariable = 'QUITTANCE_TEST_CLUSTER'
const template = 'quittance_template'

let server: Promise<Server> | undefined
type Server = { readonly url: string; readonly admin: Sql }

/** A migrated database of its own on a real server; dropped by `drop`. */
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

/** A database without any tables, or a copy of another one. */
export async function emptyDatabase(
  from = 'template0',
): Promise<{ url: string; drop(): Promise<void> }> {
  server ??= openServer()
  const { url, admin } = await server
  const name = `test_${randomUUID().replaceAll('-', '')}`
  // Three hundred times a run: by way of the log, each would write ten megabytes of it.
  const copied = `template ${from} strategy file_copy`
  await admin.unsafe(`create database ${name} ${copied}`)
  return {
    url: withDatabase(url, name),
    async drop() {
      await admin.unsafe(`drop database if exists ${name} with (force)`)
    },
  }
}

/** Starts the server that tests run on, migrated template included. It ends with this process, however that ends. */
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
  // The queues' own tables as well: every service that starts would make them first.
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

/** A temporary folder that a server run by another user can reach, and all it will hold. */
export function serverFolder(parent = tmpdir()): string {
  const folder = mkdtempSync(join(parent, 'quittance-test-'))
  chmodSync(folder, 0o755)
  return folder
}

/** A file system in memory with room for a whole run. On a disk the three hundred files of a database may cost a third of a second each time. */
function roomyMemory(): string | null {
  const memory = '/dev/shm'
  if (!existsSync(memory)) return null
  const { bavail, bsize } = statfsSync(memory)
  return bavail * bsize > 4 * 2 ** 30 ? memory : null
}

/** The pid of the embedded server under `dataDir`. */
export function postmasterPid(dataDir: string): number {
  return Number(readFileSync(join(dataDir, 'postgres/data/postmaster.pid'), 'utf8').split('\n')[0])
}

/**
 * Ends a server and removes its folder once this process is gone: bun runs no exit hooks in tests, and nobody runs any on a
 * SIGKILL, but the kernel closes our end of the guard's pipe. Call what it returns after ending the server yourself.
 */
export function endWithUs(pid: number, folder: string): () => void {
  // A hundred looks, not for ever: where nobody reaps orphans the ended server stays visible.
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
  const admin = connect(withDatabase(url, 'postgres'), { max: 1, name: 'test admin' })
  // Copying files may take a busy machine longer than a request may wait.
  await admin.unsafe('set statement_timeout = 0')
  return { url, admin }
}

function withDatabase(url: string, name: string): string {
  const changed = new URL(url)
  changed.pathname = `/${name}`
  return changed.href
}
