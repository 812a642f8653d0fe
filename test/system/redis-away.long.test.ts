import { beforeAll, describe, expect, test } from 'bun:test'
import { hasRedis } from '../support/redis.ts'
import type { Service } from '../support/service.ts'
import { eventually } from '../support/wait.ts'
import { useWorld } from '../support/world.ts'

describe.skipIf(!hasRedis)('while Redis is away', () => {
  const { redis, send, start } = useWorld({
    chains: ['base'],
    redis: true,
    service: 'apart',
    env: { LOG_LEVEL: 'info' },
  })
  let service: Service

  beforeAll(async () => {
    process.kill(redis.pid, 'SIGKILL')
    service = await start()
  })

  async function notes(): Promise<readonly string[]> {
    const { status, json } = await send('GET', '/readyz')
    expect([status, json.status, json.problems]).toEqual([200, 'ready', []])
    return json.notes
  }

  const list = () => send('GET', '/v1/invoices')

  const uncounted = 'Redis does not count requests: PostgreSQL does'

  /** What is said of Redis itself; a slow machine logs other things, too. */
  const lines = () =>
    service.lines
      .filter(({ msg }) => String(msg).startsWith('Redis is'))
      .map(({ level, msg }) => `${level}: ${msg}`)

  const away = 'Redis is away: jobs wait, and requests are counted in PostgreSQL'

  test('readiness names Redis, and blames no chain that nobody has asked', async () => {
    await eventually(async () => (await notes()).includes(away))
    expect((await notes()).filter((note) => note.startsWith('base'))).toEqual([
      'base: no worker has read it yet',
    ])
  })

  test('the log says so once, with the reason, and once that it is back, however often it goes', async () => {
    for (let round = 1; round <= 2; round++) {
      for (let request = 0; request < 20; request++) {
        expect((await list()).status).toBe(200)
        await Bun.sleep(200)
      }
      await redis.restart()
      await eventually(() => lines().length === 2 * round)
      expect(lines().slice(-2)).toEqual(['warn: Redis is away', 'info: Redis is back'])
      await eventually(async () => !(await notes()).includes(away))
      if (round === 1) process.kill(redis.pid, 'SIGKILL')
    }
    expect(service.lines.filter(({ msg }) => msg === uncounted).length).toBeLessThanOrEqual(4)
    const [first] = service.lines.filter(({ msg }) => msg === 'Redis is away')
    expect(first?.reason).toContain('ECONNREFUSED')
  })

  test('readiness says that Redis refuses writes while its memory is full, and the log once', async () => {
    const before = lines().length
    const admin = new Bun.RedisClient(redis.url)
    await admin.send('CONFIG', ['SET', 'maxmemory', '1'])
    const refusing = 'Redis refuses writes: jobs wait, and requests are counted in PostgreSQL'
    await eventually(async () => (await notes()).includes(refusing))
    expect((await list()).status).toBe(200)
    await Bun.sleep(2_500)
    expect(await notes()).toContain(refusing)
    await admin.send('CONFIG', ['SET', 'maxmemory', '0'])
    await eventually(() => lines().at(-1) === 'info: Redis is back')
    expect(lines().slice(before)).toEqual(['warn: Redis is away', 'info: Redis is back'])
    expect((await notes()).filter((note) => note.startsWith('Redis'))).toEqual([])
    admin.close()
  })
})
