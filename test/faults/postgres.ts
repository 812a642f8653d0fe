import { createClient, type Try } from './client.ts'
import { badTries, type Fault, slowTries } from './fault.ts'
import type { Stage } from './stage.ts'
import { askSteadily } from './steady.ts'

/** Faults of PostgreSQL. Callers are told to retry, and nothing acknowledged is lost. */
export const postgresFaults: readonly Fault[] = [
  {
    id: 'F-12',
    what: 'connections to PostgreSQL cut by the server, again and again under load',
    inject: async ({ topology, share, underLoad }, random) =>
      badTries(
        await underLoad(random, async () => {
          for (let round = 0; round < share(200); round++) {
            await topology.sql`select pg_terminate_backend(pid) from pg_stat_activity
              where application_name like 'quittance %' and pid <> pg_backend_pid() and random() < ${random.next()}`
            await Bun.sleep(random.between(50, 400))
          }
        }),
        true,
      ),
  },
  {
    id: 'F-13',
    what: 'PostgreSQL stopped (immediate) for 4 s under load, and started again',
    async inject(stage, random) {
      let startedMs = 0
      const tries = await stage.underLoad(random, async () => {
        startedMs = await restarted(stage, 'immediate')
      })
      return judged(stage, tries, startedMs)
    },
  },
  {
    id: 'F-14',
    what: 'PostgreSQL stopped (fast) for 4 s under load and 500 requests a second, and started again',
    async inject(stage, random) {
      const { topology, account, ledger } = stage
      const hurried = createClient(topology.http, account.v1Key)
      const name = `hurried ${random.between(1, 1_000_000_000)}`
      let startedMs = 0
      const tries = await stage.underLoad(random, async () => {
        const overload = askSteadily(500, async (n) => {
          if (n % 5 !== 0) return void (await hurried.once('GET', '/v1/invoices?limit=1'))
          const body = { amount: 1, currency: 'USDC', description: `${name} ${n}`, ...buyer }
          const answer = await hurried.once('POST', '/v1/invoices', body, body.description)
          if (answer?.status !== 201) return
          const { data } = JSON.parse(answer.text)
          ledger.invoices.push({ id: data.id, number: data.invoiceNumber })
        })
        await Bun.sleep(2_000)
        startedMs = await restarted(stage, 'fast')
        await overload.stop()
      })
      const unavailable = hurried.tries.filter(({ outcome }) => outcome === 503)
      stage.note(`${hurried.tries.length} hurried requests, ${unavailable.length} answered 503`)
      return [
        ...judged(stage, [...tries, ...hurried.tries], startedMs),
        ...(unavailable.length > 0 ? [] : ['nobody was told to come again']),
      ]
    },
  },
  {
    id: 'F-15',
    what: 'PostgreSQL out of reach without a word for a minute under load',
    async inject({ topology, share, underLoad }, random) {
      const tries = await underLoad(random, async () => {
        topology.postgres.relay.stall()
        await Bun.sleep(share(60_000))
        topology.postgres.relay.heal()
      })
      return [...badTries(tries, true), ...slowTries(tries, answerLimitMs)]
    },
  },
]

const buyer = { customerName: 'Ada', customerEmail: 'ada@example.com' }
const recoveryMs = 5_000
/**
 * A request gets an answer within 6 s, whether it succeeds or not. The rest is margin for a busy
 * machine.
 */
const answerLimitMs = 9_000

/**
 * Stops PostgreSQL, starts it again and leaves the processes time to reconnect. Answers when it was
 * started.
 */
async function restarted({ topology }: Stage, how: 'immediate' | 'fast'): Promise<number> {
  await topology.postgres.end(how)
  await Bun.sleep(4_000)
  await topology.postgres.start()
  const startedMs = performance.now()
  await Bun.sleep(recoveryMs)
  return startedMs
}

/**
 * Judges the attempts around a restart: each must be answered in time, and none that began after
 * the recovery may get a 503.
 */
function judged(stage: Stage, tries: readonly Try[], startedMs: number): readonly string[] {
  const refused = tries.filter(({ outcome }) => outcome === 503)
  const lastMs = Math.max(0, ...refused.map(({ atMs }) => atMs - startedMs))
  const hasty = refused.filter(({ retryAfter }) => retryAfter === null)
  const longest = Math.max(0, ...tries.map(({ tookMs }) => tookMs))
  stage.note(`the last request answered 503 came ${Math.round(lastMs)} ms after the start`)
  return [
    ...badTries(tries, true),
    ...(lastMs > recoveryMs
      ? [`a request was answered 503 when it came ${lastMs} ms after the start`]
      : []),
    ...stage.measured('the longest answer', longest, 6_000),
    ...hasty.slice(0, 5).map(({ what, at }) => `${what} at ${at}: 503 without Retry-After`),
  ]
}
