import { closeMonths } from '../actors/months.ts'
import type { Config } from '../config/config.ts'
import { isWatched } from '../config/notes.ts'
import type { Secrets } from '../config/secrets.ts'
import { networks } from '../domain/network.ts'
import { anchorWork } from '../queues/anchoring/work.ts'
import type { Backend } from '../queues/backends/backend.ts'
import { deliveryWork } from '../queues/delivery/work.ts'
import { expiryWork } from '../queues/expiry.ts'
import type { QueueName, Queues } from '../queues/queues.ts'
import { ratesWork } from '../queues/rates.ts'
import { retentionWork } from '../queues/retention.ts'
import { createSweep, sweepEveryMs, type Tasks } from '../queues/sweep.ts'
import { trustWork } from '../queues/trust.ts'
import { balancesWork, watchWork } from '../queues/watching/work.ts'
import type { Work, WorkParts } from '../queues/work.ts'
import { createWorkers, type Processors } from '../queues/workers.ts'
import { sweepReservations } from '../storage/budgets/budgets.ts'
import { createClockCheck } from '../storage/postgres/clock-check.ts'
import { serverTime } from '../storage/postgres/database-server.ts'
import type { Database } from '../storage/postgres/pools.ts'
import { forgetAnswers } from '../storage/purchases/deliveries.ts'
import { markUsed } from '../storage/settlement/uses.ts'
import type { Log } from '../telemetry/log.ts'
import { steadyMs } from './clock.ts'
import type { Service } from './service.ts'

const seldomMs = 600_000
// With closing the workers (1 s), queues and database (5 s), this stays below 14.5 s.
const jobDrainMs = 7_000

export type WorkerParts = {
  readonly config: Config
  readonly secrets: Secrets
  readonly log: Log
  readonly database: Database
  readonly backend: Backend
  readonly queues: Queues
  readonly service: Service
}

type WorkTable = { readonly [Name in QueueName]?: Work<Name> }

/** Starts the workers of the configured queues, and the sweep that finds what lost jobs left. */
export function startWorkers(parts: WorkerParts): { stop(): Promise<void> } {
  const { config, log, backend } = parts
  const { drain, ...delivery } = deliveryWork(workParts(parts))
  const works = Object.entries({ ...workTable(parts), ...delivery })
  const served = works.filter(([name]) => config.queues.includes(name as QueueName))
  const processors: Processors = Object.fromEntries(
    served.map(([name, { process }]) => [name, process]),
  )
  const workers = createWorkers({ backend, log, processors })
  const sweep = createSweep({
    everyMs: sweepEveryMs,
    log,
    tasks: {
      async schedules() {
        for (const [, work] of served) await work.schedule?.()
        return 0
      },
      ...Object.assign({}, ...served.map(([, { recoverDue }]) => recoverDue)),
      ...tasksWithoutQueue(parts),
    },
  })
  async function drainDeliveries(): Promise<void> {
    if (await drain(jobDrainMs)) return
    log.warn({}, 'deliveries were still running at the deadline: they will be repeated')
  }

  workers.start()
  sweep.start()
  return {
    async stop() {
      // Concurrently, for the time limit. Work that is cut off is found again.
      await Promise.all([
        workers.drain(jobDrainMs),
        Promise.race([sweep.stop(), Bun.sleep(jobDrainMs)]),
        drainDeliveries(),
      ])
    },
  }
}

function tasksWithoutQueue({ log, database, service }: WorkerParts): Tasks {
  const { sql, unhurriedSql } = database
  const checkClock = createClockCheck(sql, log)
  return {
    claims: () => service.claims.recoverDue(),
    payments: () => service.paywall.reconcile(),
    unpaid: () => service.purchases.endUnpaid(),
    keptAnswers: () => forgetAnswers(sql, 1_000),
    used: seldom(async () => {
      await markUsed(unhurriedSql)
      return 0
    }),
    months: seldom(() => closeMonths({ sql, unhurriedSql, now: service.now, log })),
    reservations: () => sweepReservations(sql, 10_000),
    async clock() {
      service.databaseClock.learn(await serverTime(sql))
      await checkClock()
      return 0
    },
  }
}

/** A task that does its work every ten minutes, the first time at once. */
function seldom(work: () => Promise<number>): () => Promise<number> {
  let dueMs = steadyMs()
  return async () => {
    if (steadyMs() < dueMs) return 0
    const found = await work()
    dueMs = steadyMs() + seldomMs
    return found
  }
}

function workTable(parts: WorkerParts): WorkTable {
  const { config } = parts
  const work = workParts(parts)
  const watched = networks.filter(
    (network) => isWatched(config, network) && config.queues.includes(`watch-${network}`),
  )
  const watches = watched.map((network) => [`watch-${network}`, watchWork(network, work)] as const)
  return {
    ...Object.fromEntries(watches),
    balances: balancesWork(work),
    rates: ratesWork(work),
    anchor: anchorWork(work),
    expiry: expiryWork(work),
    trust: trustWork(work),
    retention: retentionWork(work),
  }
}

function workParts({ config, secrets, log, database, queues, service }: WorkerParts): WorkParts {
  const { anchorPrivateKey } = secrets
  const { sql, patientSql, unhurriedSql } = database
  const { metrics, tracing, references, openSecret, egress } = service
  const { invoices, mandates, creditNotes, purchases, purchaseReaders, secondNodes } = service
  const { live, now, newId } = service
  return {
    ...{ config, anchorPrivateKey, log, queues, metrics, tracing, references, openSecret, egress },
    ...{ sql, patientSql, unhurriedSql },
    ...{ invoices, mandates, creditNotes, purchases, purchaseReaders, secondNodes, live },
    ...{ now, steadyMs, newId },
  }
}
