import { expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { keyFrom } from '../../src/domain/accounts/secret.ts'
import { openAccount } from '../../src/operator/accounts.ts'
import { testEnv, testSecretsKey } from '../support/app.ts'
import { testDatabase } from '../support/postgres.ts'
import { startService } from '../support/service.ts'
import { eventually } from '../support/wait.ts'

const prlimit = Bun.which('prlimit')

test.skipIf(prlimit === null)(
  'the first PDF is drawn where a process has no file descriptors left but for the request',
  async () => {
    const database = await testDatabase()
    const account = await openAccount(database.sql, keyFrom(testSecretsKey), {
      name: 'Test',
      plan: 'pro',
      limits: {},
    })
    const service = await startService(testEnv(database.url, { LOG_LEVEL: 'info' }))
    const { pid } = service.process
    const headers = { 'x-api-key': account.v1Key, 'content-type': 'application/json' }
    const body = JSON.stringify({
      amount: 1,
      currency: 'USDC',
      customerName: 'Ada',
      customerEmail: 'ada@example.com',
    })
    const made = await fetch(`${service.url}/v1/invoices`, { method: 'POST', headers, body })
    const { data } = (await made.json()) as { data: { id: string } }
    // Until the thread has opened what it needs.
    const open = () => readdirSync(`/proc/${pid}/fd`).length
    let last = -1
    await eventually(async () => {
      const before = last
      last = open()
      await Bun.sleep(500)
      return before === last
    }, 20_000)
    const limit = Math.max(...readdirSync(`/proc/${pid}/fd`).map(Number)) + 3
    Bun.spawnSync([prlimit ?? '', `--pid=${pid}`, `--nofile=${limit}:${limit}`])
    const answer = await fetch(`${service.url}/api/invoices/${data.id}/pdf`, { headers })
    expect(answer.status).toBe(200)
    await service.stop()
    await database.drop()
  },
  60_000,
)
