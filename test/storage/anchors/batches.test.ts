import { afterEach, expect, test } from 'bun:test'
import { nextToBatch, storeBatch, unbatched } from '../../../src/storage/anchors/batches.ts'
import { sendable } from '../../../src/storage/anchors/events.ts'
import type { Sql } from '../../../src/storage/postgres/db.ts'
import { addReceipts, revokeReceipts } from '../../support/batches.ts'
import { useWorld } from '../../support/world.ts'

const { database } = useWorld({ service: 'none' })
const root = new Uint8Array(32).fill(7)

afterEach(async () => {
  await database.sql`truncate anchors, receipts, receipt_batches`
})

function store(receiptIds: readonly string[], sql: Sql = database.sql): Promise<boolean> {
  return storeBatch(sql, Bun.randomUUIDv7(), { id: Bun.randomUUIDv7(), root, receiptIds })
}

/** The receipts in a batch, by its order, and the kinds of events owed. */
async function stored() {
  const placed = await database.sql<{ id: string }[]>`
    select id from receipts where batch_id is not null order by batch_id, batch_index`
  const owed = await database.sql<{ kind: string; label: string }[]>`
    select kind, label from anchors order by created_at, sequence`
  const size = await database.sql<{ size: number }[]>`select size from receipt_batches`
  return {
    placed: placed.map(({ id }) => id),
    owed: owed.map(({ kind, label }) => `${kind} ${label}`),
    sizes: size.map(({ size }) => size),
  }
}

const nothing = { placed: [], owed: [], sizes: [] }

/** Runs a statement that stays uncommitted until `done` is called. */
async function uncommitted(run: (sql: Sql) => Promise<unknown>) {
  const { promise, resolve: done } = Promise.withResolvers<void>()
  const started = Promise.withResolvers<void>()
  const ended = database.sql.begin(async (sql) => {
    await run(sql as unknown as Sql)
    started.resolve()
    await promise
  })
  await Promise.race([started.promise, ended])
  return async () => {
    done()
    await ended
  }
}

test('a batch gives its receipts places in its order, and is owed with its root and size', async () => {
  await addReceipts(database.sql, ['drs_a', 'drs_b'])
  expect(await store(['drs_b', 'drs_a'])).toBe(true)
  expect(await stored()).toEqual({ placed: ['drs_b', 'drs_a'], owed: ['batch 2'], sizes: [2] })
  const hash = `0x${'07'.repeat(32)}`
  expect([...(await sendable(database.sql, 9))]).toMatchObject([
    { kind: 'batch', hash, label: '2' },
  ])
})

test('receipts go in batches oldest first, and wait together while a batch is not sent', async () => {
  const [older, newer] = [new Date(Date.now() - 1_000), new Date()]
  await addReceipts(database.sql, ['drs_b', 'drs_c'], newer)
  await addReceipts(database.sql, ['drs_d'], older)
  const idsOf = (receipts: readonly { readonly id: string }[]) => receipts.map(({ id }) => id)
  expect(idsOf(await nextToBatch(database.sql, 2))).toEqual(['drs_d', 'drs_b'])
  await store(['drs_d', 'drs_b'])
  expect(await nextToBatch(database.sql, 2)).toHaveLength(0)
  expect(idsOf(await unbatched(database.sql, 2))).toEqual(['drs_c'])
  await database.sql`update anchors set state = 'sent'`
  expect(idsOf(await nextToBatch(database.sql, 2))).toEqual(['drs_c'])
})

test.each([
  ['is revoked', () => revokeReceipts(database.sql, ['drs_b'])],
  ['has a place already', () => store(['drs_b'])],
])('a batch is refused as a whole if one of its receipts %s', async (_, before) => {
  await addReceipts(database.sql, ['drs_a', 'drs_b'])
  await before()
  const known = await stored()
  expect(await store(['drs_a', 'drs_b'])).toBe(false)
  expect(await stored()).toEqual(known)
})

test('a batch does not wait for who is revoking one of its receipts, and is refused', async () => {
  await addReceipts(database.sql, ['drs_a', 'drs_b'])
  const commit = await uncommitted((sql) => revokeReceipts(sql, ['drs_b']))
  expect(await store(['drs_a', 'drs_b'])).toBe(false)
  await commit()
  expect(await stored()).toEqual(nothing)
  expect(await store(['drs_a'])).toBe(true)
})

test('who revokes a receipt that is being given a place waits for that, and owes its revocation', async () => {
  await addReceipts(database.sql, ['drs_a', 'drs_b'])
  const commit = await uncommitted((sql) => store(['drs_a', 'drs_b'], sql))
  const revoking = revokeReceipts(database.sql, ['drs_b'])
  await Bun.sleep(100)
  expect((await stored()).owed).toEqual([])
  await commit()
  await revoking
  expect((await stored()).owed.toSorted()).toEqual(['batch 2', 'revocation '])
  expect((await sendable(database.sql, 9)).map(({ kind }) => kind)).toEqual(['batch'])
})

test('of many batches of the same receipts at once one is stored', async () => {
  await addReceipts(database.sql, ['drs_a', 'drs_b'])
  const tries = Array.from({ length: 8 }, () => store(['drs_a', 'drs_b']))
  expect((await Promise.all(tries)).filter((isStored) => isStored)).toHaveLength(1)
  expect((await stored()).owed).toEqual(['batch 2'])
})

test('revocations of one batch do not wait for one another, but for it', async () => {
  await addReceipts(database.sql, ['drs_a', 'drs_b', 'drs_c'])
  await store(['drs_a', 'drs_b', 'drs_c'])
  await revokeReceipts(database.sql, ['drs_a', 'drs_c'])
  await revokeReceipts(database.sql, ['drs_a'])
  await database.sql`update anchors set state = 'sent' where kind = 'batch'`
  expect(await sendable(database.sql, 9)).toHaveLength(0)
  await database.sql`update anchors set state = 'anchored' where kind = 'batch'`
  const kinds = (await sendable(database.sql, 9)).map(({ kind }) => kind)
  expect(kinds).toEqual(['revocation', 'revocation'])
})
