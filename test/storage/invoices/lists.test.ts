import { describe, expect, test } from 'bun:test'
import { toText } from '../../../src/domain/codec.ts'
import type { ListQuery, Placed } from '../../../src/domain/invoices/list.ts'
import { progress as progressCodec } from '../../../src/domain/invoices/progress.ts'
import { list, pages } from '../../../src/storage/invoices/lists.ts'
import type { Sql } from '../../../src/storage/postgres/db.ts'
import { after, payment } from '../../support/invoice.ts'
import { rowsRead } from '../../support/rows-read.ts'
import { newInvoice, storedInvoice, storeInvoices } from '../../support/stored-invoice.ts'
import { useWorld } from '../../support/world.ts'

const { database } = useWorld({ service: 'none' })

const everything = {
  states: null,
  createdFrom: null,
  createdBefore: null,
  settled: null,
  kind: null,
  agentId: null,
  search: null,
}
const page: ListQuery = { ...everything, after: null, offset: 0, limit: 10 }
const inTurn = <T>(_: string, read: (sql: Sql) => Promise<T>) => read(database.sql)
/** Reads without waiting for a turn. */
const atOnce = { list: inTurn, listFurther: inTurn }
const placeOf = ({ year, place }: Placed) => `${year}.${place}`

/** A new account with this many invoices in each year. */
async function accountWith(counts: Readonly<Record<number, number>>): Promise<string> {
  const accountId = crypto.randomUUID()
  for (const [year, count] of Object.entries(counts)) await add(accountId, Number(year), count)
  return accountId
}

function add(accountId: string, year: number, count: number) {
  const one = () => ({ ...after([]), id: Bun.randomUUIDv7(), accountId, year, number: 0 })
  return storeInvoices(database.sql, Array.from({ length: count }, one))
}

describe('a page without filters', () => {
  test('is found by its place, across the years, as counting rows would find it', async () => {
    const accountId = await accountWith({ 2024: 3, 2025: 1, 2026: 2 })
    const newestFirst = ['2026.2', '2026.1', '2025.1', '2024.3', '2024.2', '2024.1']
    for (let offset = 0; offset <= 7; offset++) {
      for (const limit of [1, 2, 6]) {
        const found = await list(database.sql, accountId, { ...page, offset, limit })
        const counted = await list(database.sql, accountId, {
          ...page,
          states: ['draft'],
          offset,
          limit,
        })
        expect(found.invoices.map(placeOf)).toEqual(newestFirst.slice(offset, offset + limit))
        expect([found.total, found.hasMore]).toEqual([6, offset + limit < 6])
        expect(found).toEqual(counted)
      }
    }
  })

  test('of an account without invoices is empty', async () => {
    const found = await list(database.sql, crypto.randomUUID(), page)
    expect(found).toEqual({ invoices: [], total: 0, hasMore: false })
  })
})

describe('a page of what was created between two times', () => {
  test('is read without a look at what was created in other years', async () => {
    const accountId = crypto.randomUUID()
    const last = 'T23:59:59.999Z'
    for (const at of [`2024-12-31${last}`, '2025-01-01T00:00:00.000Z', `2025-12-31${last}`])
      await created(accountId, at)
    for (const at of ['2024-02-01T12:00:00.000Z', '2026-01-01T00:00:00.000Z'])
      await created(accountId, at, 1_000)
    await database.sql`vacuum analyze invoices`
    const found = async (from: string | null, before: string | null, sql = database.sql) => {
      const { invoices, total } = await list(sql, accountId, {
        ...page,
        createdFrom: from === null ? null : new Date(from),
        createdBefore: before === null ? null : new Date(before),
        limit: 3,
      })
      return [total, ...invoices.map(placeOf)]
    }
    const read = await rowsRead(database, 'invoices', async (sql) => {
      const year = await found('2025-01-01', '2026-01-01', sql)
      expect(year).toEqual([2, '2025.2', '2025.1'])
    })
    expect(read).toBeLessThan(50)
    expect(await found('2025-01-01T01:00:00+01:00', null)).toEqual([
      1_002,
      '2026.1000',
      '2026.999',
      '2026.998',
    ])
    expect(await found('2025-01-01T00:00:00.001Z', '2025-12-31T23:59:59.999Z')).toEqual([0])
    expect(await found('2024-12-31', '2025-01-01T00:00:00.001Z')).toEqual([2, '2025.1', '2024.1'])
    expect(await found(null, '0001-01-01')).toEqual([0])
    expect(await found('9999-12-31', null)).toEqual([0])
  })

  function created(accountId: string, at: string, count = 1) {
    const one = () => newInvoice(accountId, {}, new Date(at))
    return storeInvoices(database.sql, Array.from({ length: count }, one))
  }
})

