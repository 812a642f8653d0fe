import * as Event from '../domain/event.ts'
import { webhookHeaders } from '../domain/signature.ts'
import type { Attemptable, Outcome } from '../storage/deliveries.ts'
import { createRoom } from './room.ts'

/** How a delivery is brought to its receiver; `http/egress.ts` keeps this promise. */
type Send = (
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
  readonly headers: Readonly<Record<string, string>>
  readonly excerpt: string
}>

type Options = {
  /** Holds what it hands out for at least 30 s: patience, time limit and a margin. */
  readonly claim: (ids: readonly string[]) => Promise<readonly Attemptable[]>
  /** Whether the webhook is there and active. */
  readonly isWanted: (webhookId: string) => Promise<boolean>
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
const slowMs = 2_000
const patienceMs = 5_000
/** An attempt that had to wait longer looks again whether its webhook has been deleted or paused meanwhile. */
const staleMs = 20
// Bun's fetch has 256 requests under way in a process, and the chains need theirs.
const most = { overall: 160, each: 48, slow: 4 }
const maxResponseBytes = 65_536
const excerptLength = 500

/**
 * Makes one attempt for each of these deliveries that is due, side by side, and records them together. Whatever a receiver does is an
 * outcome, never an exception; a crash before the record repeats the attempt with the same event id. What there is no room for is
 * neither attempted nor recorded: it becomes due again when its lease is over.
 */
export function createDeliver(options: Options): (deliveryIds: readonly string[]) => Promise<void> {
  const room = createRoom(most, slowMs, patienceMs)

  return async (deliveryIds) => {
    const claimed = await options.claim(deliveryIds)
    const outcomes: Outcome[] = []
    const attempts = claimed.map((delivery) => {
      // Outside the attempt: a secret that cannot be opened is our fault, and no receiver is to suffer for it.
      const secrets = secretsOf(delivery, options.openSecret)
      const claimedMs = performance.now()
      return room(delivery.webhookId, async () => {
        const hasWaited = performance.now() - claimedMs > staleMs
        if (hasWaited && !(await options.isWanted(delivery.webhookId))) return
        outcomes.push(await attempt(delivery, secrets, options))
      })
    })
    await Promise.all(attempts)
    await options.record(outcomes)
    for (const { id, retryDelayMs } of outcomes) {
      if (retryDelayMs !== null)
        options.retryAt([id], new Date(options.now().getTime() + retryDelayMs))
    }
  }
}

type Secrets = readonly [current: string, ...previous: string[]]

function secretsOf(delivery: Attemptable, open: Options['openSecret']): Secrets {
  const { secretSealed, previousSecretSealed } = delivery
  return [open(secretSealed), ...(previousSecretSealed ? [open(previousSecretSealed)] : [])]
}

async function attempt(
  delivery: Attemptable,
  secrets: Secrets,
  options: Options,
): Promise<Outcome> {
  const startedAt = options.now()
  const startedMs = performance.now()
  const answer = await post(delivery, secrets, options.send, startedAt)
  const delivered = answer.status !== null && answer.status >= 200 && answer.status < 300
  const gone = answer.status === 410
  const failed = { attempt: delivery.attempt, retryAfterSeconds: answer.retryAfterSeconds }
  return {
    id: delivery.id,
    webhookId: delivery.webhookId,
    attempt: delivery.attempt,
    startedAt,
    durationMs: performance.now() - startedMs,
    statusCode: answer.status,
    error: answer.error,
    excerpt: answer.excerpt,
    delivered,
    gone,
    retryDelayMs:
      delivered || gone ? null : Event.retryDelayMs(failed, options.scheduleMs, options.random()),
  }
}

type Answer = {
  readonly status: number | null
  readonly error: string | null
  readonly excerpt: string | null
  readonly retryAfterSeconds: number | null
}

async function post(
  { url, event }: Attemptable,
  secrets: Secrets,
  send: Send,
  at: Date,
): Promise<Answer> {
  const body = Event.envelope(event)
  const signed = webhookHeaders({
    eventId: Event.id(event.subjectId, event.sequence),
    type: event.type,
    body,
    secrets,
    timestampSeconds: Math.floor(at.getTime() / 1_000),
  })
  const headers = {
    ...signed,
    'content-type': 'application/json',
    'user-agent': 'Quittance-Webhooks/1',
  }
  try {
    const answer = await send(url, { method: 'POST', headers, body, timeoutMs, maxResponseBytes })
    return {
      status: answer.status,
      error: null,
      excerpt: printable(answer.excerpt),
      retryAfterSeconds: retryAfter(answer.headers['retry-after'], at),
    }
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error)
    return { status: null, error: printable(text), excerpt: null, retryAfterSeconds: null }
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
