import type { Row } from '../../src/domain/books/journal.ts'

/** In units of six decimals. */
function units(decimal: string | null): bigint {
  const [whole = '', fraction = ''] = (decimal ?? '0').split('.')
  return BigInt(whole + fraction.padEnd(6, '0'))
}

/** Debits less credits by what `keyOf` names, without what balances. */
export function balances(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
): Record<string, bigint> {
  const sums = [...Map.groupBy(rows, keyOf)].map(
    ([key, of]) =>
      [key, of.reduce((sum, row) => sum + units(row.debit) - units(row.credit), 0n)] as const,
  )
  return Object.fromEntries(sums.filter(([, sum]) => sum !== 0n))
}

/** The entries whose rows do not follow each other, and what does not balance. */
export function faultsOf(rows: readonly Row[]): readonly string[] {
  const begun = rows.flatMap(({ entry }, at) => (entry === rows[at - 1]?.entry ? [] : [entry]))
  const torn = begun.filter((entry, at) => begun.indexOf(entry) < at)
  const days = rows.filter(({ date }, at) => date < (rows[at - 1]?.date ?? ''))
  const sides = rows.filter(({ debit, credit }) => (debit === null) === (credit === null))
  return [
    ...torn,
    ...Object.keys(balances(rows, ({ entry, currency }) => `${entry} ${currency}`)),
    ...[...days, ...sides].map(({ entry }) => entry),
  ]
}
