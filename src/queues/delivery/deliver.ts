import { batchSize, freshMs } from '../../domain/webhooks/delivery.ts'
import { type Batch, lateMs } from '../../storage/webhooks/deliveries.ts'
import type { Outcome, Result } from '../../storage/webhooks/delivery-results.ts'
import { within } from '../backends/backend.ts'
import { attempt, type Means, type Send } from './attempt.ts'
import { createReceiverLimit, type Receiver } from './receiver-limit.ts'

type Options = Pick<Means, 'scheduleMs' | 'now'> & {
  /** Leases batches that are due to this webhook; nobody else gets them for 15 s. */
  readonly lease: (webhookId: string) => Promise<readonly Batch[]>
  /** Extends the lease of a batch in progress by another 15 s. */
  readonly renew: (batchId: string) => Promise<void>
  /**
   * Gives back a batch that was leased and not renewed, unless it has been leased again since.
   */
  readonly release: (batch: Batch) => Promise<void>
  /**
   * Leases for another 15 s, and `moreMs` longer, a batch that was leased and not renewed. Returns
   * its new `heldUntil`; null if it has been leased again since, or its webhook has changed.
   */
  readonly leaseAgain: (batch: Batch, moreMs: number) => Promise<string | null>
  /** Whether the batch's webhook is still active, not deleted, and has this URL and secret. */
  readonly isWanted: (batch: Pick<Batch, 'webhookId' | 'url' | 'secretSealed'>) => Promise<boolean>
  readonly record: (result: Result) => Promise<void>
  /** Opens a way to this URL, valid for a moment. */
  readonly open: (url: string, limitMs: number) => Promise<Send>
  /** Null: it cannot be opened. */
  readonly openSecret: (sealed: Uint8Array, webhookId: string) => string | null
  /** From 0 to 1. */
  readonly random: () => number
  /** Calls `ring` for this webhook, here or in another process, after this delay. */
  readonly ringAfter: (webhookId: string, delayMs: number) => void
  /** Called when PostgreSQL answered so late that a batch needs a longer lease to be started. */
  readonly onSlow: () => void
  /** Called with faults of our own; the work left undone becomes due again. */
  readonly onError: (error: unknown) => void
}

export type Deliver = {
  /** Reports that these webhooks have due deliveries. */
  ring(webhookIds: readonly string[]): void
  /**
   * Starts nothing more. Resolves to true once the results of all work in progress are recorded, or
   * to false after `limitMs`: what is left is leased no longer, and its faults are not told, since
   * the database may be closed under it.
   */
  drain(limitMs: number): Promise<boolean>
}

type Round = {
  /**
   * Whether to lease once more: `ring` was called since the last lease, or that returned batches.
   */
  again: boolean
  leasedMs: number
  /** When the webhook was last seen active, with the URL and secret of the leased batches. */
  seenMs: number
}

/** A batch in hand; leasing it again changes `heldUntil`. */
type Held = Batch & { heldUntil: string }

type Pace = { stop(): void; judge(): void }

// Bun's fetch runs at most 256 requests at once per process, and the chains need their share.
const limits = {
  overall: 160,
  owner: 80,
  ownerInAll: 120,
  each: 2 * batchSize,
  untried: batchSize,
  slow: 3 * batchSize,
  remembered: 10_000,
}
const slowMs = 2_000
const lookUpLimitMs = 5_000
/**
 * A batch not started within this time of its lease is leased again: the lease might end before its
 * first renewal.
 */
const patienceMs = 8_000
/** Seldom enough that most batches end before it, often enough that two renewals may fail. */
const renewEveryMs = 3_000

/**
 * Delivers what is due, batches side by side, in one round per webhook. No attempt starts later
 * than `freshMs` after its webhook was deleted, paused or given another URL or secret; where
 * PostgreSQL answers later than that, no later than `lateMs`, which a deletion knows of. A lease
 * lasts as long as its attempts; if the process dies it ends within 15 s, and the attempts are
 * repeated with the same event ids. Order is not guaranteed, because failed attempts are repeated
 * later: subscribers put events in order by `sequence`.
 */
