import type { Invoice } from '../domain/invoices/invoice.ts'
import { breakdownOf, type Line, linesOf, type TaxShare } from '../domain/invoices/lines.ts'

/** The lines of a document and the shares that its tax is worked out for. */
export type Stated = {
  readonly lines: readonly Line[]
  readonly shares: readonly TaxShare[]
  readonly subtotalUnits: bigint
  readonly totalUnits: bigint
}

export function statedOf({ terms }: Invoice): Stated {
  const { subtotalUnits, totalUnits } = terms
  return { lines: linesOf(terms), shares: breakdownOf(terms), subtotalUnits, totalUnits }
}
