import { afterAll, beforeAll, expect, test } from 'bun:test'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { quittance } from '../support/cli.ts'
import { postmasterPid, serverFolder } from '../support/postgres.ts'
import { startService } from '../support/service.ts'
import { eventually } from '../support/wait.ts'

/** The service without any configuration, on its embedded PostgreSQL. */

let dataDir: string

beforeAll(() => {
  dataDir = serverFolder()
})
afterAll(() => rmSync(dataDir, { recursive: true, force: true }))

test('a service whose embedded PostgreSQL is killed says so and ends; the next start has every row', async () => {
  const env = { DATA_DIR: dataDir }
  const service = await startService(env)
  const { json: made } = await quittance(env, 'account', 'create', '--name', 'Ada', '--json')
  const headers = { 'x-api-key': made.v1Key, 'content-type': 'application/json' }
  const created = await fetch(`${service.url}/v1/invoices`, {
    method: 'POST',
    headers,
    body: JSON.stringify({
      ...{ amount: 12.5, currency: 'USDC' },
      ...{ customerName: 'Ada Example', customerEmail: 'ada@example.com' },
    }),
  })
  const { data: invoice } = (await created.json()) as { data: { id: string } }
  process.kill(postmasterPid(dataDir), 'SIGKILL')
  expect(await service.process.exited).toBe(1)
  // The last log line may arrive after the exit is noticed.
  await eventually(() => service.lines.at(-1)?.level === 'fatal')
  expect(service.lines.at(-1)?.msg).toBe('the embedded PostgreSQL has ended by itself')
  const next = await startService(env)
  const found = await fetch(`${next.url}/v1/invoices/${invoice.id}`, { headers })
  expect([found.status, await found.json()]).toMatchObject([200, { data: { id: invoice.id } }])
  expect(await next.stop()).toBe(0)
})

test('a service that cannot start ends the PostgreSQL that it had started', async () => {
  const taken = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
  const child = Bun.spawn([process.execPath, 'src/main.ts'], {
    cwd: join(import.meta.dir, '../..'),
    env: {
      ...{ PATH: process.env.PATH, HOME: process.env.HOME, DATA_DIR: dataDir },
      ...{ HOST: '127.0.0.1', PORT: `${taken.port}` },
    },
    stdout: 'ignore',
    stderr: 'pipe',
  })
  const stderr = await new Response(child.stderr).text()
  expect([await child.exited, stderr]).toEqual([
    1,
    `Port ${taken.port} is already in use (EADDRINUSE): stop the other program, or set PORT\n`,
  ])
  expect(existsSync(join(dataDir, 'postgres/data'))).toBe(true)
  expect(existsSync(join(dataDir, 'postgres/data/postmaster.pid'))).toBe(false)
  taken.stop(true)
})