describe('an export of what settled in a period', () => {
  const inPeriod = (from: string | null, to: string | null) => ({
    ...everything,
    settled: { from, to },
  })

  const { key, blockNumber, from } = payment()
  const ids = { settlementId: 'stl', receiptId: 'drs' }
  const confirmation = {
    kind: 'confirm',
    key,
    blockNumber,
    from,
    confirmations: 5,
    ...ids,
  } as const

  /** Invoices of one account that settled at these times, in the order given. */
  async function settledAt(accountId: string, times: readonly string[]): Promise<void> {
    const made = times.map((at) => ({ at, invoice: newInvoice(accountId, {}, new Date(at)) }))
    await storeInvoices(
      database.sql,
      made.map(({ invoice }) => invoice),
    )
    for (const { at, invoice } of made) {
      const settledAt = new Date(at).toISOString()
      const { progress } = after(
        [{ kind: 'credit', payment: payment() }, confirmation],
        {},
        new Date(at),
      )
      await database.sql`update invoices set state = 'settled', owed_base = null, settled_at = ${settledAt},
        progress = ${toText(progressCodec, progress)} where id = ${invoice.id}`
    }
  }

  async function exported(
    accountId: string,
    from: string | null,
    to: string | null,
    sql = database.sql,
  ) {
    const read = <T>(_: string, one: (sql: Sql) => Promise<T>) => one(sql)
    const found: string[] = []
    for await (const invoices of pages(
      { list: read, listFurther: read },
      accountId,
      inPeriod(from, to),
    ))
      found.push(...invoices.map(({ progress }) => progress.settlement?.settledAt ?? ''))
    return found
  }

  test('has those of its days, the latest settlement first, however invoices are numbered', async () => {
    const accountId = crypto.randomUUID()
    const last = '2026-06-30T23:59:59.999Z'
    const [first, second] = ['2026-07-01T00:00:00.000Z', '2026-08-02T12:00:00.000Z']
    await settledAt(accountId, [second, last, first, '2026-10-01T00:00:00.000Z'])
    await storedInvoice(database.sql, accountId)
    await settledAt(crypto.randomUUID(), [second])
    expect(await exported(accountId, '2026-07-01', '2026-10-01')).toEqual([second, first])
    expect(await exported(accountId, '2026-07-02', null)).toEqual([
      '2026-10-01T00:00:00.000Z',
      second,
    ])
    expect(await exported(accountId, null, '2026-07-01')).toEqual([last])
  })

  test('has each once, however many settled at the same time, and reads nothing of other days', async () => {
    const accountId = crypto.randomUUID()
    const at = '2026-03-01T00:00:00.000Z'
    await settledAt(accountId, [at])
    await database.sql`
      insert into invoices (id, account_id, year, is_purchase, number, place, version, state, owed_base, chain, pay_to, due_base, created_at, updated_at,
        settled_at, terms, progress)
      select gen_random_uuid(), account_id, 2026, false, number + n, place + n, version, state, owed_base, chain, pay_to, due_base, created_at, updated_at,
        settled_at + (n / 1200) * interval '1 month', terms, progress
      from invoices, generate_series(1, 5000) as n where account_id = ${accountId}`
    await database.sql`vacuum analyze invoices`
    const read = await rowsRead(database, 'invoices', async (sql) => {
      expect(await exported(accountId, '2026-03-01', '2026-04-01', sql)).toHaveLength(1_200)
    })
    expect(read).toBeLessThan(1_400)
  })
})

test('a search of buyers reads past metadata that holds a NUL', async () => {
  const accountId = crypto.randomUUID()
  const metadata = '{"note":"\\u0000"}'
  await storedInvoice(database.sql, accountId, { metadata })
  const search = (part: string) =>
    list(database.sql, accountId, { ...page, search: { kind: 'buyer', part } })
  expect((await search('BUYER@')).total).toBe(1)
  expect((await search('nobody')).total).toBe(0)
})

describe('all pages together', () => {
  test('hold every invoice once, newest first, and no other account’s', async () => {
    const accountId = await accountWith({ 2025: 700, 2026: 801 })
    const found: Placed[] = []
    const sizes: number[] = []
    for await (const some of pages(atOnce, accountId, everything)) {
      sizes.push(some.length)
      found.push(...some)
    }
    expect(sizes).toEqual([500, 500, 500, 1])
    const numbers = (year: number, count: number) =>
      Array.from({ length: count }, (_, at) => `${year}.${count - at}`)
    expect(found.map(placeOf)).toEqual([...numbers(2026, 801), ...numbers(2025, 700)])
    expect(new Set(found.map((invoice) => invoice.accountId))).toEqual(new Set([accountId]))
  })

  test('leave out what is created while they are read', async () => {
    const accountId = await accountWith({ 2026: 501 })
    const sizes: number[] = []
    for await (const some of pages(atOnce, accountId, everything)) {
      if (sizes.length === 0) await add(accountId, 2026, 3)
      sizes.push(some.length)
    }
    expect(sizes).toEqual([500, 1])
  })
})
