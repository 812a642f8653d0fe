import type { Topology } from '../support/topology.ts'
import { eventually } from '../support/wait.ts'
import { type Fault, unnoticed } from './fault.ts'
import { anchorPoints, killedAt, killedAtBroadcast } from './points.ts'

/**
 * Faults of the anchor chain. Transitions and settlements must go on meanwhile, and in the end
 * every event is on the chain exactly once.
 */
export const anchorFaults: readonly Fault[] = [
  {
    id: 'F-36',
    what: 'the anchor chain’s node away for two minutes, which are dated as more than ten, under load',
    async inject(stage, random) {
      const { topology, share } = stage
      const problems: string[] = []
      let anchoredMs = 0
      const tries = await unnoticed(stage, random, async () => {
        topology.anchorRelay.misbehave(() => new Response(null, { status: 503 }))
        await Bun.sleep(share(120_000))
        // After the first seconds, only the age of the oldest owed event matters: the warning
        // depends on it.
        await topology.sql`update anchors set created_at = created_at - interval '10 minutes'
          where state in ('pending', 'sent')`
        await topology.sql`update receipts set issued_at = issued_at - interval '10 minutes' where batch_id is null`
        await eventually(() => warningsOfAge(topology) > 0, 60_000).catch(() => {
          problems.push('no log line says that anchors wait for more than ten minutes')
        })
        const backAt = new Date()
        topology.anchorRelay.behave()
        anchoredMs = await timeUntilAnchored(topology, backAt)
      })
      return [
        ...tries,
        ...problems,
        ...stage.measured('anchored', anchoredMs, 60_000),
        ...(await outOfOrder(topology)),
      ]
    },
  },
  {
    id: 'F-37',
    what: 'workers killed between signing, storing, broadcasting and recording an anchor, under load',
    inject: (stage, random) =>
      unnoticed(stage, random, async () => {
        const kills = [
          ...anchorPoints.map((point) => () => killedAt(stage, point)),
          () => killedAtBroadcast(stage, 'before'),
          () => killedAtBroadcast(stage, 'after'),
        ]
        for (let round = 0; round < Math.max(stage.share(100), kills.length); round++) {
          const victims = (await kills[round % kills.length]?.()) ?? []
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

function warningsOfAge({ workers }: Topology): number {
  const lines = workers.flatMap(({ log }) => log())
  return lines.filter(({ msg }) => msg === 'events wait to be anchored for more than ten minutes')
    .length
}

/** The milliseconds from now until everything owed at `at` is on the chain. */
async function timeUntilAnchored({ sql }: Topology, at: Date): Promise<number> {
  const startedMs = performance.now()
  const isAnchored = async () =>
    (
      await sql`
        select from anchors where state in ('pending', 'sent') and created_at < ${at}
        union all select from receipts where batch_id is null and revoked_at is null and issued_at < ${at}`
    ).length === 0
  await eventually(isAnchored, 600_000)
  return performance.now() - startedMs
}

/** Events that are on the chain before an earlier event of the same subject. */
async function outOfOrder({ sql }: Topology): Promise<readonly string[]> {
  const rows = await sql<{ subjectId: string }[]>`
    select later.subject_id as "subjectId" from anchors later join anchors earlier
      on earlier.kind = later.kind and earlier.subject_id = later.subject_id and earlier.sequence < later.sequence
    where (later.block_number, later.log_index) < (earlier.block_number, earlier.log_index)`
  return rows.map(({ subjectId }) => `the events of ${subjectId} are on the chain in another order`)
}
