import { rootOf } from '../../src/domain/receipts/merkle.ts'
import type { Sql } from '../../src/storage/postgres/db.ts'
import { writeReceipts } from '../../src/storage/settlement/settlements.ts'

/**
 * Adds receipts that state nothing, each of a settled invoice of its own that states nothing
 * either, issued at `at`.
 */
export async function addReceipts(
  sql: Sql,
  ids: readonly string[],
  at: Date = new Date(),
): Promise<void> {
  await sql`
    with added as (
      insert into receipts (id, account_id, kind, subject_id, seed, claims, hash, issued_at)
      select id, gen_random_uuid(), 'settlement', gen_random_uuid(), '', '[]', sha256(id::bytea), ${at}
      from unnest(${`{${ids}}`}::text[]) as given (id)
      returning *
    )
    insert into invoices (id, account_id, year, is_purchase, number, place, version, state, owed_base, chain, pay_to, due_base, created_at, updated_at,
      terms, progress)
    select subject_id, account_id, 2026, false, 1, 1, 1, 'settled', null::bigint, 'base', '0x', 0, now(), now(), '{}', '{}' from added`
}

/** Revokes receipts as the commit of a step does. */
export async function revokeReceipts(sql: Sql, ids: readonly string[]): Promise<void> {
  const revoking = { issued: [], revokedReceiptIds: ids, now: new Date() }
  await sql`with ${writeReceipts(sql, revoking)} select`
}

/** What is wrong with the places of receipts, once everything owed is on the chain. */
export async function misplaced(sql: Sql): Promise<readonly string[]> {
  const receipts = await sql<Row[]>`
    select receipts.id, hash, revoked_at is not null as "isRevoked", batch_id as "batchId", exists (
      select from anchors where kind = 'revocation' and anchors.hash = receipts.hash and state = 'anchored'
    ) as "isTakenBack"
    from receipts order by batch_id, batch_index`
  const batches = await sql<{ id: string; root: Buffer; event: string | null }[]>`
    select receipt_batches.id, root, (
      select '0x' || encode(anchors.hash, 'hex') || ' ' || label from anchors where kind = 'batch' and subject_id = receipt_batches.id::text and state = 'anchored'
    ) as event from receipt_batches`
  const places = Map.groupBy(receipts, ({ batchId }) => batchId)
  return [
    ...receipts
      .filter(({ isRevoked, batchId }) => !isRevoked && batchId === null)
      .map(({ id }) => `${id} has no place in a batch`),
    ...receipts
      .filter(
        ({ isRevoked, isTakenBack, batchId }) => isTakenBack !== (isRevoked && batchId !== null),
      )
      .map(
        ({ id, isRevoked }) => `${id} is ${isRevoked ? '' : 'not '}revoked, and otherwise on chain`,
      ),
    ...batches
      .filter(({ id, root, event }) => {
        const leaves = places.get(id) ?? []
        const isRoot = leaves.length > 0 && root.equals(rootOf(leaves.map(({ hash }) => hash)))
        return !isRoot || event !== `0x${root.toString('hex')} ${leaves.length}`
      })
      .map(({ id }) => `the root of batch ${id} is not that of its receipts, or not on chain`),
  ]
}

type Row = {
  readonly id: string
  readonly hash: Buffer
  readonly isRevoked: boolean
  readonly batchId: string | null
  readonly isTakenBack: boolean
}
