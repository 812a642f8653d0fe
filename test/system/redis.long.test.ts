import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { Redis } from 'ioredis'
import { type TestApp, testApp } from '../support/app.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { hasRedis, startRedis, type TestRedis } from '../support/redis.ts'

const invoice = {
  amount: 1,
  currency: 'USDC',
  customerName: 'Ada',
  customerEmail: 'ada@example.com',
}

describe.skipIf(!hasRedis)('the service with queues and limits on Redis', () => {
  let redis: TestRedis
  let app: TestApp
  let receiver: Receiver

  beforeAll(async () => {
    redis = await startRedis()
    app = await testApp({ REDIS_URL: redis.url })
    receiver = startReceiver()
    await app.send('POST', '/v1/webhooks', { url: receiver.url, events: ['invoice.created'] })
  })
  afterAll(async () => {
    await app.stop()
    await receiver.stop()
    await redis.stop()
  })

  async function created(): Promise<string> {
    const { status, json } = await app.send('POST', '/v1/invoices', invoice)
    expect(status).toBe(201)
    return json.data.id
  }

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
  }, 90_000)

  test('answers no request with an error while Redis is dead, and delivers everything once it is back', async () => {
    process.kill(redis.pid, 'SIGKILL')
    const ids = await Promise.all(Array.from({ length: 20 }, created))
    await redis.restart()
    for (const id of ids) await delivered(id)
    const unique = new Set(receiver.received.map(({ headers }) => headers['webhook-id']))
    expect(unique.size).toBe(receiver.received.length)
  }, 90_000)
})
