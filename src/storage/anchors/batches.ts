import { array, type Sql, selfRefusal, statement, unlessRefused } from '../postgres/db.ts'
import { rowsOf } from '../postgres/rows.ts'

export type Unbatched = { readonly id: string; readonly hash: Uint8Array }

/** `receiptIds` in the order of the tree's leaves. */
export type Batch = {
  readonly id: string
  readonly root: Uint8Array
  readonly receiptIds: readonly string[]
}

/** Receipts in force without a place in a batch, in the order in which they are to get one. */
export async function unbatched(sql: Sql, limit: number): Promise<readonly Unbatched[]> {
  return statement<Unbatched[]>(sql)`select id, hash from receipts
    where batch_id is null and revoked_at is null order by issued_at, id limit ${limit}`
}

/** The same, but none while a batch waits for a transaction: more come together meanwhile. */
export async function nextToBatch(sql: Sql, limit: number): Promise<readonly Unbatched[]> {
  return statement<Unbatched[]>(sql)`select id, hash from receipts
    where batch_id is null and revoked_at is null
      and not exists (select from anchors where state = 'pending' and kind = 'batch')
    order by issued_at, id limit ${limit}`
}

/**
 * Gives receipts their places in a new batch, which is owed to the chain. False, with nothing
 * stored, when one of them was revoked or got a place meanwhile.
 */
export function storeBatch(sql: Sql, anchorId: string, batch: Batch): Promise<boolean> {
  return unlessRefused(
    statement(sql)`
    with ${placing(sql, [batch])},
    owed as (
      insert into anchors (id, kind, subject_id, sequence, hash, label, state, created_at, updated_at)
      select ${anchorId}, 'batch', id, 0, root, size, 'pending', now(), now() from batches
    )
    select 1 / (${areAllPlaced(sql, [batch])})::integer`,
    selfRefusal,
  )
}

/**
 * Stores batches with the places of their receipts. The statement must abort itself unless
 * `areAllPlaced`.
 */
export function placing(sql: Sql, batches: readonly Batch[]) {
  const places = batches.flatMap(({ id, receiptIds }) =>
    receiptIds.map((receiptId, index) => ({ id, receiptId, index })),
  )
  return sql`
    batches as (
      insert into receipt_batches (id, root, size, created_at)
      select *, now() from ${rowsOf(sql, batches, {
        id: ['uuid', ({ id }) => id],
        root: ['bytea', ({ root }) => root],
        size: ['integer', ({ receiptIds }) => receiptIds.length],
      })}
      returning *
    ),
    -- Never waits for a statement that revokes one, which might be waiting for another of them.
    free as materialized (
      select id from receipts
      where id = any(${array(places.map(({ receiptId }) => receiptId))}::text[]) and batch_id is null and revoked_at is null
      for no key update skip locked
    ),
    placed as (
      update receipts set batch_id = input.batch_id, batch_index = input.batch_index
      from free join ${rowsOf(sql, places, {
        receipt_id: ['text', ({ receiptId }) => receiptId],
        batch_id: ['uuid', ({ id }) => id],
        batch_index: ['integer', ({ index }) => index],
      })} on input.receipt_id = free.id
      where receipts.id = free.id
      returning 1
    )`
}

export function areAllPlaced(sql: Sql, batches: readonly Batch[]) {
  const count = batches.reduce((sum, { receiptIds }) => sum + receiptIds.length, 0)
  return sql`(select count(*) from placed) = ${count}`
}

/** A receipt of a settled invoice on the chain whose invoice does not know yet. */
export type Unannounced = { readonly receiptId: string; readonly invoiceId: string }

/**
 * The oldest anchored batch, except those in `except`, of which invoices may still have to be told,
 * and these invoices. Null: there is none.
 */
export async function nextUnannounced(
  sql: Sql,
  except: readonly string[],
): Promise<{ readonly anchorId: string; readonly receipts: readonly Unannounced[] } | null> {
  const rows = await statement<(Unannounced & { anchorId: string })[]>(sql)`
    select batch.id as "anchorId", told.id as "receiptId", told.subject_id as "invoiceId"
    from (
      select id, subject_id from anchors
      where kind = 'batch' and state = 'anchored' and not announced and id <> all(${array(except)}::uuid[])
      order by updated_at limit 1
    ) as batch
    left join (
      select receipts.id, receipts.subject_id, batch_id, batch_index
      from receipts join invoices on invoices.id = receipts.subject_id
      where receipts.kind in ('settlement', 'purchase') and invoices.state = 'settled' and revoked_at is null
    ) as told on told.batch_id = batch.subject_id::uuid
    order by told.batch_index`
  const [first] = rows
  if (!first) return null
  return { anchorId: first.anchorId, receipts: rows.filter(({ receiptId }) => receiptId) }
}

export async function markAnnounced(sql: Sql, anchorId: string): Promise<void> {
  await statement(sql)`update anchors set announced = true where id = ${anchorId}`
}
