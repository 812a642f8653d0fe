import type { Config } from '../config.ts'
import type { Log } from '../log.ts'
import type { Backend } from '../queues/backend.ts'
import { createOutbox } from '../queues/delivery/outbox.ts'
import type { QueueName, Queues } from '../queues/queues.ts'
import { createSweep, type Tasks, untilDone } from '../queues/sweep.ts'
import { createWorkers, type Processors } from '../queues/workers.ts'
import type { Secrets } from '../secrets.ts'
import { sweepReservations } from '../storage/budgets.ts'
import { unhurriedMs } from '../storage/db.ts'
import { due } from '../storage/deliveries.ts'
import * as InvoiceRows from '../storage/invoices.ts'
import * as MandateRows from '../storage/mandates.ts'
import { fanOut } from '../storage/outbox.ts'
import { rebuildTrustSignals } from '../storage/trust.ts'
import { createAnchors } from './anchors.ts'
import { checkEveryMs, createBalanceChecks } from './balances.ts'
import { now } from './clock.ts'
import type { Database } from './database.ts'
import { createDeliveries } from './deliveries.ts'
import { createPruning, pruneEveryMs } from './retention.ts'
import type { Service } from './service.ts'
import { createWatchers } from './watchers.ts'

const sweepEveryMs = 15_000
// Together with closing the workers (1 s), the queues and the database (5 s), this stays below the
// 14.5 s a process has to drain.
const jobDrainMs = 7_000
const anchorLookMs = 1_000
const webhooksPerJob = 20

export type WorkerParts = {
  readonly config: Config
  readonly secrets: Secrets
  readonly log: Log
  readonly database: Database
  readonly backend: Backend
  readonly queues: Queues
  readonly service: Service
}

/**
 * Starts all background work: watching, delivering, anchoring, expiring, and the sweep that finds
 * what was overlooked. If the configuration names queues, only those are served.
 */
export function startWorkers(parts: WorkerParts): { stop(): Promise<void> } {
  const { config, log, backend, queues, service } = parts
  const { sql, unhurriedSql } = parts.database
  const watchers = createWatchers(parts)
  const anchorWorker = createAnchors(parts)
  const deliveries = createDeliveries(parts)
  /** Several webhooks per job: a job each would cost the queue more than the deliveries. */
  const ringFor = async (webhookIds: readonly string[]) => {
    for (let at = 0; at < webhookIds.length; at += webhooksPerJob)
      await queues.add('deliver', { webhookIds: webhookIds.slice(at, at + webhooksPerJob) })
  }
  const fanOutAll = createOutbox({
    fanOut: (limit) => fanOut(sql, limit),
    deliver: (webhookIds) => void ringFor(webhookIds),
  })
  const expire = async (invoiceId: string) =>
    void (await service.invoices.tell(invoiceId, { kind: 'expire' }))
  /** One whose chain has not been read to its due date yet is left to the sweep. */
  const expireIfRead = async (invoiceId: string) => {
    if (await InvoiceRows.isExpiring(sql, invoiceId, now())) await expire(invoiceId)
  }
  const anchorAll = async () => {
    const { openTransactions } = (await anchorWorker?.run()) ?? { openTransactions: 0 }
    // At most one look per second, whoever requests it: the job id names the second.
    const jobId = `look-${Math.floor(Date.now() / anchorLookMs)}`
    // Null: another process is sending. It may have read the owed events before the one that woke
    // us was added.
    if (openTransactions !== 0) await queues.add('anchor', {}, { jobId, delayMs: anchorLookMs })
    return openTransactions ?? 0
  }
  const schedule = async () => {
    for (const [network] of watchers)
      await queues.every(`watch-${network}`, {}, config.networks[network].pollMs)
    if (config.queues.includes('trust')) await queues.nightly('trust', {})
    if (config.queues.includes('retention')) await queues.every('retention', {}, pruneEveryMs)
    if (config.queues.includes('balances')) await queues.every('balances', {}, checkEveryMs)
    return 0
  }
  const processors: Processors = {
    outbox: async () => void (await fanOutAll()),
    deliver: async ({ webhookIds }) => deliveries.ring(webhookIds),
    expiry: (what) =>
      'invoiceId' in what
        ? expireIfRead(what.invoiceId)
        : service.mandates.expire(what.accountId, what.mandateId),
    trust: async () => void (await rebuildTrustSignals(unhurriedSql, now(), unhurriedMs)),
    retention: createPruning(parts),
    balances: createBalanceChecks(parts),
    ...(anchorWorker ? { anchor: async () => void (await anchorAll()) } : {}),
    ...Object.fromEntries([...watchers].map(([network, watch]) => [`watch-${network}`, watch])),
  }
  const patience = {
    limitMs: sweepEveryMs,
    onFault: (err: unknown, failed: number) =>
      log.error({ err, failed }, 'what is overdue could not expire'),
  }
  const overlooked: Readonly<Partial<Record<QueueName, Tasks>>> = {
    outbox: { events: fanOutAll },
    deliver: {
      deliveries: async () => {
        const webhookIds = await due(sql)
        await ringFor(webhookIds)
        return webhookIds.length
      },
    },
    anchor: { anchors: anchorAll },
    expiry: {
      expiries: untilDone({
        find: (most) => InvoiceRows.expired(sql, now(), most),
        deal: expire,
        ...patience,
      }),
      mandates: untilDone({
        find: (most) => MandateRows.due(sql, most),
        deal: ({ accountId, id }) => service.mandates.expire(accountId, id),
        ...patience,
      }),
    },
  }
  const workers = createWorkers({ backend, log, processors: ofQueues(config.queues, processors) })
  const sweep = createSweep({
    everyMs: sweepEveryMs,
    log,
    tasks: {
      schedules: schedule,
      ...Object.assign({}, ...Object.values(ofQueues(config.queues, overlooked))),
      // Work without a queue of its own is done by every worker.
      claims: () => service.claims.applyOverlooked(),
      payments: () => service.paywall.reconcile(),
      unpaid: () => service.purchases.voidUnpaid(),
      reservations: () => sweepReservations(sql, 10_000),
    },
  })
  workers.start()
  sweep.start()
  return {
    async stop() {
      // Concurrently: one after the other would exceed the time limit. Work that is cut off is
      // found again.
      await Promise.all([
        workers.drain(jobDrainMs),
        Promise.race([Promise.all([sweep.stop(), deliveries.drain()]), Bun.sleep(jobDrainMs)]),
      ])
    },
  }
}

function ofQueues<Parts extends Readonly<Partial<Record<QueueName, unknown>>>>(
  queues: readonly QueueName[],
  parts: Parts,
): Partial<Parts> {
  const taken = Object.entries(parts).filter(([name]) => queues.includes(name as QueueName))
  return Object.fromEntries(taken) as Partial<Parts>
}
