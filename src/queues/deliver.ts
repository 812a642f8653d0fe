import * as Event from '../domain/event.ts'
import { webhookHeaders } from '../domain/signature.ts'
import type { Attemptable, Outcome } from '../storage/deliveries.ts'

/** How a delivery is brought to its receiver; `http/egress.ts` keeps this promise. */
export type Send = (
  url: string,
  request: {
    method: 'POST'
    headers: Readonly<Record<string, string>>
    body: string
    timeoutMs: number
    maxResponseBytes: number
  },
) => Promise<{
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly excerpt: string
}>

type Options = {
  readonly claim: (ids: readonly string[]) => Promise<readonly Attemptable[]>
  readonly record: (outcomes: readonly Outcome[]) => Promise<void>
  readonly send: Send
  readonly openSecret: (sealed: Uint8Array) => string
  readonly scheduleMs: readonly number[]
  readonly now: () => Date
  /** From 0 to 1. */
  readonly random: () => number
  /** Wakes a worker for these deliveries at that time. */
  readonly retryAt: (deliveryIds: readonly string[], at: Date) => void
}

const timeoutMs = 15_000
const maxResponseBytes = 65_536
const excerptLength = 500

/**
 * Makes one attempt for each of these deliveries that is due, side by side, and records them together. Whatever a receiver does
 * is an outcome, never an exception; a crash before the record repeats the attempt with the same event id.
 */
export function createDeliver(options: Options): (deliveryIds: readonly string[]) => Promise<void> {
  return async (deliveryIds) => {
    const claimed = await options.claim(deliveryIds)
    const outcomes = await Promise.all(claimed.map((delivery) => attempt(delivery, options)))
    await options.record(outcomes)
    const later = outcomes.filter(({ nextAttemptAt }) => nextAttemptAt !== null)
    for (const { id, nextAttemptAt } of later) options.retryAt([id], nextAttemptAt as Date)
  }
}

async function attempt(delivery: Attemptable, options: Options): Promise<Outcome> {
  const startedAt = options.now()
  const started = performance.now()
  const answer = await post(delivery, options, startedAt)
  const delivered = answer.status !== null && answer.status >= 200 && answer.status < 300
  const gone = answer.status === 410
  const failed = { attempt: delivery.attempt, retryAfterSeconds: answer.retryAfterSeconds }
  const isOver = delivered || gone
  return {
    id: delivery.id,
    webhookId: delivery.webhookId,
    attempt: delivery.attempt,
    startedAt,
    durationMs: performance.now() - started,
    statusCode: answer.status,
    error: answer.error,
    excerpt: answer.excerpt,
    delivered,
    gone,
    nextAttemptAt: isOver
      ? null
      : Event.nextAttempt(failed, options.scheduleMs, options.random(), options.now()),
  }
}

type Answered = {
  readonly status: number | null
  readonly error: string | null
  readonly excerpt: string | null
  readonly retryAfterSeconds: number | null
}

async function post(delivery: Attemptable, options: Options, at: Date): Promise<Answered> {
  const body = Event.envelope(delivery.event)
  try {
    const [current, ...previous] = delivery.secretsSealed.map(options.openSecret)
    if (current === undefined) throw new Error('a webhook has a secret')
    const signed = webhookHeaders({
      eventId: Event.id(delivery.event.subjectId, delivery.event.sequence),
      type: delivery.event.type,
      body,
      secrets: [current, ...previous],
      timestampSeconds: Math.floor(at.getTime() / 1_000),
    })
    const headers = {
      ...signed,
      'content-type': 'application/json',
      'user-agent': 'Quittance-Webhooks/1',
    }
    const answer = await options.send(delivery.url, {
      method: 'POST',
      headers,
      body,
      timeoutMs,
      maxResponseBytes,
    })
    return {
      status: answer.status,
      error: null,
      excerpt: printable(answer.excerpt),
      retryAfterSeconds: retryAfter(answer.headers['retry-after'], at),
    }
  } catch (error) {
    return {
      status: null,
      error: printable(String((error as Error).message)),
      excerpt: null,
      retryAfterSeconds: null,
    }
  }
}

/** What of a foreign text is kept: its beginning, without what PostgreSQL cannot store. */
function printable(text: string): string {
  return text.slice(0, excerptLength).replaceAll('\u0000', '').toWellFormed()
}

/** `Retry-After` as seconds or as a date. */
function retryAfter(value: string | undefined, now: Date): number | null {
  if (value === undefined) return null
  if (/^\d{1,9}$/.test(value)) return Number(value)
  const at = Date.parse(value)
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - now.getTime()) / 1_000))
}
