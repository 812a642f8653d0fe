import { due } from '../../storage/webhooks/deliveries.ts'
import type { TracedEvent } from '../../storage/webhooks/outbox.ts'
import type { Work, WorkParts } from '../work.ts'
import { createDeliver } from './deliver.ts'
import { createOutbox } from './outbox.ts'
import { createDeliveryTraces } from './traces.ts'

/** A job for each would cost the queue more than the deliveries. */
const webhooksPerJob = 20

export function deliveryWork(parts: WorkParts) {
  const { config, sql, queues } = parts
  const scheduleMs = config.webhookRetryScheduleMs
  const traces = createDeliveryTraces(parts.tracing)
  const deliver = createDeliver({ ...parts, traces, scheduleMs, random: Math.random })

  async function ring(
    webhookIds: readonly string[],
    traced: readonly TracedEvent[] = [],
  ): Promise<void> {
    for (let at = 0; at < webhookIds.length; at += webhooksPerJob)
      await queues.add('deliver', {
        webhookIds: webhookIds.slice(at, at + webhooksPerJob),
        ...(traced.length > 0 && { traced }),
      })
  }

  const fanOutAll = createOutbox(
    sql,
    (webhookIds, traced) => void ring(webhookIds, traces.fannedOut(traced)),
  )
  const outboxWork: Work<'outbox'> = {
    process: async () => void (await fanOutAll()),
    recoverDue: { events: fanOutAll },
  }
  const deliverWork: Work<'deliver'> = {
    process: async ({ webhookIds, traced = [] }) => {
      traces.remember(traced)
      deliver.ring(webhookIds)
    },
    recoverDue: {
      async deliveries() {
        const webhookIds = await due(sql)
        await ring(webhookIds)
        return webhookIds.length
      },
    },
  }
  return { outbox: outboxWork, deliver: deliverWork, drain: deliver.drain }
}
