import type { Config } from '../config/config.ts'
import { isWatched } from '../config/notes.ts'
import type { Secrets } from '../config/secrets.ts'
import { invoiceChains, networks } from '../domain/network.ts'
import type { Backend } from '../queues/backends/backend.ts'
import type { Deliver } from '../queues/delivery/deliver.ts'
import { createOutbox } from '../queues/delivery/outbox.ts'
import type { QueueName, Queues } from '../queues/queues.ts'
import { createSweep, untilDone } from '../queues/sweep.ts'
import { balancesWork, watchWork } from '../queues/watching/work.ts'
import type { Work, WorkParts } from '../queues/work.ts'
import { createWorkers, type Processors } from '../queues/workers.ts'
import { sweepReservations } from '../storage/budgets/budgets.ts'
import * as InvoiceRows from '../storage/invoices/invoices.ts'
import * as MandateRows from '../storage/mandates/mandates.ts'
import { createClockCheck } from '../storage/postgres/clock-check.ts'
import { unhurriedMs } from '../storage/postgres/db.ts'
import type { Database } from '../storage/postgres/pools.ts'
import { bringForward } from '../storage/purchases/followed.ts'
import { markSales } from '../storage/settlement/transaction-uses.ts'
import { areTrustSignalsDue, rebuildTrustSignals } from '../storage/settlement/trust.ts'
import { due } from '../storage/webhooks/deliveries.ts'
import { fanOut } from '../storage/webhooks/outbox.ts'
import type { Log } from '../telemetry/log.ts'
import { createAnchors } from './anchors.ts'
import { newId, now, steadyMs } from './clock.ts'
import { createDeliveries } from './deliveries.ts'
import { noPurchases, purchaseWatch } from './purchases.ts'
import { createPruning, pruneEveryMs } from './retention.ts'
import type { Service } from './service.ts'

const sweepEveryMs = 15_000
const bringForwardEveryMs = 600_000
const markSalesEveryMs = 600_000
// Together with closing the workers (1 s), the queues and the database (5 s), this stays below the
// 14.5 s a process has to drain.
const jobDrainMs = 7_000
const anchorLookMs = 1_000
const webhooksPerJob = 20
// Any number may expire at the same moment, and each may take a megabyte of memory meanwhile.
const mandatesAtOnce = 50

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

/**
 * Starts all background work: watching, delivering, anchoring, expiring, and the sweep that finds
 * what was recoverDue. If the configuration names queues, only those are served.
 */
export function startWorkers(parts: WorkerParts): { stop(): Promise<void> } {
  const { config, log, backend, service } = parts
  const { sql, unhurriedSql } = parts.database
  const deliveries = createDeliveries(parts)
  const all = Object.entries(workOf(parts, deliveries))
  const served = all.filter(([name]) => config.queues.includes(name as QueueName))
  const schedule = async () => {
    for (const [, work] of served) await work.schedule?.()
    return 0
  }
  const processors: Processors = Object.fromEntries(
    served.map(([name, { process }]) => [name, process]),
  )
  const workers = createWorkers({ backend, log, processors })
  const checkClock = createClockCheck(sql, log)
  const sweep = createSweep({
    everyMs: sweepEveryMs,
    log,
    tasks: {
      schedules: schedule,
      ...Object.assign({}, ...served.map(([, { recoverDue }]) => recoverDue)),
      // Work without a queue of its own is done by every worker.
      claims: () => service.claims.recoverDue(),
      payments: () => service.paywall.reconcile(),
      unpaid: () => service.purchases.voidUnpaid(),
      postponed: seldom(bringForwardEveryMs, () => bringForward(sql)),
      sales: seldom(markSalesEveryMs, async () => {
        await markSales(unhurriedSql, unhurriedMs)
        return 0
      }),
      reservations: () => sweepReservations(sql, 10_000),
      clock: async () => {
        await checkClock()
        return 0
      },
    },
  })
  async function drainDeliveries(): Promise<void> {
    if (await deliveries.drain(jobDrainMs)) return
    log.warn({}, 'deliveries were still running at the deadline: they will be repeated')
  }

  workers.start()
  sweep.start()
  return {
    async stop() {
      // Concurrently: one after the other would exceed the time limit. Work that is cut off is
      // found again.
      await Promise.all([
        workers.drain(jobDrainMs),
        Promise.race([sweep.stop(), Bun.sleep(jobDrainMs)]),
        drainDeliveries(),
      ])
    },
  }
}

/** A task that does its work the first time, and later once so much time has passed. */
function seldom(everyMs: number, work: () => Promise<number>): () => Promise<number> {
  let dueMs = steadyMs()
  return async () => {
    if (steadyMs() < dueMs) return 0
    const found = await work()
    dueMs = steadyMs() + everyMs
    return found
  }
}

