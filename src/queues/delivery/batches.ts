import { createGroupCommit } from '../../actors/group-commit.ts'
import type { Live } from '../../actors/live.ts'
import type { OpenSecret } from '../../actors/secrets.ts'
import { ringAtMs } from '../../domain/webhooks/delivery.ts'
import type { Sql } from '../../storage/postgres/db.ts'
import type { Batch } from '../../storage/webhooks/deliveries.ts'
import { type Outcome, type Result, record } from '../../storage/webhooks/delivery-results.ts'
import type { Log } from '../../telemetry/log.ts'
import type { DeliveryOutcome, Metrics } from '../../telemetry/metrics.ts'
import type { Queues } from '../queues.ts'
import { attempt, type Means, type Send } from './attempt.ts'
import { combined } from './leases.ts'
import type { Receiver, ReceiverLimit } from './receiver-limit.ts'
import type { DeliveryTraces } from './traces.ts'

export type BatchOptions = Pick<Means, 'scheduleMs' | 'now'> & {
  readonly sql: Sql
  readonly queues: Pick<Queues, 'add'>
  readonly live: Pick<Live, 'touched'>
  readonly metrics: Pick<Metrics, 'delivery'>
  readonly traces: Pick<DeliveryTraces, 'attempt'>
  readonly openSecret: OpenSecret
  /** From 0 to 1. */
  readonly random: () => number
  readonly log: Pick<Log, 'warn'>
}

export type Pace = ReturnType<typeof paceOf>

const slowMs = 2_000

/** Attempts all deliveries of a batch and records the results. */
export function createBatches(options: BatchOptions, receiverLimit: ReceiverLimit) {
  const { sql, queues, live, metrics, traces, scheduleMs, now, log } = options
  const records = createGroupCommit<Result, void>({
    ...combined,
    async flush(_, results) {
      for (const disabled of await record(sql, results)) log.warn(disabled, 'webhook disabled')
      return []
    },
  })

  return async (batch: Batch, receiver: Receiver, send: Send, pace: Pace): Promise<void> => {
    const outcomes = await attemptAll(batch, receiver, send, pace)
    for (const outcome of outcomes) metrics.delivery(resultOf(outcome))
    await records.submit(batch.webhookId, { batch, outcomes })
    live.touched(batch.accountId, 'deliveries')
    for (const delayMs of new Set(outcomes.map(({ retryDelayMs }) => retryDelayMs)))
      if (delayMs !== null) retryLater(batch.webhookId, delayMs)
  }

  /** Releases one place after each delivery. */
  async function attemptAll(
    batch: Batch,
    receiver: Receiver,
    send: Send,
    pace: Pace,
  ): Promise<readonly Outcome[]> {
    const { deliveries, isTest } = batch
    let places = deliveries.length
    try {
      const secrets = secretsOf(batch, options.openSecret)
      // One jitter for all: those that fail together are retried as one batch.
      const means = { send, secrets, isTest, scheduleMs, jitter: options.random(), now }
      return await Promise.all(
        deliveries.map(async (delivery) => {
          const outcome = await traces.attempt(delivery.event, batch, (traceParent) =>
            attempt(delivery, { ...means, traceParent }),
          )
          receiverLimit.release(receiver, 1)
          places--
          return outcome
        }),
      )
    } finally {
      receiverLimit.release(receiver, places)
      pace.judge()
    }
  }

  function retryLater(webhookId: string, delayMs: number): void {
    const nowMs = now().getTime()
    const atMs = ringAtMs(nowMs, delayMs)
    const job = { jobId: `retry-${webhookId}-${atMs}`, delayMs: atMs - nowMs }
    void queues.add('deliver', { webhookIds: [webhookId] }, job)
  }
}

/** A receiver is slow when its name look-up and a batch take longer than 2 s together. */
export function paceOf(receiver: Receiver, receiverLimit: ReceiverLimit) {
  let isSlow = false
  const late = setTimeout(() => {
    isSlow = true
    receiverLimit.setSlow(receiver, true)
  }, slowMs)
  return {
    stop: () => clearTimeout(late),
    judge() {
      clearTimeout(late)
      receiverLimit.setSlow(receiver, isSlow)
    },
  }
}

/**
 * Null: the current secret cannot be opened. A previous one that cannot is left out, or rotating a
 * lost secret would not help before the overlap ends.
 */
function secretsOf(batch: Batch, open: OpenSecret): Means['secrets'] {
  const { webhookId, secretSealed, previousSecretSealed } = batch
  const current = open(secretSealed, webhookId)
  const previous = previousSecretSealed && open(previousSecretSealed, webhookId)
  return current === null ? null : [current, ...(previous === null ? [] : [previous])]
}

function resultOf({ delivered, gone, retryDelayMs }: Outcome): DeliveryOutcome {
  if (delivered) return 'delivered'
  if (gone) return 'gone'
  return retryDelayMs === null ? 'failed' : 'retried'
}
