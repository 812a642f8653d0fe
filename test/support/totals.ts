import type { Sql } from '../../src/storage/postgres/db.ts'

const totals = {
  accountId: '',
  day: new Date().toISOString().slice(0, 10),
  kind: 'sale',
  currency: 'EUR',
  country: 'DE' as string | null,
  category: 'standard',
  rateBasisPoints: 1_900,
  count: 1,
  netMinor: 1_000n,
  taxMinor: 190n,
  usdcBase: 1_000_000n,
}

/** Adds to the totals of an account, of a new one where it is not said, without any documents. */
export async function addTotals(sql: Sql, over: Partial<typeof totals> = {}): Promise<void> {
  const one = { ...totals, accountId: crypto.randomUUID(), ...over }
  await sql`select count_totals(array[row(${one.accountId}::uuid, ${one.day}::date, ${one.kind}, ${one.currency}, ${one.country},
    ${one.category}, ${one.rateBasisPoints}::integer, ${one.count}::bigint, ${one.count}::bigint, ${`${one.netMinor}`}::numeric,
    ${`${one.taxMinor}`}::numeric, ${`${one.usdcBase}`}::numeric)::tax_totals])`
}