function workOf(parts: WorkerParts, deliveries: Deliver): WorkTable {
  const { config, queues } = parts
  const work = workParts(parts)
  const watched = networks.filter(
    (network) => isWatched(config, network) && config.queues.includes(`watch-${network}`),
  )
  const watches = watched.map((network) => {
    const chain = invoiceChains.find((one) => one === network)
    const purchases = chain ? purchaseWatch(chain, parts) : noPurchases
    return [`watch-${network}`, watchWork(network, work, purchases)]
  })
  return {
    ...Object.fromEntries(watches),
    ...deliveryWork(parts, deliveries),
    anchor: anchorWork(parts),
    expiry: expiryWork(parts),
    trust: trustWork(parts),
    retention: {
      process: createPruning(parts),
      schedule: () => queues.every('retention', {}, pruneEveryMs),
    },
    balances: balancesWork(work),
  }
}

function workParts({ config, secrets, log, database, queues, service }: WorkerParts): WorkParts {
  const { anchorPrivateKey } = secrets
  const { sql, patientSql, unhurriedSql } = database
  const { invoices, mandates, live, metrics, references, openSecret, egress } = service
  const actors = { invoices, mandates, live }
  const clock = { now, steadyMs, newId }
  const means = { metrics, references, openSecret, egress }
  return {
    config,
    anchorPrivateKey,
    log,
    sql,
    patientSql,
    unhurriedSql,
    queues,
    ...actors,
    ...means,
    ...clock,
  }
}

function trustWork({ database: { sql, unhurriedSql }, queues }: WorkerParts): Work<'trust'> {
  return {
    async process() {
      // Another worker's sweep may have asked for it just before it was done.
      if (await areTrustSignalsDue(sql)) await rebuildTrustSignals(unhurriedSql, unhurriedMs)
    },
    recoverDue: {
      async trust() {
        if (!(await areTrustSignalsDue(sql))) return 0
        // Once for as long as a count may take, and not longer: a wrong clock may have put it off.
        const jobId = `night-${Math.floor(Date.now() / unhurriedMs)}`
        await queues.add('trust', {}, { jobId })
        return 1
      },
    },
  }
}

function deliveryWork({ database: { sql }, queues }: WorkerParts, deliveries: Deliver) {
  /** Several webhooks per job: a job each would cost the queue more than the deliveries. */
  const ringFor = async (webhookIds: readonly string[]) => {
    for (let at = 0; at < webhookIds.length; at += webhooksPerJob)
      await queues.add('deliver', { webhookIds: webhookIds.slice(at, at + webhooksPerJob) })
  }
  const fanOutAll = createOutbox({
    fanOut: (limit) => fanOut(sql, limit),
    deliver: (webhookIds) => void ringFor(webhookIds),
  })
  const outbox: Work<'outbox'> = {
    process: async () => void (await fanOutAll()),
    recoverDue: { events: fanOutAll },
  }
  const deliver: Work<'deliver'> = {
    process: async ({ webhookIds }) => deliveries.ring(webhookIds),
    recoverDue: {
      deliveries: async () => {
        const webhookIds = await due(sql)
        await ringFor(webhookIds)
        return webhookIds.length
      },
    },
  }
  return { outbox, deliver }
}

function anchorWork(parts: WorkerParts): Work<'anchor'> {
  const { queues } = parts
  const anchorWorker = createAnchors(parts)
  const anchorAll = async () => {
    const { openTransactions } = (await anchorWorker?.run()) ?? { openTransactions: 0 }
    // At most one look per second, whoever requests it: the job id names the second.
    const jobId = `look-${Math.floor(Date.now() / anchorLookMs)}`
    // Null: another process is sending. It may have read the owed events before the one that woke
    // us was added.
    if (openTransactions !== 0) await queues.add('anchor', {}, { jobId, delayMs: anchorLookMs })
    return openTransactions ?? 0
  }
  return {
    ...(anchorWorker && { process: async () => void (await anchorAll()) }),
    recoverDue: { anchors: anchorAll },
  }
}

function expiryWork({ database: { sql }, log, service }: WorkerParts): Work<'expiry'> {
  const expire = async ({ id, at }: InvoiceRows.Overdue) =>
    void (await service.invoices.execute(id, { kind: 'expire', at }))
  /** One whose chain has not been read to its due date yet is left to the sweep. */
  const expireIfRead = async (invoiceId: string) => {
    const found = await InvoiceRows.findOverdue(sql, invoiceId)
    if (found) await expire(found)
  }
  const patience = {
    limitMs: sweepEveryMs,
    onFault: (err: unknown, failed: number) =>
      log.error({ err, failed }, 'what is overdue could not expire'),
  }
  return {
    process: (what) =>
      'invoiceId' in what
        ? expireIfRead(what.invoiceId)
        : service.mandates.expire(what.accountId, what.mandateId),
    recoverDue: {
      expiries: untilDone({
        find: (most) => InvoiceRows.overdue(sql, most),
        deal: expire,
        ...patience,
      }),
      mandates: untilDone({
        find: (most) => MandateRows.due(sql, most),
        deal: ({ accountId, id }) => service.mandates.expire(accountId, id),
        ...patience,
        atOnce: mandatesAtOnce,
      }),
    },
  }
}