export function createDeliver(options: Options): Deliver {
  const receiverLimit = createReceiverLimit(limits)
  const rounds = new Map<string, Round>()
  const inHand = new Set<Promise<void>>()
  let isDraining = false
  let isLeft = false

  function onError(error: unknown): void {
    if (!isLeft) options.onError(error)
  }

  function ring(webhookIds: readonly string[]): void {
    for (const webhookId of webhookIds) {
      const round = rounds.get(webhookId)
      if (round) round.again = true
      else hold(goRound(webhookId))
    }
  }

  function hold(work: Promise<void>): void {
    const held = work.catch(onError).finally(() => inHand.delete(held))
    inHand.add(held)
  }

  async function allDone(): Promise<void> {
    while (inHand.size > 0) await Promise.all(inHand)
  }

  async function goRound(webhookId: string): Promise<void> {
    const round = { again: true, leasedMs: 0, seenMs: 0 }
    rounds.set(webhookId, round)
    try {
      while (round.again && !isDraining) {
        round.again = false
        round.seenMs = performance.now()
        const batches = await options.lease(webhookId)
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
    const pace = paceOf(receiver)
    const held = { ...batch }
    try {
      const send = isDraining ? null : await wayTo(batch.url)
      if (send && (await mayStart(held, round))) return hold(bring(held, receiver, send, pace))
    } catch (error) {
      onError(error)
    }
    pace.stop()
    receiverLimit.release(receiver, places)
    // Awaited, because the round's next lease must find the batch.
    await options.release(held).catch(onError)
  }

  /**
   * Judges a receiver: slow once its name look-up and a batch take longer than 2 s together, until
   * they take less again.
   */
  function paceOf(receiver: Receiver): Pace {
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

  /** If no way can be opened, that error becomes the outcome of the attempts. */
  async function wayTo(url: string): Promise<Send> {
    try {
      return await options.open(url, lookUpLimitMs)
    } catch (error) {
      return () => Promise.reject(error)
    }
  }

  async function mayStart(held: Held, round: Round): Promise<boolean> {
    if (isDraining) return false
    // Leased again rather than given back, which would cost it its turn.
    const isLate = performance.now() - round.leasedMs > patienceMs
    if (isLate && !(await leaseAgain(held, 0))) return false
    if (performance.now() - round.seenMs < freshMs) return true
    const seenMs = performance.now()
    if (!(await options.isWanted(held))) return false
    round.seenMs = seenMs
    return performance.now() - seenMs < freshMs || mayStartLate(held)
  }

  /** Where PostgreSQL answers later than `freshMs`, nothing could ever start without this. */
  async function mayStartLate(held: Held): Promise<boolean> {
    options.onSlow()
    const askedMs = performance.now()
    return (await leaseAgain(held, lateMs)) && performance.now() - askedMs < lateMs
  }

  async function leaseAgain(held: Held, moreMs: number): Promise<boolean> {
    const heldUntil = await options.leaseAgain(held, moreMs)
    held.heldUntil = heldUntil ?? held.heldUntil
    return heldUntil !== null
  }

  async function bring(batch: Batch, receiver: Receiver, send: Send, pace: Pace): Promise<void> {
    const renewing = setInterval(() => {
      if (!isLeft) options.renew(batch.id).catch(onError)
    }, renewEveryMs)
    try {
      const outcomes = await attemptAll(batch, receiver, send, pace)
      await options.record({ batch, outcomes })
      for (const delayMs of new Set(outcomes.map(({ retryDelayMs }) => retryDelayMs)))
        if (delayMs !== null) options.ringAfter(batch.webhookId, delayMs)
    } finally {
      clearInterval(renewing)
    }
  }

  async function attemptAll(
    batch: Batch,
    receiver: Receiver,
    send: Send,
    pace: Pace,
  ): Promise<readonly Outcome[]> {
    const { deliveries } = batch
    let places = deliveries.length
    try {
      const { scheduleMs, now } = options
      // One jitter for all: deliveries that fail together are retried together, as one batch.
      const means = {
        send,
        secrets: secretsOf(batch, options.openSecret),
        isTest: batch.isTest,
        scheduleMs,
        jitter: options.random(),
        now,
      }
      return await Promise.all(
        deliveries.map(async (delivery) => {
          const outcome = await attempt(delivery, means)
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

  return {
    ring,
    async drain(limitMs) {
      isDraining = true
      const isDone = await within(allDone(), limitMs).then(
        () => true,
        () => false,
      )
      isLeft = !isDone
      return isDone
    },
  }
}

/**
 * The secrets to sign with, or null if the current one cannot be opened. A previous one that cannot
 * be opened is left out; otherwise rotating a lost secret would not help before the overlap ends.
 */
function secretsOf(batch: Batch, open: Options['openSecret']): Means['secrets'] {
  const { webhookId, secretSealed, previousSecretSealed } = batch
  const current = open(secretSealed, webhookId)
  const previous = previousSecretSealed && open(previousSecretSealed, webhookId)
  return current === null ? null : [current, ...(previous === null ? [] : [previous])]
}
