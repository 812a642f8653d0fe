import { retryAfterSeconds } from '../../domain/retry-after.ts'
import * as Event from '../../domain/webhooks/event.ts'
import { webhookHeaders } from '../../domain/webhooks/signature.ts'
import type { Attemptable } from '../../storage/webhooks/deliveries.ts'
import type { Outcome } from '../../storage/webhooks/delivery-results.ts'

/** Implemented by `http/egress`. */
export type Send = (request: {
  method: 'POST'
  headers: Readonly<Record<string, string>>
  body: string
  timeoutMs: number
  maxResponseBytes: number
}) => Promise<{
  readonly status: number
  readonly headers: Pick<Headers, 'get'>
  readonly excerpt: string
}>

export type Means = {
  readonly send: Send
  /** Null: they cannot be read, and nothing is sent. */
  readonly secrets: readonly [current: string, ...previous: string[]] | null
  /** Whether the events are samples; a header says so. */
  readonly isTest: boolean
  /** Sent on to the receiver, if the event is traced. */
  readonly traceParent: string | null
  readonly scheduleMs: readonly number[]
  /** From 0 to 1. */
  readonly jitter: number
  readonly now: () => Date
}

const timeoutMs = 15_000
const maxResponseBytes = 65_536
const excerptLength = 500

/** Makes one attempt. Whatever the receiver does is an outcome, never an exception. */
export async function attempt(wanted: Attemptable, means: Means): Promise<Outcome> {
  const startedAt = means.now()
  const startedMs = performance.now()
  const { retryAfterSeconds, ...answer } = await post(wanted.event, means, startedAt)
  const { statusCode } = answer
  const delivered = statusCode !== null && statusCode >= 200 && statusCode < 300
  const gone = statusCode === 410
  const failed = { attempt: wanted.attempt, retryAfterSeconds }
  return {
    place: wanted.place,
    event: wanted.event,
    attempt: {
      attempt: wanted.attempt,
      startedAt: startedAt.toISOString(),
      durationMs: Math.round(performance.now() - startedMs),
      ...answer,
    },
    delivered,
    gone,
    retryDelayMs:
      delivered || gone ? null : Event.retryDelayMs(failed, means.scheduleMs, means.jitter),
  }
}

type Answer = {
  readonly statusCode: number | null
  readonly error: string | null
  readonly responseExcerpt: string | null
  readonly retryAfterSeconds: number | null
}

async function post(
  event: Event.Stored,
  { send, secrets, isTest, traceParent }: Means,
  at: Date,
): Promise<Answer> {
  if (!secrets) return noAnswer('the secret of the webhook cannot be read: rotate it')
  const eventId = Event.id(event.subjectId, event.sequence)
  const body = Event.envelope(eventId, event)
  const headers = {
    ...webhookHeaders({
      eventId,
      type: event.type,
      body,
      secrets,
      timestampSeconds: Math.floor(at.getTime() / 1_000),
    }),
    ...(isTest && { 'x-service-test': 'true' }),
    ...(traceParent !== null && { traceparent: traceParent }),
    'content-type': 'application/json',
    'user-agent': 'Quittance-Webhooks/1',
  }
  try {
    const answer = await send({ method: 'POST', headers, body, timeoutMs, maxResponseBytes })
    return {
      statusCode: answer.status,
      error: null,
      responseExcerpt: printable(answer.excerpt),
      retryAfterSeconds: retryAfterSeconds(answer.headers.get('retry-after'), at),
    }
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error)
    return noAnswer(printable(text))
  }
}

function noAnswer(error: string): Answer {
  return { statusCode: null, error, responseExcerpt: null, retryAfterSeconds: null }
}

/** Without characters that PostgreSQL cannot store. */
function printable(text: string): string {
  return text.slice(0, excerptLength).replaceAll('\u0000', '').toWellFormed()
}
