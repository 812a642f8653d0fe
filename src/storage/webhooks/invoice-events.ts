import type { Happened } from '../../domain/invoices/trail.ts'
import { eventData } from '../../domain/invoices/view.ts'
import type { Stored } from '../../domain/webhooks/event.ts'
import type { Type } from '../../domain/webhooks/events.ts'
import { livesOf } from '../invoices/trails.ts'
import type { Sql } from '../postgres/db.ts'

export type Place = Pick<Stored, 'subjectId' | 'sequence'>

/**
 * What subscribers read of events of invoices, by `keyOf`. It is put together from terms and trail,
 * so it is the same every time. Those of unknown invoices are left out.
 */
export async function eventsOf(
  sql: Sql,
  wanted: readonly Place[],
): Promise<ReadonlyMap<string, Stored>> {
  const keys = new Set(wanted.map(keyOf))
  const changed = wanted.filter(({ sequence }) => sequence > 1)
  const lives = await livesOf(sql, subjectsOf(wanted), subjectsOf(changed))
  const told = new Map<string, Stored>()
  for (const happened of lives.values().toArray().flat()) {
    const key = keyOf({ subjectId: happened.invoice.id, sequence: happened.sequence })
    if (keys.has(key)) told.set(key, storedOf(happened))
  }
  return told
}

export function keyOf({ subjectId, sequence }: Place): string {
  return `${subjectId} ${sequence}`
}

function subjectsOf(places: readonly Place[]): readonly string[] {
  return [...new Set(places.map(({ subjectId }) => subjectId))]
}

function storedOf({ sequence, event, invoice, createdAt }: Happened): Stored {
  return {
    subjectId: invoice.id,
    sequence,
    type: event.type as Type,
    data: eventData(event, invoice) ?? 'null',
    createdAt: new Date(createdAt),
  }
}
