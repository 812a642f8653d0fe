import { breakdownOf, type Line, linesOf, type Sold, type TaxShare } from '../invoices/lines.ts'
import { fromDecimal } from '../money/money.ts'
import type { Terms } from './credit-note.ts'

/** What the credit notes of an invoice have not taken back yet. */
export type Left = {
  /** All of the invoice's, some perhaps with nothing left. */
  readonly shares: readonly TaxShare[]
  readonly lines: readonly LeftLine[]
  /** The invoice was made of lines. */
  readonly isLined: boolean
}

/** `netUnits` and `quantityMicro` are those left; the line is as it was invoiced. */
export type LeftLine = {
  readonly line: Line
  readonly quantityMicro: bigint
  readonly netUnits: bigint
}

/** Quantities have six places. */
export const quantityScale = 6

type Figures = Pick<Terms, 'breakdown' | 'lines'>

/** What is left of an invoice after these notes. */
export function leftOf(terms: Sold, notes: readonly Figures[]): Left {
  const taken = Map.groupBy(
    notes.flatMap(({ breakdown }) => breakdown),
    kindOf,
  )
  const named = Map.groupBy(
    notes.flatMap(({ lines = [] }) => lines),
    ({ line }) => line,
  )
  const shares = breakdownOf(terms).map((share) => {
    const gone = taken.get(kindOf(share)) ?? []
    return {
      ...share,
      baseUnits: share.baseUnits - sum(gone, ({ baseUnits }) => baseUnits),
      taxUnits: share.taxUnits - sum(gone, ({ taxUnits }) => taxUnits),
    }
  })
  const lines = linesOf(terms).map((line, at) => {
    const gone = named.get(at + 1) ?? []
    return {
      line,
      quantityMicro:
        fromDecimal(line.quantity, quantityScale) -
        sum(gone, ({ quantity }) => fromDecimal(quantity, quantityScale)),
      netUnits: line.netUnits - sum(gone, ({ netUnits }) => netUnits),
    }
  })
  return { shares, lines, isLined: terms.lines !== undefined }
}

/** What is taxed alike. */
export function kindOf({
  category,
  rateBasisPoints,
}: Pick<TaxShare, 'category' | 'rateBasisPoints'>): string {
  return `${category} ${rateBasisPoints}`
}

/** Net and tax. */
export function grossOf({ baseUnits, taxUnits }: TaxShare): bigint {
  return baseUnits + taxUnits
}

/** The sum of what `read` finds in each item. */
export function sum<Item>(items: readonly Item[], read: (item: Item) => bigint): bigint {
  return items.reduce((total, item) => total + read(item), 0n)
}
