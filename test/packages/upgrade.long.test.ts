import { afterAll, beforeAll, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { requester, testEnv } from '../support/app.ts'
import { type Service, startService } from '../support/service.ts'
import { sourceCopy } from '../support/source-copy.ts'
import { useWorld } from '../support/world.ts'

/** The next version, with a migration that CONTRIBUTING.md allows, beside this one. */

const migration = `
alter table invoices add column later text;
alter table outbox add column later integer default 0 not null;
create table later (id bigint primary key);
create index later_invoices on invoices (later) where later is not null;
`

const { database, account } = useWorld({ service: 'apart' })
let next: string
const services: Service[] = []
beforeAll(async () => {
  next = sourceCopy()
  await Bun.write(join(next, 'src/storage/migrations/0002-later.sql'), migration)
}, 900_000)
afterAll(async () => {
  await Promise.all(services.map((service) => service.stop()))
  rmSync(next, { recursive: true })
})

test('processes of this version serve on while the next one migrates, until they are stopped', async () => {
  const old = await started()
  const load = createInvoices(old.url)
  await load.reached(20)
  const newer = await started(join(next, 'src/main.ts'))
  await load.reached(load.count() + 50)
  const both = createInvoices(newer.url)
  await both.reached(20)
  const made = [...(await load.end())]
  expect(await old.stop()).toBe(0)
  await both.reached(both.count() + 20)
  made.push(...(await both.end()))
  expect(new Set(made.map(({ status }) => status))).toEqual(new Set([201]))
  const numbers = made.map(({ number }) => number).toSorted((a, b) => a - b)
  expect(numbers).toEqual(Array.from(numbers, (_, at) => at + 1))
  await expect(started()).rejects.toThrow('of a newer version, with 0002-later.sql')
})

async function started(program?: string): Promise<Service> {
  const service = await startService(testEnv(database.url, { LOG_LEVEL: 'info' }), program)
  services.push(service)
  return service
}

/** Four at a time, until it is told to end. */
function createInvoices(url: string) {
  const send = requester(() => url)
  const made: { readonly status: number; readonly number: number }[] = []
  let isEnding = false
  const body = {
    ...{ amount: 12.5, currency: 'USDC', chain: 'base' },
    ...{ customerName: 'Ada Example', customerEmail: 'ada@example.com' },
  }
  const clients = Array.from({ length: 4 }, async () => {
    while (!isEnding) {
      const headers = { 'x-api-key': account.v1Key }
      const { status, json } = await send('POST', '/v1/invoices', body, headers)
      made.push({ status, number: json.data?.invoiceNumber ?? 0 })
    }
  })
  return {
    count: () => made.length,
    async reached(count: number) {
      while (made.length < count) await Promise.race([Bun.sleep(10), Promise.all(clients)])
    },
    async end() {
      isEnding = true
      await Promise.all(clients)
      return made
    },
  }
}
