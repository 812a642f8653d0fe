import { batchSize } from '../../domain/webhooks/delivery.ts'
import type { Batch } from '../../storage/webhooks/deliveries.ts'
import type { Log } from '../../telemetry/log.ts'
import { within } from '../backends/backend.ts'
import type { Send } from './attempt.ts'
import { type BatchOptions, createBatches, type Pace, paceOf } from './batches.ts'
import { createLeases, type Held } from './leases.ts'
import { createReceiverLimit, type Receiver } from './receiver-limit.ts'

type Options = BatchOptions & {
  readonly egress: { open(url: string, limitMs: number): Promise<Send> }
  readonly log: Pick<Log, 'error'>
}

/** `again`: something may be due since the last lease. */
type Round = { again: boolean; leasedMs: number }

// Bun's fetch runs at most 256 requests at once, and the chains need their share.
const limits = {
  overall: 160,
  owner: 80,
  ownerInAll: 120,
  each: 2 * batchSize,
  untried: batchSize,
  slow: 3 * batchSize,
  remembered: 10_000,
}
const lookUpLimitMs = 5_000
/** Two renewals may fail before a lease ends. */
const renewEveryMs = 3_000

/**
 * Delivers what is due in one round per webhook. Five seconds after a webhook was deleted, paused
 * or changed, no attempt starts that does not know it. If the process dies, its leases end within
 * 15 s, and the attempts are repeated with the same event ids. Order is not guaranteed: subscribers
 * order events by `sequence`.
 */
export function createDeliver(options: Options) {
  const receiverLimit = createReceiverLimit(limits)
  const leases = createLeases(options)
  const deliverBatch = createBatches(options, receiverLimit)
  const rounds = new Map<string, Round>()
  const inHand = new Set<Promise<void>>()
  let isDraining = false
  let isLeft = false

  function ring(webhookIds: readonly string[]): void {
    for (const webhookId of webhookIds) {
      const round = rounds.get(webhookId)
      if (round) round.again = true
      else hold(goRound(webhookId))
    }
  }

  /** The work left undone becomes due again. */
  function onError(err: unknown): void {
    if (!isLeft) options.log.error({ err }, 'deliveries are left for later')
  }

  function hold(work: Promise<void>): void {
    const held = work.catch(onError).finally(() => inHand.delete(held))
    inHand.add(held)
  }

  async function goRound(webhookId: string): Promise<void> {
    const round: Round = { again: true, leasedMs: 0 }
    rounds.set(webhookId, round)
    try {
      while (round.again && !isDraining) {
        round.again = false
        const batches = await leases.lease(webhookId)
        round.leasedMs = performance.now()
        for (const batch of batches) {
          round.again = true
          await startWhenFree(batch, round)
        }
      }
    } finally {
      rounds.delete(webhookId)
    }
  }

  async function startWhenFree(batch: Batch, round: Round): Promise<void> {
    const receiver = { id: batch.webhookId, ownerId: batch.accountId }
    const places = batch.deliveries.length
    await receiverLimit.acquire(receiver, places)
    const pace = paceOf(receiver, receiverLimit)
    const held: Held = { ...batch }
    try {
      const send = isDraining ? null : await wayTo(batch.url)
      if (send && !isDraining && (await leases.mayStart(held, round.leasedMs)))
        return hold(deliver(held, receiver, send, pace))
    } catch (error) {
      onError(error)
    }
    pace.stop()
    receiverLimit.release(receiver, places)
    // The round's next lease must find the batch.
    await leases.release(held).catch(onError)
  }

  /** A failure to open becomes the outcome of the attempts. */
  async function wayTo(url: string): Promise<Send> {
    try {
      return await options.egress.open(url, lookUpLimitMs)
    } catch (error) {
      return () => Promise.reject(error)
    }
  }

  async function deliver(held: Held, receiver: Receiver, send: Send, pace: Pace): Promise<void> {
    const renewing = setInterval(() => {
      if (!isLeft) leases.renew(held.id).catch(onError)
    }, renewEveryMs)
    try {
      await deliverBatch(held, receiver, send, pace)
    } finally {
      clearInterval(renewing)
    }
  }

  async function idle(): Promise<void> {
    while (inHand.size > 0) await Promise.all(inHand)
  }

  /**
   * Starts nothing more. True: all results are recorded. False after `limitMs`: what is left is
   * neither leased nor logged any longer, as the database may be closed.
   */
  async function drain(limitMs: number): Promise<boolean> {
    isDraining = true
    const isDone = await within(idle(), limitMs).then(
      () => true,
      () => false,
    )
    isLeft = !isDone
    return isDone
  }

  return { ring, idle, drain }
}
