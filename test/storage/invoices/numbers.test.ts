import { expect, test } from 'bun:test'
import type { Kind } from '../../../src/domain/invoices/terms.ts'
import { list } from '../../../src/storage/invoices/lists.ts'
import { connect } from '../../../src/storage/postgres/db.ts'
import { rowsRead } from '../../support/rows-read.ts'
import { newInvoice, storeInvoices } from '../../support/stored-invoice.ts'
import { useWorld } from '../../support/world.ts'

const { database } = useWorld({ service: 'none' })

const everything = {
  ...{ states: null, createdFrom: null, createdBefore: null, settled: null, kind: null },
  ...{ agentId: null, search: null, after: null, offset: 0, limit: 10 },
}

const days = ['2025-12-31T23:59:59.999Z', '2026-01-01T00:00:00.000Z']

function ofKind(accountId: string, kind: Kind, day = days[1] ?? '') {
  return newInvoice(accountId, kind === 'purchase' ? { isPurchase: true } : {}, new Date(day))
}

test('sales have no gaps in their numbers, nor purchases, nor the list of both, whatever is inserted or fails at once', async () => {
  const [one, other] = [crypto.randomUUID(), crypto.randomUUID()]
  const processes = [1, 2].map((n) => connect(database.url, { max: 3, name: `process ${n}` }))
  const batch = (n: number) =>
    Array.from({ length: 1 + (n % 7) }, (_, at) =>
      ofKind(at % 3 === 2 ? other : one, (n + at) % 4 === 0 ? 'purchase' : 'sale', days[at % 2]),
    )
  const said: (readonly [string, number])[] = []
  const insert = async (n: number) => {
    const invoices = batch(n)
    // Every fifth batch has a row twice, and fails.
    const rows = n % 5 === 0 ? [...invoices, ...invoices] : invoices
    const made = await storeInvoices(processes[n % 2] ?? database.sql, rows).catch(() => null)
    for (const [at, row] of made?.entries() ?? [])
      said.push([rows[at]?.id ?? '', row.kind === 'created' ? row.number : 0])
  }
  await Promise.all(Array.from({ length: 80 }, (_, n) => insert(n)))
  await Promise.all(processes.map((sql) => sql.end()))

  const series = await database.sql<{ numbers: number[] }[]>`
    select array_agg(number order by number) as numbers from invoices where account_id in (${one}, ${other})
    group by account_id, year, is_purchase
    union all
    select array_agg(place order by place) from invoices where account_id in (${one}, ${other}) group by account_id, year`
  expect(series).toHaveLength(4 * 2 + 4)
  for (const { numbers } of series) expect(numbers).toEqual(numbers.map((_, at) => at + 1))
  const stored = await database.sql<{ id: string; number: number }[]>`
    select id, number from invoices where account_id in (${one}, ${other})`
  expect(new Map(said)).toEqual(new Map(stored.map(({ id, number }) => [id, number])))
})

test('a list of both kinds has each once, the newest first, by page, by cursor and by kind, and reads only what it shows', async () => {
  const accountId = crypto.randomUUID()
  const made = Array.from({ length: 2_000 }, (_, n) =>
    ofKind(accountId, n % 3 === 0 ? 'purchase' : 'sale', days[n < 900 ? 0 : 1]),
  )
  await storeInvoices(database.sql, made)
  await database.sql`vacuum analyze invoices`
  const newestFirst = made.map(({ id }) => id).reverse()

  for (const offset of [0, 990, 1_099, 1_100, 1_995]) {
    const read = await rowsRead(database, 'invoices', async (sql) => {
      const byPage = await list(sql, accountId, { ...everything, offset })
      expect(byPage.invoices.map(({ id }) => id)).toEqual(newestFirst.slice(offset, offset + 10))
      expect([byPage.total, byPage.hasMore]).toEqual([2_000, offset < 1_990])
      const after = byPage.invoices[2] ?? null
      const byCursor = await list(sql, accountId, { ...everything, after })
      expect(byCursor.invoices.map(({ id }) => id)).toEqual(
        newestFirst.slice(offset + 3, offset + 13),
      )
    })
    expect(read).toBeLessThan(50)
  }

  for (const kind of ['sale', 'purchase'] as const) {
    const wanted = made.filter(({ terms }) => (terms.isPurchase === true) === (kind === 'purchase'))
    const seen: string[] = []
    for (let after = null as (typeof everything)['after']; ; ) {
      const found = await list(database.sql, accountId, { ...everything, kind, after, limit: 100 })
      expect(found.total).toBe(wanted.length)
      seen.push(...found.invoices.map(({ id }) => id))
      if (!found.hasMore) break
      after = (found.invoices.at(-1) ?? null) as typeof after
    }
    expect(seen).toEqual(wanted.map(({ id }) => id).reverse())
  }
})

test('a number finds its invoice in each series, with or without kind and year, without a look at the others', async () => {
  const accountId = crypto.randomUUID()
  const made = Array.from({ length: 3_000 }, (_, n) =>
    ofKind(accountId, n % 2 === 1 ? 'purchase' : 'sale'),
  )
  await storeInvoices(database.sql, made)
  await database.sql`vacuum analyze invoices`
  const find = async (sql: typeof database.sql, series: Kind | null, number: number) => {
    const search = { kind: 'number', series, number, year: 2026 } as const
    const anyYear = { ...search, year: null }
    const found = await list(sql, accountId, { ...everything, search })
    expect(await list(sql, accountId, { ...everything, search: anyYear })).toEqual(found)
    return found.invoices.map(({ id }) => id)
  }
  const [sale, purchase] = [made[2_000]?.id ?? '', made[2_001]?.id ?? '']
  const read = await rowsRead(database, 'invoices', async (sql) => {
    expect(await find(sql, null, 1_001)).toEqual([purchase, sale])
    expect(await find(sql, 'sale', 1_001)).toEqual([sale])
    expect(await find(sql, 'purchase', 1_001)).toEqual([purchase])
    expect(await find(sql, null, 1)).toEqual([made[1]?.id ?? '', made[0]?.id ?? ''])
    expect(await find(sql, null, 1_501)).toEqual([])
  })
  expect(read).toBeLessThan(200)
})
