export type Order = { readonly by: string; readonly direction: 'ascending' | 'descending' }
/** What a row is compared by: the first difference counts. */
type Key = readonly (string | number | bigint)[]
export type Sorts<Row> = Readonly<Record<string, (row: Row) => Key>>

/** The rows in `order`; equal ones, and all without an order, stay as they are. */
export function sorted<Row>(
  rows: readonly Row[],
  sorts: Sorts<Row>,
  order: Order | null,
): readonly Row[] {
  const keyOf = order && sorts[order.by]
  if (!keyOf) return rows
  const sign = order.direction === 'ascending' ? 1 : -1
  return rows.toSorted((a, b) => sign * compared(keyOf(a), keyOf(b)))
}

const words = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })

function compared(a: Key, b: Key): number {
  for (const [at, one] of a.entries()) {
    const other = b[at] ?? ''
    const difference =
      typeof one === 'string' || typeof other === 'string'
        ? words.compare(`${one}`, `${other}`)
        : Number(one > other) - Number(one < other)
    if (difference !== 0) return difference
  }
  return 0
}
