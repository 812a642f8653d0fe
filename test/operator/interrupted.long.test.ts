import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { testEnv } from '../support/app.ts'
import { nohupQuittance, quittanceAtTerminal, startQuittance } from '../support/cli.ts'
import { serverFolder, testDatabase } from '../support/postgres.ts'
import { startService } from '../support/service.ts'
import { eventually } from '../support/wait.ts'

/** Commands that are stopped while they wait for a node that never answers. */

let silent: Server
let nodeUrl: string
let asked = Promise.withResolvers<void>()
let dataDir: string

beforeAll(async () => {
  dataDir = serverFolder()
  silent = createServer((client) => {
    client.on('error', () => {})
    asked.resolve()
  })
  await new Promise<void>((listening) => silent.listen(0, '127.0.0.1', listening))
  nodeUrl = `http://127.0.0.1:${(silent.address() as { port: number }).port}`
})
afterAll(() => {
  silent.close()
  rmSync(dataDir, { recursive: true, force: true })
})

/** A `backfill` that waits for the node. */
async function startBackfill<T>(
  env: Record<string, string>,
  start: (env: Record<string, string>, ...words: readonly string[]) => T,
) {
  asked = Promise.withResolvers()
  const words = ['backfill', 'base', '--from', '1', '--to', '2']
  const child = start({ ...env, BASE_RPC_URL: nodeUrl }, ...words)
  await asked.promise
  return child
}

const hasServer = () => existsSync(join(dataDir, 'postgres/data/postmaster.pid'))

describe('a command that started an embedded PostgreSQL', () => {
  test.each([
    [130, 'SIGINT'],
    [143, 'SIGTERM'],
  ] as const)(
    'exits with %d after its PostgreSQL, even if %s is repeated',
    async (code, signal) => {
      const child = await startBackfill({ DATA_DIR: dataDir }, startQuittance)
      expect(hasServer()).toBe(true)
      const repeating = setInterval(() => child.kill(signal), 5)
      const exitCode = await child.exited
      clearInterval(repeating)
      expect(exitCode).toBe(code)
      expect(hasServer()).toBe(false)
      expect([await child.stdout.text(), await child.stderr.text()]).toEqual(['', ''])
    },
  )

  test('exits with 129 after its PostgreSQL when its terminal closes', async () => {
    const child = await startBackfill({ DATA_DIR: dataDir }, quittanceAtTerminal)
    expect(hasServer()).toBe(true)
    child.kill('SIGHUP')
    expect(await child.exited).toBe(129)
    expect(hasServer()).toBe(false)
  })

  test('continues under nohup when its terminal closes', async () => {
    const child = await startBackfill({ DATA_DIR: dataDir }, nohupQuittance)
    child.kill('SIGHUP')
    await Bun.sleep(300)
    expect(hasServer()).toBe(true)
    child.kill('SIGTERM')
    expect(await child.exited).toBe(143)
  })

  test('exits after its PostgreSQL even while that is starting', async () => {
    rmSync(dataDir, { recursive: true })
    const child = startQuittance({ DATA_DIR: dataDir }, 'audit', 'list')
    await eventually(hasServer)
    child.kill('SIGINT')
    expect(await child.exited).toBe(130)
    expect(hasServer()).toBe(false)
  })
})

test('a command on the database of a running service stops alone; the service continues', async () => {
  const service = await startService({ DATA_DIR: dataDir })
  const child = await startBackfill({ DATA_DIR: dataDir }, startQuittance)
  child.kill('SIGINT')
  expect(await child.exited).toBe(130)
  expect((await fetch(`${service.url}/readyz`)).status).toBe(200)
  expect(await service.stop()).toBe(0)
})

test('a command without an embedded PostgreSQL is ended by the signal itself', async () => {
  const database = await testDatabase()
  const child = await startBackfill(testEnv(database.url), startQuittance)
  child.kill('SIGINT')
  await child.exited
  expect(child.signalCode).toBe('SIGINT')
  await database.drop()
})
