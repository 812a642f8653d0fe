import type { Invoice } from '../../domain/invoices/invoice.ts'
import { type Happened, replay } from '../../domain/invoices/trail.ts'
import { eventData } from '../../domain/invoices/view.ts'
import type { Stored } from '../../domain/webhooks/event.ts'
import type { Type } from '../../domain/webhooks/events.ts'
import { loadMany } from '../invoices/invoices.ts'
import { trailsOf } from '../invoices/trails.ts'
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
  if (wanted.length === 0) return new Map()
  const keys = new Set(wanted.map(keyOf))
  const ids = new Set(wanted.map(({ subjectId }) => subjectId))
  // The creation has no row.
  const changed = wanted.filter(({ sequence }) => sequence > 1)
  const [invoices, trails] = await Promise.all([
    loadMany(sql, [...ids]),
    changed.length === 0
      ? null
      : trailsOf(sql, [...new Set(changed.map(({ subjectId }) => subjectId))]),
  ])
  const told = invoices.flatMap((invoice) =>
    replay(invoice, trails?.get(invoice.id) ?? [])
      .filter(({ sequence }) => keys.has(keyOf({ subjectId: invoice.id, sequence })))
      .map((happened) => storedOf(invoice, happened)),
  )
  return new Map(told.map((event) => [keyOf(event), event]))
}

export function keyOf({ subjectId, sequence }: Place): string {
  return `${subjectId} ${sequence}`
}

function storedOf({ id }: Invoice, { sequence, event, invoice, createdAt }: Happened): Stored {
  return {
    subjectId: id,
    sequence,
    type: event.type as Type,
    data: eventData(event, invoice) ?? 'null',
    createdAt: new Date(createdAt),
  }
}
