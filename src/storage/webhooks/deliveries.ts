import type { Invoice } from '../../domain/invoices/invoice.ts'
import * as View from '../../domain/invoices/view.ts'
import type { Stored } from '../../domain/webhooks/event.ts'
import type { Type } from '../../domain/webhooks/events.ts'
import { loadMany } from '../invoices/invoices.ts'
import { array, type Sql, statement } from '../postgres/db.ts'
import { rowsOf } from '../postgres/rows.ts'

/** Deliveries to one webhook that are due together. */
export type Batch = {
  readonly id: string
  /** For a retry, the batch the deliveries were announced in; null: this is that batch. */
  readonly origin: string | null
  readonly webhookId: string
  readonly accountId: string
  readonly url: string
  /** Whether these are deliveries of sample events. */
  readonly isTest: boolean
  /** The times of this lease are texts, because a Date would round microseconds away. */
  readonly leasedAt: string
  /** When this lease ends unless renewed. */
  readonly heldUntil: string
  readonly secretSealed: Uint8Array
  /** The previous secret, while a rotation overlaps. */
  readonly previousSecretSealed: Uint8Array | null
  readonly deliveries: readonly Attemptable[]
}

export type Attemptable = {
  /** Position in the batch the delivery was announced in. */
  readonly place: number
  /** The number of this attempt in the schedule; the first is 1. */
  readonly attempt: number
  readonly event: Stored
}

/**
 * How long a lease lasts. It is renewed while attempts are in progress, however long they take, so
 * the batches of a worker that died wait no longer than this.
 */
export const leaseMs = 15_000
/**
 * How much longer a lease lasts whose worker hears too late that the webhook is wanted. It starts
 * the batch within this time or not at all, so while a lease has more than `leaseMs` left, a
 * deletion must wait.
 */
export const lateMs = 5_000

/** Most batches of one webhook in one lease. */
const batchesAtOnce = 4

/**
 * Leases up to four due batches of each webhook that is neither paused nor deleted: nobody else
 * gets them for `leaseMs`, after that anybody may. Deliveries that have since been made or
 * postponed are left out. Leases go by the database's clock, because processes' clocks may differ.
 */
export async function lease(
  sql: Sql,
  webhookIds: readonly string[],
  leaseMs: number,
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
        -- None, where nothing of it is due any more: such a batch is to be cleared away. Text with separators that JSON never holds costs less
        -- than JSON, and much less than rows.
        select string_agg(concat_ws(chr(30), one.place, coalesce(attempts, 0) + 1, one.subject_id, one.sequence, coalesce(type, ''),
          coalesce(extract(epoch from events.created_at) * 1000, 0), data), chr(29))
        from unnest(places, subject_ids, sequences) as one (place, subject_id, sequence)
        left join deliveries on batch_id = origin and deliveries.place = one.place
        left join events on events.subject_id = one.subject_id and events.sequence = one.sequence
        where origin is null or (state = 'pending' and next_attempt_at <= now())
      ) as due
    from taken join webhooks on webhooks.id = webhook_id`
  const batches = rows.map(({ due, ...batch }) => ({ batch, due: split(due) }))
  const creations = batches.flatMap(({ due }) => due.filter(isCreation).map(subjectOf))
  const invoices = new Map((await loadMany(sql, creations)).map((invoice) => [invoice.id, invoice]))
  return batches.map(({ batch, due }) => ({
    ...batch,
    deliveries: due.map((one) => decode(one, invoices)),
  }))
}

/**
 * The webhooks with due batches that no process has leased. Batches that a deletion overlooked are
 * cancelled first.
 */
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

/**
 * Extends the lease of batches to `leaseMs` from now. A batch that another statement is
 * writing to at the moment is skipped: without waiting there is no deadlock.
 */
export async function renew(sql: Sql, batchIds: readonly string[], leaseMs: number): Promise<void> {
  await statement(sql)`
    with held as (
      select id from delivery_batches where id = any(${array(batchIds)}::bigint[]) and due_at is not null for update skip locked
    )
    update delivery_batches set due_at = now() + ${leaseMs} * interval '1 millisecond' from held where delivery_batches.id = held.id`
}

/**
 * Gives back a batch that was leased and not renewed: it is due again at once, unless it has been
 * leased again since.
 */
export async function release(
  sql: Sql,
  { id, heldUntil }: Pick<Batch, 'id' | 'heldUntil'>,
): Promise<void> {
  await statement(
    sql,
  )`update delivery_batches set due_at = now() where id = ${id} and due_at = ${heldUntil}::text::timestamptz`
}

/**
 * Leases for another `leaseMs` a batch that was leased and not renewed. Returns its new
 * `heldUntil`; null if it has been leased again since, or its webhook has changed.
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

/**
 * The ids of those webhooks, each given once, that are active, not deleted, and still have the URL
 * and the secret they were leased with.
 */
export async function wanted(
  sql: Sql,
  leased: readonly Pick<Batch, 'webhookId' | 'url' | 'secretSealed'>[],
): Promise<readonly string[]> {
  const rows = await statement<{ id: string }[]>(sql)`
    select id from webhooks join ${rowsOf(
      sql,
      leased,
      {
        id: ['uuid', ({ webhookId }) => webhookId],
        url: ['text', ({ url }) => url],
        secret_sealed: ['bytea', ({ secretSealed }) => secretSealed],
      },
      'leased',
    )} using (id, url, secret_sealed)
    where active and deleted_at is null`
  return rows.map(({ id }) => id)
}

/**
 * The part of a statement that cancels the pending deliveries of the batches in the CTE that
 * `batches` names.
 */
export function cancel(sql: Sql, batches: string) {
  return sql`update deliveries set state = 'cancelled'
    from (select origin, unnest(places) as place from ${sql(batches)}) as waiting
    where batch_id = origin and deliveries.place = waiting.place and state = 'pending'`
}

type LeasedRow = Omit<Batch, 'deliveries'> & { readonly due: string | null }

/**
 * `type` is empty for the creation of an invoice: that event is derived from the invoice itself.
 */
type Due = [
  place: string,
  attempt: string,
  subjectId: string,
  sequence: string,
  type: Type | '',
  createdAtMs: string,
  data: string,
]

function split(due: string | null): readonly Due[] {
  return due === null ? [] : due.split('\u001d').map((one) => one.split('\u001e') as Due)
}

function isCreation([, , , , type]: Due): boolean {
  return type === ''
}

function subjectOf([, , subjectId]: Due): string {
  return subjectId
}

function decode(due: Due, invoices: ReadonlyMap<string, Invoice>): Attemptable {
  const [place, attempt, subjectId, sequence] = due
  return {
    place: Number(place),
    attempt: Number(attempt),
    event: { subjectId, sequence: Number(sequence), ...told(due, invoices) },
  }
}

function told(due: Due, invoices: ReadonlyMap<string, Invoice>) {
  const [, , subjectId, , type, createdAtMs, data] = due
  if (type !== '') return { type, data, createdAt: new Date(Number(createdAtMs)) }
  const invoice = invoices.get(subjectId)
  if (!invoice) throw new Error('an event outlives its invoice')
  return {
    type: 'invoice.created' as const,
    data: View.createdData(invoice),
    createdAt: new Date(invoice.createdAt),
  }
}
