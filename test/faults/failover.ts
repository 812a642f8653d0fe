import type { Node } from '../support/high-availability.ts'
import { createClient } from './client.ts'
import { badTries, type Fault, slowTries } from './fault.ts'
import type { Random } from './random.ts'
import type { Stage } from './stage.ts'
import { askSteadily } from './steady.ts'

/**
 * Faults of the servers in docs/high-availability.md. Callers are told to come again until the
 * engine has failed over, and for at most `followMs` more.
 */
export const failoverFaults: readonly Fault[] = [
  {
    id: 'F-61',
    what: 'the primary of PostgreSQL killed with its Patroni under load, and started again',
    needsHa: true,
    inject: (stage, random) =>
      failedOver(stage, random, async (primary) => {
        await primary.kill()
        return () => primary.start()
      }),
  },
  {
    id: 'F-62',
    what: 'the primary of PostgreSQL frozen with its Patroni under load, and thawed once another leads',
    needsHa: true,
    inject: (stage, random) =>
      failedOver(stage, random, async (primary) => {
        primary.freeze()
        return () => primary.thaw()
      }),
  },
  {
    id: 'F-63',
    what: 'the primary of PostgreSQL switched over under load',
    needsHa: true,
    inject: (stage, random) =>
      failedOver(stage, random, async (primary, other) => {
        await primary.switchOver(other.name)
        return () => {}
      }),
  },
  {
    id: 'F-64',
    what: 'the standby of PostgreSQL frozen with its Patroni under load, and thawed',
    needsHa: true,
    async inject(stage, random) {
      const { ha } = stage.topology
      const primary = await ha.primary()
      return observed(
        stage,
        random,
        async () => {
          ha.other(primary).freeze()
          await Bun.sleep(2_000)
          await ha.takesWrites(primary)
          const engineMs = performance.now()
          await Bun.sleep(followMs + 5_000)
          ha.other(primary).thaw()
          return engineMs
        },
        deadlineMs + 2_000,
      )
    },
  },
  {
    id: 'F-65',
    what: 'the master of Redis killed under load, and started again as a replica',
    needsHa: true,
    inject: (stage, random) =>
      unfelt(
        stage,
        random,
        async ({ pid }) => process.kill(pid, 'SIGKILL'),
        (master) => master.restart(),
      ),
  },
  {
    id: 'F-66',
    what: 'the master of Redis frozen under load, and thawed once another leads',
    needsHa: true,
    inject: (stage, random) =>
      unfelt(
        stage,
        random,
        async ({ pid }) => process.kill(pid, 'SIGSTOP'),
        async ({ pid }) => process.kill(pid, 'SIGCONT'),
      ),
  },
]

/** Writes that wait for a standby fail after this; reads go on. */
const deadlineMs = 6_000
/** The service writes again this long after the engine does. */
const followMs = 5_000
const answerLimitMs = 9_000
/** A new primary answers before it commits. */
const earlyMs = 2_000

/** `inject` takes the primary away, and answers what mends it. */
async function failedOver(
  stage: Stage,
  random: Random,
  inject: (primary: Node, other: Node) => Promise<() => void>,
): Promise<readonly string[]> {
  const { ha } = stage.topology
  const primary = await ha.primary()
  const other = ha.other(primary)
  const problems = await observed(stage, random, async () => {
    const mend = await inject(primary, other)
    await ha.takesWrites(other)
    const engineMs = performance.now()
    await Bun.sleep(followMs + 1_000)
    mend()
    await ha.whole()
    await Bun.sleep(followMs)
    return engineMs
  })
  const isKept = (await ha.primary()) === other
  return [...problems, ...(isKept ? [] : ['the old primary leads again'])]
}

/**
 * `inject` resolves to when the engine took writes again. `/readyz` is to say by `noticeMs` that it
 * does not: health is read with a limit of two seconds.
 */
