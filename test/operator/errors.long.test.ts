import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { testEnv } from '../support/app.ts'
import { quittance } from '../support/cli.ts'
import { startService } from '../support/service.ts'
import { useWorld } from '../support/world.ts'

const role = `clerk_${crypto.randomUUID().replaceAll('-', '')}`
// Before the world's own end, which closes the database.
afterAll(async () => {
  await database.sql.unsafe(`drop owned by ${role}; drop role ${role}`)
})
const { database } = useWorld({ service: 'none' })

beforeAll(async () => {
  await database.sql.unsafe(`create role ${role} login password 'right'`)
})

/** The URL of the database with other parts. */
function urlWith(parts: Partial<Pick<URL, 'username' | 'password' | 'pathname'>>): string {
  return Object.assign(new URL(database.url), parts).href
}

const clerk = () => urlWith({ username: role, password: 'right' })

/** What a command says on standard error, line by line, of the database at `url`. */
async function errorOn(url: string): Promise<readonly string[]> {
  const { code, text, stderr } = await quittance(testEnv(url), 'audit', 'list')
  expect([code, text]).toEqual([1, ''])
  return stderr.trimEnd().split('\n')
}

describe('1, a sentence and what helps for a database', () => {
  test('that does not exist', async () => {
    expect(await errorOn(urlWith({ pathname: '/nothing' }))).toEqual([
      'The database cannot be used: database "nothing" does not exist (3D000)',
      '  create it, or correct DATABASE_URL',
    ])
  })

  test('whose user does not exist, or has another password', async () => {
    for (const wrong of [
      { username: 'nobody_of_that_name', password: 'x' },
      { username: role, password: 'wrong' },
    ])
      expect(await errorOn(urlWith(wrong))).toEqual([
        expect.stringMatching(/^The database cannot be used: .+ \(28(000|P01)\)$/),
        expect.stringContaining('correct the user or the password in DATABASE_URL'),
      ])
  })

  test('whose tables its user may not read', async () => {
    expect(await errorOn(clerk())).toEqual([
      'The database cannot be used: permission denied for table migrations (42501)',
      expect.stringContaining('grant'),
    ])
  })

  test('that takes no more connections', async () => {
    await database.sql.unsafe(`alter role ${role} connection limit 0`)
    expect(await errorOn(clerk())).toEqual([
      expect.stringMatching(/^The database cannot be used: too many connections .+ \(53300\)$/),
      expect.stringContaining('max_connections'),
    ])
    await database.sql.unsafe(`alter role ${role} connection limit -1`)
  })

  test('that accepts no writes', async () => {
    await database.sql.unsafe(`alter role ${role} set default_transaction_read_only = on`)
    expect(await errorOn(clerk())).toEqual([
      expect.stringMatching(/^The database cannot be used: .+not read-write/),
      expect.stringContaining('replica'),
    ])
    await database.sql.unsafe(`alter role ${role} reset default_transaction_read_only`)
  })

  test('that does not answer', async () => {
    const silent = await new Promise<Server>((resolve) => {
      const server = createServer().listen(0, '127.0.0.1', () => resolve(server))
    })
    const { port } = silent.address() as { port: number }
    expect(await errorOn(`postgres://nobody@127.0.0.1:${port}/nothing`)).toEqual([
      expect.stringMatching(/^The database cannot be used: .*CONNECT_TIMEOUT 127\.0\.0\.1/),
      expect.stringContaining('is PostgreSQL running'),
    ])
    silent.close()
  })

  test('whose host there is none of', async () => {
    expect(await errorOn('postgres://nobody@nosuch.invalid/nothing')).toEqual([
      expect.stringMatching(/^The database cannot be used: .*nosuch\.invalid/),
      expect.stringContaining('DATABASE_URL'),
    ])
  })

  test('that does not exist, from the service too', async () => {
    const started = startService(testEnv(urlWith({ pathname: '/nothing' })))
    await expect(started).rejects.toThrow(
      /did not start \(1\): The database cannot be used: database "nothing" does not exist[^\n]*\n[^\n]+\n?$/,
    )
  })
})

test('a user with all rights on the tables, but none to create any, is enough for a command and for the service', async () => {
  await database.sql.unsafe(
    `grant select, insert, update, delete on all tables in schema public to ${role}`,
  )
  await database.sql.unsafe(`
    grant usage on schema bullmq to ${role};
    grant select, insert, update, delete on all tables in schema bullmq to ${role};
    grant usage on all sequences in schema bullmq to ${role};
    revoke create on schema public from public`)
  const { code, stderr } = await quittance(testEnv(clerk()), 'audit', 'list')
  expect([code, stderr]).toEqual([0, ''])
  const service = await startService(testEnv(clerk(), { LOG_LEVEL: 'info' }))
  expect((await fetch(`${service.url}/readyz`)).status).toBe(200)
  expect(await service.stop()).toBe(0)
})

describe('1 and a sentence for a secrets.json of the embedded default', () => {
  let dataDir: string
  beforeAll(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'secrets-'))
    await quittance({ DATA_DIR: dataDir, DATABASE_URL: '' }, 'migrate')
  })
  afterAll(() => rmSync(dataDir, { recursive: true, force: true }))

  test('that is cut off, or lacks a key, or is no object', async () => {
    const file = join(dataDir, 'secrets.json')
    const whole = readFileSync(file, 'utf8')
    const { anchorPrivateKey: _, ...lacking } = JSON.parse(whole)
    for (const text of [whole.slice(0, 100), '', 'null', JSON.stringify(lacking)]) {
      writeFileSync(file, text)
      const { code, stderr } = await quittance({ DATA_DIR: dataDir }, 'audit', 'list')
      expect(code).toBe(1)
      expect(stderr).toBe(
        `${file} is damaged: restore it from a backup; if there is none, move it away, and see \`quittance secrets adopt\`\n`,
      )
    }
    writeFileSync(file, whole)
    expect((await quittance({ DATA_DIR: dataDir }, 'audit', 'list')).code).toBe(0)
  })
})

test('1 and a sentence of the service where it cannot listen', async () => {
  const started = startService(testEnv(database.url, { HOST: '192.0.2.1' }))
  await expect(started).rejects.toThrow(
    /did not start \(1\): The service cannot listen on 192\.0\.2\.1, port \d+ \([^\n]+\): set HOST or PORT\n$/,
  )
})
