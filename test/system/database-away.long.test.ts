import { beforeAll, describe, expect, test } from 'bun:test'
import { fillDatabase } from '../support/full-database.ts'
import { hasRedis } from '../support/redis.ts'
import { eventually } from '../support/wait.ts'
import { useWorld } from '../support/world.ts'

const { database, sql, databaseRelay, send, start } = useWorld({
  relayedDatabase: true,
  redis: hasRedis,
  service: 'apart',
  env: { ROLE: 'http', LOG_LEVEL: 'info' },
})

beforeAll(() => start())

const list = () => send('GET', '/v1/invoices')

describe('while PostgreSQL is out of reach', () => {
  test('503 whoever brings a key that cannot be looked up, and no 429 however often', async () => {
    databaseRelay.cut()
    const answers = await Promise.all(Array.from({ length: 150 }, list))
    expect([...new Set(answers.map(({ status }) => status))]).toEqual([503])
    expect(answers.every(({ headers }) => headers.has('retry-after'))).toBe(true)
    databaseRelay.heal()
    await eventually(async () => (await list()).status === 200)
  })
})

const create = () =>
  send('POST', '/v1/invoices', {
    ...{ amount: 12.5, currency: 'USDC' },
    ...{ customerName: 'Ada Example', customerEmail: 'ada@example.com' },
  })
const readiness = () => send('GET', '/readyz')

describe('while the disk of PostgreSQL is full', () => {
  test('503 whoever creates and, from then on, whoever asks for readiness, until there is space', async () => {
    const makeRoom = await fillDatabase(sql)
    const refused = await create()
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
    expect(refused.text).toContain('The database of the service refuses this for now')
    const unready = await readiness()
    expect(unready.status).toBe(503)
    expect(unready.json).toMatchObject({
      problems: ['the database refuses writes: is its disk full?'],
    })
    expect((await list()).status).toBe(200)
    await makeRoom()
    await eventually(async () => (await readiness()).status === 200)
    expect((await create()).status).toBe(201)
  })
})

describe('while PostgreSQL takes no writes', () => {
  test('503 whoever creates and whoever asks for readiness, and all is well again without a restart', async () => {
    expect((await create()).status).toBe(201)
    const name = new URL(database.url).pathname.slice(1)
    await sql.unsafe(`alter database ${name} set default_transaction_read_only = on`)
    databaseRelay.cut()
    databaseRelay.heal()
    await eventually(async () => (await readiness()).status === 503)
    for (let round = 0; round < 20; round++) {
      const { status, headers } = await create()
      expect([status, headers.get('retry-after')]).toEqual([503, '1'])
    }
    await sql.unsafe(`alter database ${name} reset default_transaction_read_only`)
    await eventually(async () => (await create()).status === 201)
    await eventually(async () => (await readiness()).status === 200)
  })
})
