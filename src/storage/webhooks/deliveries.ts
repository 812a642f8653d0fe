import type { Stored } from '../../domain/webhooks/event.ts'
import { array, type Sql, statement } from '../postgres/db.ts'
import { eventsOf } from './told-events.ts'

export type Batch = {
  readonly id: string
  /** The batch that announced the deliveries; null: this one. */
  readonly origin: string | null
  readonly webhookId: string
  readonly accountId: string
  readonly url: string
  readonly isTest: boolean
  /** The times of a lease are texts: a Date would lose microseconds. */
  readonly leasedAt: string
  readonly heldUntil: string
  readonly secretSealed: Uint8Array
  /** While a rotation overlaps. */
  readonly previousSecretSealed: Uint8Array | null
  readonly deliveries: readonly Attemptable[]
}

export type Attemptable = {
  /** Its position in the batch that announced it. */
  readonly place: number
  /** From 1. */
  readonly attempt: number
  readonly event: Stored
}

/** A lease is renewed during attempts; the batches of a dead worker wait this long. */
export const leaseMs = 15_000

const batchesAtOnce = 4

/**
 * Leases up to four due batches of each active webhook for `leaseMs`, by the database's clock,
 * without deliveries that have been made or postponed. A batch with an event that this program
 * cannot read stays leased, until a newer one may take it.
 */
export async function lease(
  sql: Sql,
  webhookIds: readonly string[],
  leaseMs: number,
  onUnreadable: (batchId: string, error: unknown) => void = refuse,
): Promise<readonly Batch[]> {
  const rows = await statement<LeasedRow[]>(sql)`
    with next as (
      select batch.id from unnest(${array(webhookIds)}::uuid[]) as wanted (id)
      join webhooks on webhooks.id = wanted.id and active and deleted_at is null
      cross join lateral (
        select id from delivery_batches where webhook_id = wanted.id and due_at <= now()
        order by due_at limit ${batchesAtOnce} for update skip locked
      ) as batch
    ),
    taken as (
      update delivery_batches set due_at = now() + ${leaseMs} * interval '1 millisecond'
      from next where delivery_batches.id = next.id returning delivery_batches.*
    )
    select taken.id::text, origin::text, webhook_id as "webhookId", webhooks.account_id as "accountId", url,
      taken.is_test as "isTest", now()::text as "leasedAt", due_at::text as "heldUntil",
      secret_sealed as "secretSealed",
      case when previous_secret_until > now() then previous_secret_sealed end as "previousSecretSealed", (
        -- Null where nothing is due any more: such a batch is cleared. Text with separators costs
        -- less than JSON, and much less than rows.
        select string_agg(concat_ws(chr(30), one.place, coalesce(attempts, 0) + 1, one.subject_id, one.sequence), chr(29))
        from unnest(places, subject_ids, sequences) as one (place, subject_id, sequence)
        left join deliveries on batch_id = origin and deliveries.place = one.place
        where origin is null or (state = 'pending' and next_attempt_at <= now())
      ) as due
    from taken join webhooks on webhooks.id = webhook_id`
  const batches = rows.map(({ due, ...batch }) => ({ batch, announced: split(due) }))
  const eventAt = await eventsOf(
    sql,
    batches.flatMap(({ announced }) => announced),
  )
  return batches.flatMap(({ batch, announced }) => {
    try {
      const deliveries = announced.map(({ place, attempt, ...at }) => {
        const event = eventAt(at)
        if (!event) throw new Error(`event ${at.sequence} of ${at.subjectId} is not kept`)
        return { place, attempt, event }
      })
      return [{ ...batch, deliveries }]
    } catch (error) {
      onUnreadable(batch.id, error)
      return []
    }
  })
}

/** Webhooks with due batches that are not leased. Cancels batches that a deletion overlooked. */
export async function due(sql: Sql): Promise<readonly string[]> {
  const rows = await statement<{ id: string }[]>(sql)`
    with overlooked as (
      delete from delivery_batches using webhooks
      where webhooks.id = webhook_id and deleted_at is not null and due_at is not null returning origin, places
    ),
    cancelled as (${cancel(sql, 'overlooked')})
    select id from webhooks where active and deleted_at is null
      and exists (select from delivery_batches where webhook_id = webhooks.id and due_at <= now())`
  return rows.map(({ id }) => id)
}

/** Extends leases to `leaseMs` from now. Skips batches that are locked, against deadlocks. */
export async function renew(sql: Sql, batchIds: readonly string[], leaseMs: number): Promise<void> {
  await statement(sql)`
    with held as (
      select id from delivery_batches where id = any(${array(batchIds)}::bigint[]) and due_at is not null for update skip locked
    )
    update delivery_batches set due_at = now() + ${leaseMs} * interval '1 millisecond' from held where delivery_batches.id = held.id`
}

/** Makes a leased batch due at once, unless it has been leased again since. */
export async function release(
  sql: Sql,
  { id, heldUntil }: Pick<Batch, 'id' | 'heldUntil'>,
): Promise<void> {
  await statement(
    sql,
  )`update delivery_batches set due_at = now() where id = ${id} and due_at = ${heldUntil}::text::timestamptz`
}

/**
 * Extends a lease that was not renewed. Returns `heldUntil`; null if it has been leased again
 * since, or its webhook has changed.
 */
export async function leaseAgain(
  sql: Sql,
  { id, heldUntil, url, secretSealed }: Pick<Batch, 'id' | 'heldUntil' | 'url' | 'secretSealed'>,
  leaseMs: number,
): Promise<string | null> {
  const [leased] = await statement<Pick<Batch, 'heldUntil'>[]>(sql)`
    update delivery_batches set due_at = now() + ${leaseMs} * interval '1 millisecond' from webhooks
    where delivery_batches.id = ${id} and due_at = ${heldUntil}::text::timestamptz and webhooks.id = webhook_id
      and active and deleted_at is null and url = ${url} and secret_sealed = ${secretSealed}
    returning due_at::text as "heldUntil"`
  return leased?.heldUntil ?? null
}

/** Cancels the pending deliveries of the batches in the CTE `batches`. */
export function cancel(sql: Sql, batches: string) {
  return sql`update deliveries set state = 'cancelled'
    from (select origin, unnest(places) as place from ${sql(batches)}) as waiting
    where batch_id = origin and deliveries.place = waiting.place and state = 'pending'`
}

type LeasedRow = Omit<Batch, 'deliveries'> & { readonly due: string | null }

function refuse(_batchId: string, error: unknown): never {
  throw error
}

function split(due: string | null) {
  return (due?.split('\u001d') ?? []).map((one) => {
    const [place, attempt, subjectId = '', sequence] = one.split('\u001e')
    const at = { subjectId, sequence: Number(sequence) }
    return { place: Number(place), attempt: Number(attempt), ...at }
  })
}
