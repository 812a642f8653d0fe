import type { CreditNote } from '../domain/credit-notes/credit-note.ts'
import type { Invoice } from '../domain/invoices/invoice.ts'
import { breakdownOf, type Line, linesOf, type TaxShare } from '../domain/invoices/lines.ts'
import { minorScale, toDecimal } from '../domain/money/money.ts'

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

/** `description` is of a line for each share, where the note names no lines. */
export function creditedOf(note: CreditNote, invoice: Invoice, description: string): Stated {
  const { lines, breakdown, subtotalUnits, totalUnits } = note.terms
  const shares = breakdown.filter(({ baseUnits, taxUnits }) => baseUnits > 0n || taxUnits > 0n)
  return {
    lines: lines
      ? lines.flatMap((line) => creditedLine(line, linesOf(invoice.terms)))
      : shares.map((share) => shareLine(share, description, note.terms.scale)),
    shares,
    subtotalUnits,
    totalUnits,
  }
}

type Credited = NonNullable<CreditNote['terms']['lines']>[number]

function creditedLine({ line, quantity, netUnits }: Credited, lines: readonly Line[]) {
  const credited = lines[line - 1]
  return credited ? [{ ...credited, quantity, netUnits }] : []
}

function shareLine(share: TaxShare, description: string, scale: number): Line {
  const { category, rateBasisPoints, baseUnits } = share
  const unitPrice = toDecimal(baseUnits, scale)
  const taxed = { category, rateBasisPoints, netUnits: baseUnits }
  return { description, quantity: '1', unit: 'C62', unitPrice, ...taxed }
}

/** All its decimals, at least those of the currency up to two. */
export function unitPriceText({ unitPrice }: Pick<Line, 'unitPrice'>, currency: string): string {
  const [whole = '', fraction = ''] = unitPrice.split('.')
  const digits = fraction.padEnd(Math.min(2, minorScale(currency)), '0')
  return digits ? `${whole}.${digits}` : whole
}
