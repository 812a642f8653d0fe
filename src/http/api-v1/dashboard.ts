import { Elysia } from 'elysia'
import type { Reports } from '../../actors/reports.ts'
import type {
  CountryFigures,
  CurrencyFigures,
  Summary,
  Sums,
  TotalKind,
} from '../../domain/invoices/tax-summary.ts'
import type { DashboardTokens } from '../admission/dashboard-token.ts'
import { type Operations, unparsed } from '../operation.ts'
import { daysIn } from '../request/period.ts'
import { parametersOf } from '../request/request-url.ts'
import { csvAnswer, type Rows, wantsCsv } from '../response/csv.ts'
import { ok } from '../response/envelope.ts'
import * as Docs from './docs.ts'

type Overview = Awaited<ReturnType<Reports['overview']>>

export function dashboardRoutes(operation: Operations, reports: Reports) {
  return new Elysia()
    .get(
      '/api/v1/dashboard/tax-summary',
      operation(
        { scope: 'dashboard:read', docs: Docs.taxSummary },
        async ({ principal, request }) => {
          const days = daysIn(parametersOf(request.url))
          const summary = await reports.taxSummary(principal.accountId, days)
          return wantsCsv(request)
            ? csvAnswer('tax-summary', Object.keys(columns), table(summary))
            : ok(summaryJson(summary))
        },
      ),
    )
    .get(
      '/api/v1/dashboard/overview',
      operation(
        { scope: 'dashboard:read', docs: Docs.overview },
        async ({ principal, request }) => {
          const days = daysIn(parametersOf(request.url))
          return ok(overviewJson(await reports.overview(principal.accountId, days)))
        },
      ),
    )
}

/** Exchanges an API key for a token for the dashboard's paths. */
export function tokenRoutes(operation: Operations, tokens: DashboardTokens) {
  return new Elysia().post(
    '/api/v1/auth/token',
    operation({ scope: 'dashboard:read', docs: Docs.issueToken }, async ({ principal }) =>
      ok(JSON.stringify(await tokens.issue(principal)), 200, { 'cache-control': 'no-store' }),
    ),
    unparsed,
  )
}

function overviewJson({ open, confirming, days, sum }: Overview): string {
  const byDay = days.map((one) => `{"day":"${one.day}",${amountJson(one)}}`)
  const underWay = `"open":{${amountJson(open)}},"confirming":{${amountJson(confirming)}}`
  const { creditedBase, creditNoteCount } = sum
  const credited = `"credited":{"amount":${creditedBase},"creditNoteCount":${creditNoteCount}}`
  const net = `"net":{"amount":${sum.usdcBase - creditedBase}}`
  const sums = `"settled":{${amountJson(sum)}},${credited},${net}`
  return `{"currency":"USDC",${underWay},"settledByDay":[${byDay.join(',')}],${sums}}`
}

function amountJson({ usdcBase, invoiceCount }: Overview['open']): string {
  return `"amount":${usdcBase},"invoiceCount":${invoiceCount}`
}

type Cell = (figures: Line, currency: string, kind: TotalKind) => Rows[number][number]

/** A line of the table: `count` invoices or credit notes. */
type Line = Omit<CountryFigures, 'invoiceCount' | 'credits' | 'net'> & { readonly count: number }

const columns: Readonly<Record<string, Cell>> = {
  currency: (_, currency) => currency,
  countryCode: ({ countryCode }) => countryCode,
  country: ({ country }) => country,
  taxRate: ({ rateBasisPoints }) => rateBasisPoints / 100,
  subtotal: ({ subtotalMinor }) => subtotalMinor,
  tax: ({ taxMinor }) => taxMinor,
  totalWithTax: ({ totalMinor }) => totalMinor,
  invoiceCount: ({ count }) => count,
  kind: (_, __, kind) => kind,
  category: ({ category }) => category,
}

/** A row for each currency, country, rate and category, of sales, purchases and their credits. */
async function* table(summary: Summary): AsyncGenerator<Rows, void> {
  const { purchases } = summary
  yield [
    ...rowsOf(summary, 'sale', invoicesIn),
    ...rowsOf(summary, 'credit', creditsIn),
    ...rowsOf(purchases, 'purchase', invoicesIn),
    ...rowsOf(purchases, 'purchase_credit', creditsIn),
  ]
}

function rowsOf({ currencies }: Sums, kind: TotalKind, lineIn: (of: CountryFigures) => Line): Rows {
  return currencies.flatMap(({ currency, byCountry }) =>
    byCountry
      .map(lineIn)
      .filter(({ count }) => count > 0)
      .map((line) => Object.values(columns).map((cell) => cell(line, currency, kind))),
  )
}

function invoicesIn(figures: CountryFigures): Line {
  return { ...figures, count: figures.invoiceCount }
}

function creditsIn(figures: CountryFigures): Line {
  return { ...figures, ...figures.credits, count: figures.credits.creditNoteCount }
}

function summaryJson({ purchases, ...sales }: Summary): string {
  return `{${sumsJson(sales)},"purchases":{${sumsJson(purchases)}}}`
}

function sumsJson({ invoiceCount, currencies }: Sums): string {
  return `"invoiceCount":${invoiceCount},"currencies":[${currencies.map(currencyJson).join(',')}]`
}

function currencyJson(figures: CurrencyFigures): string {
  const { currency, byCountry } = figures
  return `{"currency":"${currency}",${figuresJson(figures)},"byCountry":[${byCountry.map(countryJson).join(',')}]}`
}

function countryJson(figures: CountryFigures): string {
  const { countryCode, country, rateBasisPoints, category } = figures
  return (
    `{"countryCode":${JSON.stringify(countryCode)},"country":${JSON.stringify(country)},` +
    `"taxRate":${rateBasisPoints / 100},"category":"${category}",${figuresJson(figures)}}`
  )
}

// Written by hand: sums may be larger than a JavaScript number holds exactly.
function figuresJson(figures: CurrencyFigures | CountryFigures): string {
  const { invoiceCount, credits, net } = figures
  const { creditNoteCount } = credits
  return (
    `${amountsJson(figures)},"invoiceCount":${invoiceCount},` +
    `"credits":{${amountsJson(credits)},"creditNoteCount":${creditNoteCount}},"net":{${amountsJson(net)}}`
  )
}

function amountsJson({ subtotalMinor, taxMinor, totalMinor }: CurrencyFigures['net']): string {
  return `"subtotal":${subtotalMinor},"tax":${taxMinor},"totalWithTax":${totalMinor}`
}
