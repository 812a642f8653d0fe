import { type TaxShare, type Line as TermsLine, taxKindOf } from '../../domain/invoices/lines.ts'
import type { Terms } from '../../domain/invoices/terms.ts'
import { divideHalfUp, fromDecimal, share, sumOf, toAmount } from '../../domain/money/money.ts'
import { type Stated, unitPriceText } from '../stated.ts'
import { lines as linesIn } from '../texts.ts'
import { type Exemption, exemptionOf, type Vat, vatOf } from './vat.ts'

/** BG-25. */
export type Line = {
  readonly name: string
  /** Null where the name says it all. */
  readonly description: string | null
  readonly quantity: string
  /** UN/ECE Recommendation 20. */
  readonly unit: string
  /** May have more than two decimals. */
  readonly unitPrice: string
  /** What the price is for, if not for one unit (BT-149). */
  readonly priceQuantity: string | null
  readonly net: string
  readonly vat: Vat
}

/** BG-23. */
export type VatShare = Vat & Exemption & { readonly base: string; readonly tax: string }

/**
 * Lines, taxes and sums in the two decimals of EN 16931. `terms` are those of the invoice. Every
 * sum is one of rounded amounts; `roundingCents` is what the exact total is more.
 */
export function amountsOf({ lines, shares, totalUnits }: Stated, terms: Terms) {
  const { scale } = terms
  const netOf = ({ netUnits }: TermsLine) => cents(netUnits, scale)
  const breakdown = shares.map((share) => {
    const baseCents = sumOf(
      lines.filter((line) => taxKindOf(line) === taxKindOf(share)),
      netOf,
    )
    return { share, baseCents, taxCents: taxOf(share, baseCents, terms) }
  })
  const netCents = sumOf(lines, netOf)
  const taxCents = sumOf(breakdown, (one) => one.taxCents)
  const exactCents = cents(totalUnits, scale)
  return {
    lines: lines.map((line) => lineOf(line, terms, netOf(line))),
    breakdown: breakdown.map(({ share, baseCents, taxCents }) => ({
      ...vatOf(share, terms),
      ...exemptionOf(share, terms),
      base: amount(baseCents),
      tax: amount(taxCents),
    })),
    netCents,
    taxCents,
    exactCents,
    roundingCents: exactCents - netCents - taxCents,
  }
}

// BR-CO-17: the tax is the rate of the base, which is a sum of rounded amounts.
function taxOf(of: TaxShare, baseCents: bigint, { lines, scale }: Terms): bigint {
  const isRounded = lines !== undefined && scale > 2
  return isRounded ? share(baseCents, of.rateBasisPoints) : cents(of.taxUnits, scale)
}

function lineOf(line: TermsLine, terms: Terms, netCents: bigint): Line {
  const [name = 'Services', ...more] = linesIn(line.description)
  const { quantity, unit } = line
  const unitPrice = unitPriceText(line, terms.currency)
  const net = amount(netCents)
  return {
    name,
    description: more.length > 0 ? [name, ...more].join('\n') : null,
    quantity,
    unit,
    ...(isProduct(line, netCents)
      ? { unitPrice, priceQuantity: null }
      : { unitPrice: net, priceQuantity: quantity }),
    net,
    vat: vatOf(line, terms),
  }
}

/**
 * Whether quantity × price is the net but for 2 cents (PEPPOL-EN16931-R120). It need not be in a
 * currency without cents, or for a part of a line that is credited.
 */
function isProduct({ quantity, unitPrice }: TermsLine, netCents: bigint): boolean {
  const difference = fromDecimal(quantity, 6) * fromDecimal(unitPrice, 12) - netCents * 10n ** 16n
  return difference * difference <= (2n * 10n ** 16n) ** 2n
}

export function cents(units: bigint, scale: number): bigint {
  return divideHalfUp(units * 100n, 10n ** BigInt(scale))
}

/** Two decimals. */
export function amount(cents: bigint): string {
  return cents < 0n ? `-${toAmount(-cents, 2)}` : toAmount(cents, 2)
}
