import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
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

let cluster: Promise<string> | undefined

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
  cluster ??= clusterUrl()
  const server = await cluster
  const name = `test_${randomUUID().replaceAll('-', '')}`
  // Three hundred times a run: copied by the log, each would write ten megabytes of it.
  const copied = `template ${from} strategy file_copy`
  await onServer(server, (sql) => sql.unsafe(`create database ${name} ${copied}`))
  return {
    url: withDatabase(server, name),
    drop: () =>
      onServer(server, (sql) => sql.unsafe(`drop database if exists ${name} with (force)`)),
  }
}

/** Starts the server that tests run on, migrated template included. It ends with this process, however that ends. */
export async function startCluster(): Promise<Embedded> {
  const dataDir = serverFolder()
  const server = await startEmbedded({ dataDir, durable: false })
  const release = endWithUs(postmasterPid(dataDir), dataDir)
  await onServer(server.url, (sql) => sql.unsafe(`create database ${template}`))
  const sql = connect(withDatabase(server.url, template), { max: 2, name: 'template' })
  await migrate(sql)
  await sql.end()
  // The queues' own tables as well: every service that starts would make them first.
  const queues = await postgresBackend(withDatabase(server.url, template), console)
  await queues.close()
  return {
    url: server.url,
    async stop() {
      await server.stop()
      release()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** A temporary folder that a server run by another user can reach, and all it will hold. */
export function serverFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'quittance-test-'))
  chmodSync(folder, 0o755)
  return folder
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

async function clusterUrl(): Promise<string> {
  return process.env[clusterVariable] ?? (await startCluster()).url
}

async function onServer(url: string, work: (sql: Sql) => PromiseLike<unknown>): Promise<void> {
  const sql = connect(withDatabase(url, 'postgres'), { max: 1, name: 'test admin' })
  try {
    await work(sql)
  } finally {
    await sql.end()
  }
}

function withDatabase(url: string, name: string): string {
  const changed = new URL(url)
  changed.pathname = `/${name}`
  return changed.href
}
