import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { connect, type Sql } from '../../../src/storage/postgres/db.ts'
import { migrate, requireSchema } from '../../../src/storage/postgres/migrate.ts'
import { emptyDatabase } from '../../support/postgres.ts'
import { eventually } from '../../support/wait.ts'

const migrations = new URL('../../../src/storage/migrations/', import.meta.url)

let database: { url: string; drop(): Promise<void> }
let sql: Sql

beforeAll(async () => {
  database = await emptyDatabase()
  sql = connect(database.url, { max: 1, name: 'migrate test' })
})

afterAll(async () => {
  await sql.end({ timeout: 1 })
  await database.drop()
})

describe('several deploys at once', () => {
  test('three processes that migrate an empty database together make the schema once', async () => {
    const ran = await Promise.all([1, 2, 3].map(() => migrateInAnotherProcess(database.url)))
    const names = readdirSync(migrations).sort()
    expect(ran.flat()).toEqual(names)
    expect(await sql`select name from migrations order by name`).toMatchObject(
      names.map((name) => ({ name })),
    )
    expect(await tables(sql)).toContain('invoices')
  })

  test('a later start finds nothing to do', async () => {
    expect(await migrate(sql)).toEqual([])
  })
})

describe('a migration that fails', () => {
  const folder = mkdtempSync(join(tmpdir(), 'quittance-migrations-'))
  const files = pathToFileURL(`${folder}/`)
  beforeAll(async () => {
    await sql`truncate migrations`
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  test('leaves nothing of itself behind, keeps what came before and says what was wrong', async () => {
    writeFileSync(join(folder, '0002-good.sql'), 'create table good (id int) -- no line end')
    writeFileSync(join(folder, '0003-bad.sql'), 'create table half (id int); select nonsense();')
    await expect(migrate(sql, { folder: files })).rejects.toThrow(
      'function nonsense() does not exist',
    )
    expect(await tables(sql)).toContain('good')
    expect(await tables(sql)).not.toContain('half')
  })

  test('never costs the pool its connection, its time limit or the lock', async () => {
    expect(await sql`show statement_timeout`).toMatchObject([{ statement_timeout: '5s' }])
    const locks = await sql`select from pg_locks join pg_database on oid = database
      where locktype = 'advisory' and datname = current_database()`
    expect(locks).toHaveLength(0)
  })

  test('runs from its first line once it is mended', async () => {
    writeFileSync(join(folder, '0003-bad.sql'), 'create table half (id int);')
    expect(await migrate(sql, { folder: files })).toEqual(['0003-bad.sql'])
    expect(await tables(sql)).toContain('half')
  })
})

test('a command refuses a database of an older version, and changes nothing', async () => {
  const path = mkdtempSync(join(tmpdir(), 'quittance-migrations-'))
  const folder = pathToFileURL(`${path}/`)
  const empty = await emptyDatabase()
  const sql = connect(empty.url, { max: 1, name: 'migrate test' })
  writeFileSync(join(path, '0001-old.sql'), 'create table old (id int)')
  await requireSchema(sql, { folder })
  writeFileSync(join(path, '0002-new.sql'), 'create table new (id int)')
  await expect(requireSchema(sql, { folder })).rejects.toMatchObject({
    name: 'SchemaError',
    detail: 'The database is of an older version, without 0002-new.sql',
    remedy: 'run `quittance migrate`, or start the service',
  })
  expect(await tables(sql)).toEqual(['migrations', 'old'])
  await sql.end({ timeout: 1 })
  await empty.drop()
  rmSync(path, { recursive: true })
})

describe('behind a process that does not get done', () => {
  const path = mkdtempSync(join(tmpdir(), 'quittance-migrations-'))
  const folder = pathToFileURL(`${path}/`)
  writeFileSync(join(path, '0001-slow.sql'), 'select pg_sleep(4)')
  afterAll(() => rmSync(path, { recursive: true }))

  test('one says that it waits, once, and gives up when its time is over', async () => {
    const empty = await emptyDatabase()
    const sql = connect(empty.url, { max: 1, name: 'migrate test' })
    const first = migrate(sql, { folder })
    const busy = () => sql`
      select from pg_stat_activity where datname = current_database() and query like 'select pg_sleep%'`
    await eventually(async () => (await busy()).length > 0)
    let waits = 0
    const onWait = () => void waits++
    await expect(migrate(sql, { folder, onWait, waitLimitMs: 500 })).rejects.toMatchObject({
      reason: 'unavailable',
      operatorText: expect.stringContaining('0.5 s'),
    })
    expect(waits).toBe(1)
    expect(await migrate(sql, { folder })).toEqual([])
    expect(await first).toEqual(['0001-slow.sql'])
    await sql.end({ timeout: 1 })
    await empty.drop()
  })
})

test('a new database that cannot hold every text is refused and left empty', async () => {
  const latin = await emptyDatabase("template0 encoding 'LATIN1' locale 'C' locale_provider libc")
  const latinSql = connect(latin.url, { max: 1, name: 'migrate test' })
  await expect(migrate(latinSql)).rejects.toThrow(
    /encoded as LATIN1, which cannot hold every text: create it with "encoding 'UTF8'/,
  )
  expect(await tables(latinSql)).toEqual([])
  await latinSql.end()
  await latin.drop()
})

test('a database that a newer version has migrated is refused and left as it is', async () => {
  await sql`truncate migrations`
  await sql`insert into migrations (name) values ('9999-future.sql')`
  await expect(migrate(sql)).rejects.toThrow('of a newer version, with 9999-future.sql')
  await expect(requireSchema(sql)).rejects.toThrow('of a newer version, with 9999-future.sql')
  expect(await sql`select name from migrations`).toMatchObject([{ name: '9999-future.sql' }])
})

test.each([
  [
    'create table migrations (id int, migration text)',
    'The database belongs to another program, whose `migrations` has no column `name`',
  ],
  [
    `create table migrations (id int, name text); insert into migrations values (1, 'CreateUsers123')`,
    'The database belongs to another program, which has run others',
  ],
  ['create table accounts (id int)', '0001-schema.sql makes (relation "accounts" already exists)'],
])('a database that another program uses is refused and left as it is: %s', async (made, how) => {
  const empty = await emptyDatabase()
  const sql = connect(empty.url, { max: 1, name: 'migrate test' })
  await sql.unsafe(made)
  for (const start of [migrate, requireSchema]) {
    await expect(start(sql)).rejects.toMatchObject({
      name: 'SchemaError',
      detail: expect.stringContaining(how),
      remedy: expect.stringContaining('for Quittance alone'),
    })
  }
  expect(await tables(sql)).not.toContain('invoices')
  await sql.end({ timeout: 1 })
  await empty.drop()
})

async function migrateInAnotherProcess(url: string): Promise<readonly string[]> {
  const script = `
    import { connect } from './src/storage/postgres/db.ts'
    import { migrate, requireSchema } from './src/storage/postgres/migrate.ts'
    const sql = connect(process.env.URL, { max: 1, name: 'migrate test' })
    console.log(JSON.stringify(await migrate(sql)))
    await sql.end()`
  const child = Bun.spawn([process.execPath, '-e', script], {
    cwd: join(import.meta.dir, '../../..'),
    env: { ...process.env, URL: url },
  })
  return JSON.parse(await new Response(child.stdout).text())
}

async function tables(sql: Sql): Promise<readonly string[]> {
  const rows =
    await sql`select tablename from pg_tables where schemaname = 'public' order by tablename`
  return rows.map((row) => row.tablename)
}
