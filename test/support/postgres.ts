import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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
  await onServer(server, (sql) => sql.unsafe(`create database ${name} template ${from}`))
  return {
    url: withDatabase(server, name),
    drop: () =>
      onServer(server, (sql) => sql.unsafe(`drop database if exists ${name} with (force)`)),
  }
}

/** Starts the server that tests run on, migrated template included. Nothing on it outlives a power cut. */
export async function startCluster(): Promise<Embedded> {
  const dataDir = mkdtempSync(join(tmpdir(), 'quittance-test-'))
  const server = await startEmbedded({ dataDir, durable: false })
  await onServer(server.url, (sql) => sql.unsafe(`create database ${template}`))
  const sql = connect(withDatabase(server.url, template), { max: 2, name: 'template' })
  await migrate(sql)
  await sql.end()
  return {
    ...server,
    async stop() {
      await server.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

async function clusterUrl(): Promise<string> {
  const shared = process.env[clusterVariable]
  if (shared) return shared
  // A single test file run by hand: its server ends with it.
  const server = await startCluster()
  process.on('beforeExit', () => void server.stop())
  return server.url
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
