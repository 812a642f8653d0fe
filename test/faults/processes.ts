import { badTries, type Fault } from './fault.ts'

/** Processes that are killed, stopped or ended while they work. */
export const processFaults: readonly Fault[] = [
  {
    id: 'F-01',
    what: 'http processes killed again and again under load',
    inject: async ({ topology, underLoad }, random) =>
      badTries(
        await underLoad(random, async () => {
          for (let round = 0; round < 5; round++) {
            const victim = random.pick(topology.http)
            await victim.kill()
            await Bun.sleep(random.between(50, 500))
            await victim.start()
          }
        }),
        false,
      ),
  },
  {
    id: 'F-03',
    what: 'workers killed again and again under load, one at a time',
    inject: async ({ topology, underLoad }, random) =>
      badTries(
        await underLoad(random, async () => {
          for (let round = 0; round < 5; round++) {
            const victim = random.pick(topology.workers)
            await Bun.sleep(random.between(100, 900))
            await victim.kill()
            await victim.start()
          }
        }),
        false,
      ),
  },
  {
    id: 'F-05',
    what: 'every process killed at once under load, in rounds',
    inject: async ({ topology, underLoad }, random) =>
      badTries(
        await underLoad(random, async () => {
          const all = [...topology.http, ...topology.workers]
          for (let round = 0; round < 3; round++) {
            await Promise.all(all.map((process) => process.kill()))
            await Promise.all(all.map((process) => process.start()))
            await Bun.sleep(random.between(500, 1_500))
          }
        }),
        false,
      ),
  },
  {
    id: 'F-06',
    what: 'a worker frozen for longer than its locks, then woken',
    inject: async ({ topology, underLoad }, random) =>
      badTries(
        await underLoad(random, async () => {
          const victim = random.pick(topology.workers)
          victim.signal('SIGSTOP')
          await Bun.sleep(20_000)
          victim.signal('SIGCONT')
        }),
        false,
      ),
  },
  {
    id: 'F-56',
    what: 'every process ended by SIGTERM and started again in turn under load',
    async inject({ topology, underLoad }, random) {
      const codes: number[] = []
      const tries = await underLoad(random, async () => {
        for (const process of [...topology.http, ...topology.workers]) {
          codes.push(await process.end())
          await process.start()
        }
      })
      return [
        ...badTries(tries, false),
        ...codes.filter((code) => code !== 0).map((code) => `a process ended with ${code}`),
      ]
    },
  },
]
