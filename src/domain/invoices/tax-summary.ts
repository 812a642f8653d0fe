import { divideHalfUp, minorScale, usdcScale } from '../money/money.ts'
import type { TaxTable } from '../money/tax-rates.ts'

/** The settled invoices of one currency, country and rate, in units of `scale` decimals. */
export type Total = {
  readonly currency: string
  readonly scale: number
  readonly countryCode: string | null
  readonly rateBasisPoints: number
  readonly invoiceCount: number
  readonly subtotalUnits: bigint
  readonly taxUnits: bigint
  /** What the account bought through the proxy, not what it sold. */
  readonly isPurchase: boolean
}

export type Sums = ReturnType<typeof sumsOf>
export type CurrencyFigures = Sums['currencies'][number]
export type CountryFigures = CurrencyFigures['byCountry'][number]

/** What an account sold and, separately, what it bought. */
export type Summary = ReturnType<typeof summarize>

/**
 * Exact sums of subtotal and tax are each rounded once, half up; the total adds the rounded two.
 */
export function summarize(totals: readonly Total[], taxTable: TaxTable) {
  const sold = totals.filter(({ isPurchase }) => !isPurchase)
  const bought = totals.filter(({ isPurchase }) => isPurchase)
  return { ...sumsOf(sold, taxTable), purchases: sumsOf(bought, taxTable) }
}

function sumsOf(totals: readonly Total[], taxTable: TaxTable) {
  const currencies = [...Map.groupBy(totals, ({ currency }) => currency)].map(
    ([currency, ofCurrency]) => ({
      currency,
      ...figures(currency, ofCurrency),
      byCountry: byCountry(currency, ofCurrency, taxTable),
    }),
  )
  return {
    invoiceCount: countOf(totals),
    currencies: currencies.sort((a, b) => order(a.currency, b.currency)),
  }
}

/** `countryCode` is null where invoices named none. */
function byCountry(currency: string, totals: readonly Total[], taxTable: TaxTable) {
  const groups = Map.groupBy(totals, (total) => `${total.countryCode} ${total.rateBasisPoints}`)
  return [...groups.values()]
    .map((group) => {
      const { countryCode, rateBasisPoints } = group[0] as Total
      const country = countryCode && (taxTable.get(countryCode)?.at(-1)?.name ?? countryCode)
      return { countryCode, country, rateBasisPoints, ...figures(currency, group) }
    })
    .sort(
      (a, b) =>
        order(a.countryCode ?? last, b.countryCode ?? last) ||
        a.rateBasisPoints - b.rateBasisPoints,
    )
}

// Invoices without a country come last.
const last = '~'

/** In minor units of the currency. */
function figures(currency: string, totals: readonly Total[]) {
  const subtotalMinor = toMinor(currency, totals, ({ subtotalUnits }) => subtotalUnits)
  const taxMinor = toMinor(currency, totals, ({ taxUnits }) => taxUnits)
  return {
    subtotalMinor,
    taxMinor,
    totalMinor: subtotalMinor + taxMinor,
    invoiceCount: countOf(totals),
  }
}

/** Adds up at six decimals, the most an invoice can have, then rounds. */
function toMinor(
  currency: string,
  totals: readonly Total[],
  units: (total: Total) => bigint,
): bigint {
  const sum = totals.reduce(
    (sum, total) => sum + units(total) * 10n ** BigInt(usdcScale - total.scale),
    0n,
  )
  return divideHalfUp(sum, 10n ** BigInt(usdcScale - minorScale(currency)))
}

function countOf(totals: readonly Total[]): number {
  return totals.reduce((sum, { invoiceCount }) => sum + invoiceCount, 0)
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
