import { eventData } from '../../domain/invoices/view.ts'
import type { Stored } from '../../domain/webhooks/event.ts'
import type { Type } from '../../domain/webhooks/events.ts'
import { livesOf } from '../invoices/trails.ts'
import type { Sql } from '../postgres/db.ts'

export type Place = Pick<Stored, 'subjectId' | 'sequence'>

/**
 * What subscribers read of events of invoices. It is put together from terms and trail, so it is
 * the same every time. Undefined: of an unknown invoice.
 */
export async function eventsOf(
  sql: Sql,
  wanted: readonly Place[],
): Promise<(place: Place) => Stored | undefined> {
  const changed = wanted.filter(({ sequence }) => sequence > 1)
  const lives = await livesOf(sql, subjectsOf(wanted), subjectsOf(changed))
  return (place) => {
    const happened = lives.get(place.subjectId)?.[place.sequence - 1]
    if (!happened) return undefined
    const { event, invoice } = happened
    const data = eventData(event, invoice) ?? 'null'
    return { ...place, type: event.type as Type, data, createdAt: new Date(invoice.updatedAt) }
  }
}

export function keyOf({ subjectId, sequence }: Place): string {
  return `${subjectId} ${sequence}`
}

function subjectsOf(places: readonly Place[]): readonly string[] {
  return [...new Set(places.map(({ subjectId }) => subjectId))]
}
