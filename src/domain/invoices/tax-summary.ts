import { sumOf } from '../money/money.ts'
import type { TaxTable } from '../money/tax-rates.ts'
import type { TaxCategory } from './lines.ts'
import type { Kind } from './terms.ts'

/** What is summed up: sales and purchases, and what was credited of either. */
export type TotalKind = Kind | 'credit' | 'purchase_credit'

/** The documents of one kind, currency, country, category and rate, each rounded by itself. */
export type Total = {
  readonly kind: TotalKind
  readonly currency: string
  readonly countryCode: string | null
  readonly category: TaxCategory
  readonly rateBasisPoints: number
  /** Documents with such a share, and those of which it is the first. */
  readonly shareCount: number
  readonly documentCount: number
  readonly netMinor: bigint
  readonly taxMinor: bigint
}

export type Sums = ReturnType<typeof sumsOf>
export type CurrencyFigures = Sums['currencies'][number]
export type CountryFigures = CurrencyFigures['byCountry'][number]

/** What an account sold and, separately, what it bought. */
export type Summary = ReturnType<typeof summarize>

/** What was credited has its own figures; the net ones are the difference. */
export function summarize(totals: readonly Total[], taxTable: TaxTable) {
  const of = (kind: Kind, credit: TotalKind) =>
    sumsOf(
      totals.filter((total) => total.kind === kind || total.kind === credit),
      kind,
      taxTable,
    )
  return { ...of('sale', 'credit'), purchases: of('purchase', 'purchase_credit') }
}

function sumsOf(totals: readonly Total[], kind: Kind, taxTable: TaxTable) {
  const currencies = [...Map.groupBy(totals, ({ currency }) => currency)].map(
    ([currency, ofCurrency]) => ({
      currency,
      ...figures(ofCurrency, kind, 'documentCount'),
      byCountry: byCountry(ofCurrency, kind, taxTable),
    }),
  )
  return {
    invoiceCount: countOf(
      totals.filter((total) => total.kind === kind),
      'documentCount',
    ),
    currencies: currencies.sort((a, b) => order(a.currency, b.currency)),
  }
}

/** `countryCode` is null where invoices named none. */
function byCountry(totals: readonly Total[], kind: Kind, taxTable: TaxTable) {
  const groups = Map.groupBy(
    totals,
    ({ countryCode, rateBasisPoints, category }) => `${countryCode} ${rateBasisPoints} ${category}`,
  )
  return [...groups.values()]
    .map((group) => {
      const { countryCode, rateBasisPoints, category } = group[0] as Total
      const country = countryCode && (taxTable.get(countryCode)?.at(-1)?.name ?? countryCode)
      const sums = figures(group, kind, 'shareCount')
      return { countryCode, country, rateBasisPoints, category, ...sums }
    })
    .sort(
      (a, b) =>
        order(a.countryCode ?? last, b.countryCode ?? last) ||
        a.rateBasisPoints - b.rateBasisPoints ||
        order(a.category, b.category),
    )
}

// Invoices without a country come last.
const last = '~'

type Counted = 'shareCount' | 'documentCount'

/** In minor units of the currency: of invoices, of what was credited, and the difference. */
function figures(totals: readonly Total[], kind: Kind, counted: Counted) {
  const invoices = totals.filter((total) => total.kind === kind)
  const credited = totals.filter((total) => total.kind !== kind)
  const [sum, credits] = [amountsOf(invoices), amountsOf(credited)]
  return {
    ...sum,
    invoiceCount: countOf(invoices, counted),
    credits: { ...credits, creditNoteCount: countOf(credited, counted) },
    net: {
      subtotalMinor: sum.subtotalMinor - credits.subtotalMinor,
      taxMinor: sum.taxMinor - credits.taxMinor,
      totalMinor: sum.totalMinor - credits.totalMinor,
    },
  }
}

function amountsOf(totals: readonly Total[]) {
  const subtotalMinor = sumOf(totals, ({ netMinor }) => netMinor)
  const taxMinor = sumOf(totals, ({ taxMinor }) => taxMinor)
  return { subtotalMinor, taxMinor, totalMinor: subtotalMinor + taxMinor }
}

function countOf(totals: readonly Total[], counted: Counted): number {
  return totals.reduce((sum, total) => sum + total[counted], 0)
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
