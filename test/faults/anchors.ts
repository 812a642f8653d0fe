import { badTries, type Fault } from './fault.ts'
import type { Random } from './random.ts'
import type { Stage } from './stage.ts'

/** What the anchor chain may suffer: transitions and settlements go on, and in the end every event is on it once. */
export const anchorFaults: readonly Fault[] = [
  {
    id: 'F-36',
    what: 'the anchor chain’s node away for two minutes under load',
    inject: (stage, random) =>
      unnoticed(stage, random, async () => {
        stage.topology.anchorRelay.misbehave(() => new Response(null, { status: 503 }))
        await Bun.sleep(stage.share(120_000))
        stage.topology.anchorRelay.behave()
      }),
  },
  {
    id: 'F-37',
    what: 'workers killed while they anchor, again and again under load',
    inject: (stage, random) =>
      unnoticed(stage, random, async () => {
        for (let round = 0; round < stage.share(40); round++) {
          const victims = stage.topology.workers
          await Bun.sleep(random.between(200, 1_200))
          await Promise.all(victims.map((victim) => victim.kill()))
          await Promise.all(victims.map((victim) => victim.start()))
        }
      }),
  },
  {
    id: 'F-38',
    what: 'the anchor chain’s pending transactions dropped, again and again under load',
    inject: (stage, random) =>
      unnoticed(stage, random, async () => {
        for (let round = 0; round < stage.share(100); round++) {
          await stage.topology.anchorNode.rpc('anvil_dropAllTransactions')
          await Bun.sleep(random.between(100, 600))
        }
      }),
  },
  {
    id: 'F-39',
    what: 'anchors reorganised away under load',
    inject: (stage, random) =>
      unnoticed(stage, random, async () => {
        for (let round = 0; round < stage.share(20); round++) {
          await Bun.sleep(random.between(1_000, 3_000))
          await stage.topology.anchorNode.reorg(random.between(1, 2))
        }
      }),
  },
]

async function unnoticed({ underLoad }: Stage, random: Random, inject: () => Promise<void>) {
  return badTries(await underLoad(random, inject), false)
}
