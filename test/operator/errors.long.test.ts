import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
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

/** The lines a command prints on standard error for the database at `url`. */
async function errorOn(url: string): Promise<readonly string[]> {
  const { code, text, stderr } = await quittance(testEnv(url), 'audit', 'list')
  expect([code, text]).toEqual([1, ''])
  return stderr.trimEnd().split('\n')
}

describe('1, a sentence and a remedy for a database', () => {
  const alterRole = (change: string) => database.sql.unsafe(`alter role ${role} ${change}`)
  test.each([
    [
      'that does not exist',
      () => urlWith({ pathname: '/nothing' }),
      /^database "nothing" does not exist \(3D000\)$/,
      'create it, or correct DATABASE_URL',
    ],
    [
      'whose user does not exist',
      () => urlWith({ username: 'nobody_of_that_name', password: 'x' }),
      / \(28(000|P01)\)$/,
      'correct the user or the password in DATABASE_URL',
    ],
    [
      'whose user has another password',
      () => urlWith({ username: role, password: 'wrong' }),
      / \(28(000|P01)\)$/,
      'correct the user or the password in DATABASE_URL',
    ],
    [
      'whose tables its user may not read',
      clerk,
      /^permission denied for table migrations \(42501\)$/,
      'grant',
    ],
    [
      'whose host does not exist',
      () => 'postgres://nobody@nosuch.invalid/nothing',
      /nosuch\.invalid/,
      'DATABASE_URL',
    ],
  ])('%s', async (_, url, problem, remedy) => {
    const [sentence = '', ...more] = await errorOn(url())
    expect(sentence).toStartWith('The database cannot be used: ')
    expect(sentence.slice('The database cannot be used: '.length)).toMatch(problem)
    expect(more).toEqual([expect.stringContaining(remedy)])
  })

  test.each([
    ['that takes no more connections', 'connection limit 0', 'too many connections', 'max_conn'],
    [
      'that accepts no writes',
      'set default_transaction_read_only = on',
      'not read-write',
      'it is a replica',
    ],
  ])('%s', async (_, change, problem, remedy) => {
    await alterRole(change)
    expect(await errorOn(clerk())).toEqual([
      expect.stringContaining(problem),
      expect.stringContaining(remedy),
    ])
    await alterRole('connection limit -1')
    await alterRole('reset default_transaction_read_only')
  })

  test('that does not answer', async () => {
    const silent = createServer()
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const { port } = silent.address() as { port: number }
    expect(await errorOn(`postgres://nobody@127.0.0.1:${port}/nothing`)).toEqual([
      expect.stringMatching(/^The database cannot be used: .*CONNECT_TIMEOUT 127\.0\.0\.1/),
      expect.stringContaining('is PostgreSQL running'),
    ])
    silent.close()
  })

  test('that does not exist, from the service too', async () => {
    const started = startService(testEnv(urlWith({ pathname: '/nothing' })))
    await expect(started).rejects.toThrow(
      /did not start \(1\): The database cannot be used: database "nothing" does not exist[^\n]*\n[^\n]+\n?$/,
    )
  })
})

test('a command and the service need no right to create tables', async () => {
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

test('1 and a sentence for a secrets.json that is cut off, incomplete or not an object', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'secrets-'))
  const list = () => quittance({ DATA_DIR: dataDir }, 'audit', 'list')
  try {
    expect((await list()).code).toBe(0)
    const file = join(dataDir, 'secrets.json')
    const whole = readFileSync(file, 'utf8')
    const { anchorPrivateKey: _, ...incomplete } = JSON.parse(whole)
    const damaged = `${file} is damaged: restore it from a backup; if there is none, move it away, and see \`quittance secrets adopt\`\n`
    for (const text of [whole.slice(0, 100), '', 'null', JSON.stringify(incomplete)]) {
      writeFileSync(file, text)
      expect(await list()).toMatchObject({ code: 1, stderr: damaged })
    }
    writeFileSync(file, whole)
    expect((await list()).code).toBe(0)
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
})

test('1 and a sentence from a service that cannot listen', async () => {
  const started = startService(testEnv(database.url, { HOST: '192.0.2.1' }))
  await expect(started).rejects.toThrow(
    /did not start \(1\): The service cannot listen on 192\.0\.2\.1, port \d+ \([^\n]+\): set HOST or PORT\n$/,
  )
})
