import { badTries, type Fault, slowTries } from './fault.ts'

/** What PostgreSQL may suffer: callers are told to come again, and nothing that was acknowledged is lost. */
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
  ...(['immediate', 'fast'] as const).map((how) => ({
    id: how === 'immediate' ? 'F-13' : 'F-14',
    what: `PostgreSQL stopped (${how}) for 4 s under load, and started again`,
    inject: (async ({ topology, underLoad }, random) => {
      let startedMs = 0
      const tries = await underLoad(random, async () => {
        await topology.postgres.end(how)
        await Bun.sleep(4_000)
        await topology.postgres.start()
        startedMs = performance.now()
        await Bun.sleep(recoveryMs)
      })
      const late = tries.filter(
        ({ outcome, atMs }) => outcome === 503 && atMs > startedMs + recoveryMs,
      )
      return [
        ...badTries(tries, true),
        ...slowTries(tries, answerLimitMs),
        ...late.slice(0, 5).map(({ what, at }) => `${what} at ${at}: 503 after the recovery`),
      ]
    }) satisfies Fault['inject'],
  })),
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

const recoveryMs = 5_000
/** Every request is answered, well or not, within 6 s; the rest is for busy machines. */
const answerLimitMs = 9_000