async function observed(
  stage: Stage,
  random: Random,
  inject: () => Promise<number>,
  noticeMs = 4_000,
): Promise<readonly string[]> {
  const { topology, account, ledger, receiver } = stage
  const hurried = createClient(topology.http, account.v1Key)
  const name = `hurried ${random.between(1, 1_000_000_000)}`
  const health: { readonly atMs: number; readonly isReady: boolean }[] = []
  const watching = askSteadily(4, async (n) => {
    const atMs = performance.now()
    const { url } = topology.http[n % topology.http.length] ?? {}
    const { ok } = await fetch(`${url}/readyz`)
    health.push({ atMs, isReady: ok })
  })
  const writing = askSteadily(10, async (n) => {
    const body = { amount: 1, currency: 'USDC', description: `${name} ${n}`, ...buyer }
    const answer = await hurried.once('POST', '/v1/invoices', body, body.description)
    if (answer?.status !== 201) return
    const { data } = JSON.parse(answer.text)
    ledger.invoices.push({ id: data.id, number: data.invoiceNumber })
  })
  let [brokenMs, engineMs] = [0, 0]
  const load = await stage.underLoad(random, async () => {
    brokenMs = performance.now()
    engineMs = await inject()
  })
  await Promise.all([watching.stop(), writing.stop()])
  const tries = [...load, ...hurried.tries]
  const since = (ms: number) => `${((ms - engineMs) / 1_000).toFixed(1)} s`
  const refused = tries.filter(({ outcome }) => outcome === 503)
  const late = refused.filter(({ atMs }) => atMs > engineMs + followMs)
  const lastMs = Math.max(engineMs, ...refused.map(({ atMs }) => atMs))
  const firstReadyMs = Math.min(
    ...health.filter(({ atMs, isReady }) => atMs > engineMs && isReady).map(({ atMs }) => atMs),
  )
  const delivered = receiver.received.find(({ atMs }) => atMs > engineMs)
  stage.note(`the engine took writes after ${((engineMs - brokenMs) / 1_000).toFixed(1)} s`)
  stage.note(`the last 503 was to a request ${since(lastMs)} after that, of ${refused.length}`)
  stage.note(
    `ready after ${since(firstReadyMs)}, first delivery after ${since(delivered?.atMs ?? Infinity)}`,
  )
  const lies = health.filter(
    ({ atMs, isReady }) =>
      (isReady && atMs > brokenMs + noticeMs && atMs < engineMs - earlyMs) ||
      (!isReady && atMs > engineMs + followMs),
  )
  return [
    ...badTries(tries, true),
    ...slowTries(tries, answerLimitMs),
    ...late
      .slice(0, 5)
      .map(({ what, atMs }) => `${what}: 503 ${since(atMs)} after the engine was back`),
    ...lies.slice(0, 5).map(({ atMs, isReady }) => `/readyz said ${isReady} at ${since(atMs)}`),
  ]
}

const buyer = { customerName: 'Ada', customerEmail: 'ada@example.com' }

type Master = Awaited<ReturnType<Stage['topology']['ha']['redis']['master']>>

/** Redis holds nothing that PostgreSQL does not know: no caller notices that its master changes. */
async function unfelt(
  stage: Stage,
  random: Random,
  inject: (master: Master) => Promise<unknown>,
  mend: (master: Master) => Promise<unknown>,
): Promise<readonly string[]> {
  const { redis } = stage.topology.ha
  const master = await redis.master()
  let engineMs = 0
  const tries = await stage.underLoad(random, async () => {
    const startedMs = performance.now()
    await inject(master)
    while ((await redis.master()) === master) await Bun.sleep(100)
    engineMs = performance.now()
    stage.note(`another master after ${((engineMs - startedMs) / 1_000).toFixed(1)} s`)
    await Bun.sleep(followMs + 1_000)
    await mend(master)
    await redis.whole()
  })
  const delivered = stage.receiver.received.find(({ atMs }) => atMs > engineMs)
  stage.note(
    `first delivery ${(((delivered?.atMs ?? Infinity) - engineMs) / 1_000).toFixed(1)} s later`,
  )
  return [...badTries(tries, false), ...slowTries(tries, 5_000)]
}
