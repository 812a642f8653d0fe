import {
  breakdownOf,
  type Line,
  linesOf,
  type Sold,
  type TaxShare,
  taxKindOf,
} from '../invoices/lines.ts'
import { fromDecimal, sumOf } from '../money/money.ts'
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
    taxKindOf,
  )
  const named = Map.groupBy(
    notes.flatMap(({ lines = [] }) => lines),
    ({ line }) => line,
  )
  const shares = breakdownOf(terms).map((share) => {
    const gone = taken.get(taxKindOf(share)) ?? []
    return {
      ...share,
      baseUnits: share.baseUnits - sumOf(gone, ({ baseUnits }) => baseUnits),
      taxUnits: share.taxUnits - sumOf(gone, ({ taxUnits }) => taxUnits),
    }
  })
  const lines = linesOf(terms).map((line, at) => {
    const gone = named.get(at + 1) ?? []
    return {
      line,
      quantityMicro:
        fromDecimal(line.quantity, quantityScale) -
        sumOf(gone, ({ quantity }) => fromDecimal(quantity, quantityScale)),
      netUnits: line.netUnits - sumOf(gone, ({ netUnits }) => netUnits),
    }
  })
  return { shares, lines, isLined: terms.lines !== undefined }
}

/** Net and tax. */
export function grossOf({ baseUnits, taxUnits }: TaxShare): bigint {
  return baseUnits + taxUnits
}
