import { beforeAll, describe, expect, test } from 'bun:test'
import { Redis } from 'ioredis'
import { anInvoice } from '../support/app.ts'
import { hasRedis } from '../support/redis.ts'
import { useWorld } from '../support/world.ts'

describe.skipIf(!hasRedis)('the service with queues and limits on Redis', () => {
  const { redis, app, receiver } = useWorld({ redis: true, receiver: true })

  beforeAll(async () => {
    await app.send('POST', '/v1/webhooks', { url: receiver.url, events: ['invoice.created'] })
  })

  const created = () => anInvoice(app)

  function delivered(id: string) {
    return receiver.next(({ data }) => data.id === id, 60_000)
  }

  test('delivers what happens', async () => {
    await delivered(await created())
  })

  test('finds pending work again after FLUSHALL', async () => {
    const client = new Redis(redis.url)
    const ids = await Promise.all(Array.from({ length: 20 }, created))
    await client.flushall()
    client.disconnect()
    for (const id of ids) await delivered(id)
  })

  test('answers no request with an error while Redis is dead, and delivers everything once it is back', async () => {
    process.kill(redis.pid, 'SIGKILL')
    const ids = await Promise.all(Array.from({ length: 20 }, created))
    await redis.restart()
    for (const id of ids) await delivered(id)
    const unique = new Set(receiver.received.map(({ headers }) => headers['webhook-id']))
    expect(unique.size).toBe(receiver.received.length)
  })
})
