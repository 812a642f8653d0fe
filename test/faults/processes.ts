import { toBytes } from '../../src/storage/postgres/chain-bytes.ts'
import { connect } from '../../src/storage/postgres/db.ts'
import { startReceiver } from '../support/receiver.ts'
import { startService } from '../support/service.ts'
import type { Topology } from '../support/topology.ts'
import { eventually } from '../support/wait.ts'
import { createClient } from './client.ts'
import { badTries, type Fault, timeUntilRead } from './fault.ts'
import { killedAt, watchPoints } from './points.ts'
import { askSteadily, percentile } from './steady.ts'

/** A job's lock of 10 s, a poll every 5 s, and a margin for busy machines. */
const takeOverMs = 30_000
const longerThanLocksMs = 20_000
const buyer = { customerName: 'Ada', customerEmail: 'ada@example.com' }

/** Faults that kill, freeze or stop processes at work. */
export const processFaults: readonly Fault[] = [
  {
    id: 'F-01',
    what: 'http processes killed again and again, under load and a hundred invoices a second',
    async inject(stage, random) {
      const { topology, account, ledger, share } = stage
      const client = createClient(topology.http, account.v1Key)
      const name = `steady ${random.between(1, 1_000_000_000)}`
      const tookMs: number[] = []
      async function create(n: number): Promise<void> {
        const startedMs = performance.now()
        const body = { amount: 1, currency: 'USDC', description: `${name} ${n}`, ...buyer }
        const { data } = await client.call('POST', '/v1/invoices', body, body.description)
        tookMs.push(performance.now() - startedMs)
        ledger.invoices.push({ id: data.id, number: data.invoiceNumber })
      }
      const tries = await stage.underLoad(random, async () => {
        const steady = askSteadily(100, create)
        for (let round = 0; round < share(20); round++) {
          const victim = random.pick(topology.http)
          await victim.kill()
          await Bun.sleep(random.between(50, 500))
          await victim.start()
        }
        await steady.stop()
      })
      const broken = client.tries.filter(({ outcome }) => outcome === 'refused')
      const mostMs = Math.round(percentile(tookMs, 99))
      stage.note(`${tookMs.length} invoices, 99 % of them within ${mostMs} ms, tried again or not`)
      stage.note(`${broken.length} tries broken by a kill`)
      return [
        ...badTries([...tries, ...client.tries], false),
        ...stage.measured(
          'the longest broken try',
          Math.max(0, ...broken.map((one) => one.tookMs)),
          1_000,
        ),
        ...(tookMs.length > 0 ? [] : ['nothing was asked']),
      ]
    },
  },
  {
    id: 'F-03',
    what: 'workers killed before and after every statement of a watcher’s step, under load',
    async inject(stage, random) {
      const tookMs: number[] = []
      const tries = await stage.underLoad(random, async () => {
        for (const point of watchPoints) {
          for (let round = 0; round < stage.share(10); round++)
            for (const victim of await killedAt(stage, point)) await victim.start()
          const head = Number(await stage.topology.base.rpc('eth_blockNumber'))
          tookMs.push(await timeUntilRead(stage, head))
        }
      })
      const slowest = stage.measured('settled after a start', Math.max(...tookMs), 10_000)
      return [...badTries(tries, false), ...slowest]
    },
  },
  {
    id: 'F-04',
    what: 'workers killed by their receiver, in the middle of a delivery',
    async inject(stage, random) {
      const { topology, account, share, underLoad } = stage
      let kills = 0
      // One restart at a time: of two overlapping ones, the later would find the worker's port in
      // use.
      let restarts = Promise.resolve()
      const restart = async () => {
        await Promise.all(topology.workers.map((worker) => worker.kill()))
        await Promise.all(topology.workers.map((worker) => worker.start()))
      }
      const receiver = startReceiver(async () => {
        if (kills >= share(6)) return new Response(null, { status: 204 })
        kills++
        restarts = restarts.then(restart)
        await restarts
        return new Response(null, { status: 204 })
      })
      const client = createClient(topology.http, account.v1Key)
      const hook = { url: receiver.url, events: ['invoice.created'] }
      const { data } = await client.call('POST', '/v1/webhooks', hook)
      const tries = await underLoad(random, () => Bun.sleep(2_000))
      const unrest = await stage.quiet()
      await restarts
      await client.call('DELETE', `/v1/webhooks/${data.id}`)
      await receiver.stop()
      const ids = receiver.received.map(({ headers }) => headers['webhook-id'])
      return [
        ...badTries(tries, false),
        ...unrest,
        ...(mostOften(ids) > kills + 1 ? ['a kill cost more than one repetition'] : []),
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
    what: 'a worker frozen for longer than its locks as it commits a step, then woken',
    async inject(stage, random) {
      const { topology, share, receiver } = stage
      const before = receiver.received.length
      let refusal: string | null = null
      const tries = await stage.underLoad(random, async () => {
        refusal = await frozenAtCommit(topology, longerThanLocksMs + share(70_000))
      })
      const ids = receiver.received.slice(before).map(({ headers }) => headers['webhook-id'])
      const most = mostOften(ids)
      stage.note(
        `the stale commit was answered ${refusal}, ${ids.length - new Set(ids).size} events sent again`,
      )
      return [
        ...badTries(tries, false),
        ...(refusal !== null ? [] : ['the commit of the woken worker was not refused']),
        ...(most <= 2 ? [] : [`an event was sent ${most} times`]),
      ]
    },
  },
  {
    id: 'F-07',
    what: 'each worker frozen in turn: the other one goes on watching',
    async inject({ topology, account, ledger }) {
      const client = createClient(topology.http, account.v1Key)
      const { base, wallets, sql } = topology
      for (const victim of topology.workers) {
        const body = { amount: 2, currency: 'USDC', ...buyer }
        const { data } = await client.call('POST', '/v1/invoices', body)
        victim.signal('SIGSTOP')
        const txHash = await base.transfer({
          from: base.wallet(6).address,
          to: wallets.base,
          usdcBase: 2_000_000n,
          reference: data.paymentDetails.reference,
        })
        ledger.paidInvoiceIds.push(data.id)
        const isRecorded = async () =>
          (await sql`select from transfers where tx_hash = ${toBytes(txHash)}`).length === 1
        await eventually(isRecorded, takeOverMs).finally(() => victim.signal('SIGCONT'))
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
  {
    id: 'F-57',
    what: 'three processes started at once on an empty database',
    async inject({ topology }, random) {
      const name = `fresh_${random.between(1, 1_000_000_000)}`
      await topology.sql.unsafe(`create database ${name}`)
      const url = new URL(topology.env.DATABASE_URL ?? '')
      url.pathname = `/${name}`
      const { REDIS_URL: _, ...env } = topology.env
      const services = await Promise.all(
        ['http', 'worker', 'all'].map((role) =>
          startService({ ...env, DATABASE_URL: url.href, ROLE: role }),
        ),
      )
      const sql = connect(url.href, { max: 1, name: 'onlooker' })
      const twice = await sql`select name from migrations group by name having count(*) > 1`
      const tables = await sql`select from pg_tables where tablename = 'invoices'`
      const codes = await Promise.all(services.map((service) => service.stop()))
      await sql.end()
      await topology.sql.unsafe(`drop database ${name} with (force)`)
      return [
        ...twice.map(({ name }) => `${name} was run twice`),
        ...(tables.length === 0 ? ['there is no schema'] : []),
        ...codes.filter((code) => code !== 0).map((code) => `a process ended with ${code}`),
      ]
    },
  },
]

/**
 * Freezes the next worker that commits a watcher's step, and wakes it after `frozenMs`, when its
 * commit reaches PostgreSQL. Answers the SQLSTATE with which the commit is refused, or null if it
 * succeeds.
 */
async function frozenAtCommit(
  { workers, statements }: Topology,
  frozenMs: number,
): Promise<string | null> {
  const { promise, resolve } = Promise.withResolvers<string | null>()
  const commit = 'insert into transfers (chain'
  // Only connections that have prepared the statement: PostgreSQL would cancel one that is
  // described and then kept waiting.
  const prepared = new Set<number>()
  // The connection of the frozen commit; the worker may be committing steps of several chains.
  let held: number | null = null
  statements.intercept(({ process, connection, at, text, code }) => {
    const worker = workers.find(({ name }) => name === process)
    if (!worker || !text.includes(commit)) return undefined
    if (held === connection && at === 'answered') resolve(code)
    if (at === 'answered') prepared.add(connection)
    if (held !== null || at !== 'asked' || !prepared.has(connection)) return undefined
    held = connection
    worker.signal('SIGSTOP')
    return Bun.sleep(frozenMs).then(() => {
      worker.signal('SIGCONT')
      return 'pass'
    })
  })
  return promise.finally(() => statements.intercept(null))
}

function mostOften(names: readonly unknown[]): number {
  const counts = [...Map.groupBy(names, (name) => name).values()].map((same) => same.length)
  return Math.max(0, ...counts)
}
