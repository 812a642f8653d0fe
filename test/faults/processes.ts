import { startReceiver } from '../support/receiver.ts'
import { eventually } from '../support/wait.ts'
import { createClient } from './client.ts'
import { badTries, type Fault } from './fault.ts'

/** A job's lock of 10 s, a look every 5 s, and some more for busy machines. */
const takeOverMs = 30_000
const longerThanLocksMs = 20_000

/** Processes that are killed, stopped or ended while they work. */
export const processFaults: readonly Fault[] = [
  {
    id: 'F-01',
    what: 'http processes killed again and again under load',
    inject: async ({ topology, share, underLoad }, random) =>
      badTries(
        await underLoad(random, async () => {
          for (let round = 0; round < share(20); round++) {
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
    inject: async ({ topology, share, underLoad }, random) =>
      badTries(
        await underLoad(random, async () => {
          for (let round = 0; round < share(40); round++) {
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
    id: 'F-04',
    what: 'workers killed by their receiver, in the middle of a delivery',
    async inject(stage, random) {
      const { topology, account, share, underLoad } = stage
      let kills = 0
      const receiver = startReceiver(async () => {
        if (kills >= share(6)) return new Response(null, { status: 204 })
        kills++
        await Promise.all(topology.workers.map((worker) => worker.kill()))
        await Promise.all(topology.workers.map((worker) => worker.start()))
        return new Response(null, { status: 204 })
      })
      const client = createClient(topology.http, account.v1Key)
      const hook = { url: receiver.url, events: ['invoice.created'] }
      const { data } = await client.call('POST', '/v1/webhooks', hook)
      const tries = await underLoad(random, () => Bun.sleep(2_000))
      const unrest = await stage.quiet()
      await client.call('DELETE', `/v1/webhooks/${data.id}`)
      await receiver.stop()
      const ids = receiver.received.map(({ headers }) => headers['webhook-id'])
      const counts = [...Map.groupBy(ids, (id) => id).values()].map((same) => same.length)
      return [
        ...badTries(tries, false),
        ...unrest,
        ...(Math.max(...counts) > kills + 1 ? ['a kill cost more than one repetition'] : []),
      ]
    },
  },
  {
    id: 'F-05',
    what: 'every process killed at once under load, in rounds',
    inject: async ({ topology, share, underLoad }, random) =>
      badTries(
        await underLoad(random, async () => {
          const all = [...topology.http, ...topology.workers]
          for (let round = 0; round < share(20); round++) {
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
    inject: async ({ topology, share, underLoad }, random) =>
      badTries(
        await underLoad(random, async () => {
          const victim = random.pick(topology.workers)
          victim.signal('SIGSTOP')
          await Bun.sleep(longerThanLocksMs + share(70_000))
          victim.signal('SIGCONT')
        }),
        false,
      ),
  },
  {
    id: 'F-07',
    what: 'each worker frozen in turn: the other one goes on watching',
    async inject({ topology, account, ledger }) {
      const client = createClient(topology.http, account.v1Key)
      const { base, wallets, sql } = topology
      for (const victim of topology.workers) {
        const body = { amount: 2, currency: 'USDC', customerName: 'Ada', customerEmail: 'a@b.test' }
        const { data } = await client.call('POST', '/v1/invoices', body)
        victim.signal('SIGSTOP')
        const txHash = await base.transfer({
          from: base.wallet(6).address,
          to: wallets.base,
          usdcBase: 2_000_000n,
          reference: data.paymentDetails.reference,
        })
        ledger.paidInvoiceIds.push(data.id)
        const look = async () =>
          (await sql`select from transfers where tx_hash = ${txHash}`).length === 1
        await eventually(look, takeOverMs).finally(() => victim.signal('SIGCONT'))
      }
      return []
    },
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
