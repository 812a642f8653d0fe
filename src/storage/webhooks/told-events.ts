import { eventData } from '../../domain/invoices/view.ts'
import type { Stored } from '../../domain/webhooks/event.ts'
import type { Type } from '../../domain/webhooks/events.ts'
import { livesOf } from '../invoices/trails.ts'
import type { Sql } from '../postgres/db.ts'

export type Place = Pick<Stored, 'subjectId' | 'sequence'>

/**
 * Reads what subscribers are sent of events. Those of invoices are put together from terms and
 * trail, so they are the same every time. Undefined: the event is not kept. Throws as `replay`.
 */
export async function eventsOf(
  sql: Sql,
  places: readonly Place[],
): Promise<(place: Place) => Stored | undefined> {
  const subjectIds = [...new Set(places.map(({ subjectId }) => subjectId))]
  const { lifeOf, trails } = await livesOf(sql, subjectIds)
  return ({ subjectId, sequence }) => {
    const happened = lifeOf(subjectId)?.[sequence - 1]
    if (happened) {
      const { event, invoice } = happened
      const data = eventData(event, invoice) ?? 'null'
      const createdAt = new Date(invoice.updatedAt)
      return { subjectId, sequence, type: event.type as Type, data, createdAt }
    }
    const row = trails.get(subjectId)?.find((one) => one.sequence === sequence)
    if (!row || row.data === null) return undefined
    const { types, data, createdAt } = row
    return { subjectId, sequence, type: types as Type, data, createdAt }
  }
}

export function keyOf({ subjectId, sequence }: Place): string {
  return `${subjectId} ${sequence}`
}
