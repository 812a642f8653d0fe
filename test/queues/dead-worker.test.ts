import { expect, test } from 'bun:test'
import { createQueues } from '../../src/queues/queues.ts'
import { createWorkers, type Processors } from '../../src/queues/workers.ts'
import { hasRedis } from '../support/redis.ts'
import { postgresStand, redisStand, type Stand } from './backend-stands.ts'

const silent = { warn() {}, error() {} }

test('a process that dies with a job in hand holds up wakes for 15 seconds at most', async () => {
  async function holdUpMs(stand: Stand): Promise<number> {
    const dying = await stand.connect(silent)
    const before = createQueues({ backend: dying, log: silent })
    const taken = Promise.withResolvers<void>()
    const endless = async () => {
      taken.resolve()
      await new Promise(() => {})
    }
    createWorkers({ backend: dying, processors: { outbox: endless }, log: silent }).start()
    before.wake('outbox')
    await taken.promise
    await dying.close()
    const fromMs = performance.now()

    const backend = await stand.connect(silent)
    const queues = createQueues({ backend, log: silent })
    const woken = Promise.withResolvers<void>()
    const processors: Processors = { outbox: async () => woken.resolve() }
    const workers = createWorkers({ backend, processors, log: silent })
    workers.start()
    queues.wake('outbox')
    await woken.promise
    const heldUpMs = performance.now() - fromMs
    await workers.drain(1_000)
    await queues.close()
    await backend.close()
    await stand.stop()
    return heldUpMs
  }
  const stands = [postgresStand(), ...(hasRedis ? [redisStand()] : [])]
  const held = await Promise.all(stands.map(async (stand) => holdUpMs(await stand)))
  // BullMQ's own lock and look are 30 s each.
  for (const ms of held) expect(ms).toBeLessThan(25_000)
})
