import type { Idempotency } from '../../domain/idempotency.ts'
import type { Form } from '../../domain/invoices/terms.ts'
import { type LogQuery, sampleDelivery } from '../../domain/webhooks/delivery.ts'
import { envelope } from '../../domain/webhooks/event.ts'
import { sampleData } from '../../domain/webhooks/event-samples.ts'
import type { Type } from '../../domain/webhooks/events.ts'
import type { Sql } from '../../storage/postgres/db.ts'
import type { ListReader } from '../../storage/postgres/pools.ts'
import * as Log from '../../storage/webhooks/delivery-log.ts'
import { findWebhook } from '../../storage/webhooks/webhooks.ts'
import type { Jobs } from '../jobs.ts'
import type { Once } from '../once.ts'

type Parts = {
  readonly sql: Sql
  readonly list: ListReader
  readonly once: Once
  readonly jobs: Jobs
  readonly newId: () => string
}

export function createDeliveries({ sql, list, once, jobs, newId }: Parts) {
  function deliver(webhookId: string): void {
    void jobs.add('deliver', { webhookIds: [webhookId] })
  }

  async function log(accountId: string, webhookId: string, page: LogQuery) {
    await findWebhook(sql, accountId, webhookId)
    return list(accountId, (listSql) => Log.listDeliveries(listSql, webhookId, page))
  }

  /** A delivery and the body it sends; null where its event is no longer kept. */
  async function read(accountId: string, deliveryId: string) {
    const { delivery, event } = await Log.readDelivery(sql, accountId, deliveryId)
    return { delivery, body: event && envelope(delivery.eventId, event) }
  }

  async function redeliver(accountId: string, deliveryId: string) {
    const delivery = await Log.redeliver(sql, accountId, deliveryId)
    deliver(delivery.webhookId)
    return delivery
  }

  /** Delivers a sample event of this type, with its invoice written as in `form`. */
  function test(
    accountId: string,
    webhookId: string,
    type: Type,
    form: Form,
    idempotency: Idempotency | null,
  ) {
    return once.run(accountId, idempotency, async () => {
      const position = await Log.nextPosition(sql)
      const subjectId = newId()
      const delivery = sampleDelivery(position, webhookId, { subjectId, type })
      const data = sampleData(type, subjectId, form, position.at)
      await Log.addTestDelivery(
        sql,
        accountId,
        webhookId,
        { ...position, subjectId, type, data },
        idempotency && { ...idempotency, made: JSON.stringify(delivery) },
      )
      deliver(webhookId)
      return { kind: 'made' as const, delivery }
    })
  }

  return { deliver, log, read, redeliver, test }
}
