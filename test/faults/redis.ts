import { Redis } from 'ioredis'
import { badTries, type Fault, slowTries } from './fault.ts'
import type { Stage } from './stage.ts'

/** What Redis may suffer without a caller noticing: it holds nothing that PostgreSQL does not know. */
export const redisFaults: readonly Fault[] = [
  {
    id: 'F-08',
    what: 'Redis emptied under load',
    needsRedis: true,
    inject: (stage, random) =>
      unnoticed(stage, random, async () => {
        for (let round = 0; round < 3; round++) {
          await commanding(stage, (client) => client.flushall())
          await Bun.sleep(random.between(200, 1_500))
        }
      }),
  },
  {
    id: 'F-09',
    what: 'Redis killed for 8 s under load',
    needsRedis: true,
    inject: (stage, random) =>
      unnoticed(stage, random, async () => {
        process.kill(redisOf(stage).pid, 'SIGKILL')
        await Bun.sleep(8_000)
        await redisOf(stage).restart()
      }),
  },
  {
    id: 'F-10',
    what: 'Redis frozen for 8 s under load',
    needsRedis: true,
    inject: (stage, random) =>
      unnoticed(stage, random, async () => {
        process.kill(redisOf(stage).pid, 'SIGSTOP')
        await Bun.sleep(8_000)
        process.kill(redisOf(stage).pid, 'SIGCONT')
      }),
  },
  {
    id: 'F-11',
    what: 'Redis full under load',
    needsRedis: true,
    inject: (stage, random) =>
      unnoticed(stage, random, async () => {
        await commanding(stage, (client) => client.config('SET', 'maxmemory', '1mb'))
        await Bun.sleep(6_000)
        await commanding(stage, (client) => client.config('SET', 'maxmemory', '0'))
      }),
  },
]

const longestMs = 5_000

async function unnoticed(
  { underLoad }: Stage,
  random: Parameters<Stage['underLoad']>[0],
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
