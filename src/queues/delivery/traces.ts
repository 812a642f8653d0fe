import type { Stored } from '../../domain/webhooks/event.ts'
import { keepNewest } from '../../scheduling/cache.ts'
import type { Batch } from '../../storage/webhooks/deliveries.ts'
import type { Outcome } from '../../storage/webhooks/delivery-results.ts'
import type { TracedEvent } from '../../storage/webhooks/outbox.ts'
import { keyOf } from '../../storage/webhooks/told-events.ts'
import type { TraceParent, Tracing } from '../../telemetry/tracing.ts'

export type DeliveryTraces = ReturnType<typeof createDeliveryTraces>

const mostRemembered = 10_000

/** Traces events from the outbox to their attempts; later attempts as long as it remembers them. */
export function createDeliveryTraces(tracing: Tracing | null) {
  const parents = new Map<string, TraceParent>()

  /** A span for the time each event waited; its attempts are the span's children. */
  function fannedOut(events: readonly TracedEvent[]): readonly TracedEvent[] {
    if (!tracing) return []
    return events.map((event) => {
      const startedAt = new Date(event.committedAtMs)
      const span = tracing.start('outbox', { parent: event.traceParent, startedAt })
      span.end()
      return { ...event, traceParent: span.traceParent }
    })
  }

  function remember(events: readonly TracedEvent[]): void {
    for (const event of events) keepNewest(parents, keyOf(event), event.traceParent, mostRemembered)
  }

  function attempt(
    event: Stored,
    { webhookId, accountId, url }: Pick<Batch, 'webhookId' | 'accountId' | 'url'>,
    make: (traceParent: TraceParent | null) => Promise<Outcome>,
  ): Promise<Outcome> {
    const parent = parents.get(keyOf(event))
    if (!tracing || parent === undefined) return make(null)
    const attributes = {
      'event.type': event.type,
      'quittance.webhook_id': webhookId,
      'quittance.account_id': accountId,
      'server.address': new URL(url).hostname,
    }
    const options = { parent, kind: 'CLIENT', attributes } as const
    return tracing.run('webhook attempt', options, make, ({ attempt, delivered }) => ({
      attributes: {
        'quittance.attempt': attempt.attempt,
        'quittance.delivered': delivered,
        ...(attempt.statusCode !== null && { 'http.response.status_code': attempt.statusCode }),
      },
      error: delivered ? null : (attempt.error ?? `answered ${attempt.statusCode}`),
    }))
  }

  return { fannedOut, remember, attempt }
}
