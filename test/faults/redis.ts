import { Redis } from 'ioredis'
import { startReceiver } from '../support/receiver.ts'
import { badTries, type Fault, slowTries } from './fault.ts'
import type { Random } from './random.ts'
import type { Stage } from './stage.ts'
import { subscribe } from './webhooks.ts'

/**
 * Faults of Redis, which callers must not notice: Redis holds nothing that PostgreSQL does not
 * know.
 */
export const redisFaults: readonly Fault[] = [
  {
    id: 'F-08',
    what: 'Redis emptied under load, while deliveries wait for their second attempt',
    needsRedis: true,
    async inject(stage, random) {
      const attempts = new Map<string, number>()
      const receiver = startReceiver(({ headers }) => {
        const id = headers['webhook-id'] ?? ''
        attempts.set(id, (attempts.get(id) ?? 0) + 1)
        return new Response(null, { status: attempts.get(id) === 1 ? 503 : 204 })
      })
      const hook = await subscribe(stage, receiver.url)
      const problems = await unfelt(stage, random, async () => {
        for (let round = 0; round < stage.share(20); round++) {
          await commanding(stage, (client) => client.flushall())
          await Bun.sleep(random.between(200, 1_500))
        }
      })
      const unrest = await stage.quiet()
      await hook.remove()
      await receiver.stop()
      const forgotten = [...attempts.values()].filter((count) => count === 1).length
      return [
        ...problems,
        ...unrest,
        ...(forgotten > 0 ? [`${forgotten} deliveries had no second attempt`] : []),
        ...(attempts.size === 0 ? ['nothing was delivered'] : []),
      ]
    },
  },
  {
    id: 'F-09',
    what: 'Redis killed for a minute under load',
    needsRedis: true,
    inject: (stage, random) =>
      unfelt(stage, random, async () => {
        process.kill(redisOf(stage).pid, 'SIGKILL')
        await Bun.sleep(stage.share(60_000))
        await redisOf(stage).restart()
      }),
  },
  {
    id: 'F-10',
    what: 'Redis frozen for half a minute under load',
    needsRedis: true,
    inject: (stage, random) =>
      unfelt(stage, random, async () => {
        process.kill(redisOf(stage).pid, 'SIGSTOP')
        await Bun.sleep(stage.share(30_000))
        process.kill(redisOf(stage).pid, 'SIGCONT')
      }),
  },
  {
    id: 'F-11',
    what: 'Redis full under load',
    needsRedis: true,
    inject: (stage, random) =>
      unfelt(stage, random, async () => {
        await commanding(stage, (client) => client.config('SET', 'maxmemory', '1mb'))
        await Bun.sleep(stage.share(20_000))
        await commanding(stage, (client) => client.config('SET', 'maxmemory', '0'))
      }),
  },
]

const longestMs = 5_000

/** No caller sees a fault, waits long or loses a connection. */
async function unfelt(
  { underLoad }: Stage,
  random: Random,
  inject: () => Promise<unknown>,
): Promise<readonly string[]> {
  const tries = await underLoad(random, inject)
  const refused = tries.filter(({ outcome }) => outcome === 'refused').length
  return [
    ...badTries(tries, false),
    ...slowTries(tries, longestMs),
    ...(refused > 0 ? [`${refused} connections were broken`] : []),
  ]
}

function redisOf({ topology }: Stage) {
  if (!topology.redis) throw new Error('there is no redis-server')
  return topology.redis
}

async function commanding(stage: Stage, work: (client: Redis) => Promise<unknown>): Promise<void> {
  const client = new Redis(redisOf(stage).url)
  await work(client)
  client.disconnect()
}
