import { Elysia } from 'elysia'
import type { Reports } from '../../actors/reports.ts'
import type {
  CountryFigures,
  CurrencyFigures,
  Summary,
  Sums,
} from '../../domain/invoices/tax-summary.ts'
import type { Kind } from '../../domain/invoices/terms.ts'
import type { DashboardTokens } from '../admission/dashboard-token.ts'
import { type Operations, unparsed } from '../operation.ts'
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
          const summary = await reports.taxSummary(principal.accountId)
          return wantsCsv(request)
            ? csvAnswer('tax-summary', Object.keys(columns), table(summary))
            : ok(summaryJson(summary))
        },
      ),
    )
    .get(
      '/api/v1/dashboard/overview',
      operation({ scope: 'dashboard:read', docs: Docs.overview }, async ({ principal }) =>
        ok(overviewJson(await reports.overview(principal.accountId))),
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

function overviewJson({ open, confirming, days }: Overview): string {
  const settled = days.map((one) => `{"day":"${one.day}",${amountJson(one)}}`)
  const underWay = `"open":{${amountJson(open)}},"confirming":{${amountJson(confirming)}}`
  return `{"currency":"USDC",${underWay},"settledByDay":[${settled.join(',')}]}`
}

function amountJson({ usdcBase, invoiceCount }: Overview['open']): string {
  return `"amount":${usdcBase},"invoiceCount":${invoiceCount}`
}

type Cell = (figures: CountryFigures, currency: string, kind: Kind) => Rows[number][number]

const columns: Readonly<Record<string, Cell>> = {
  currency: (_, currency) => currency,
  countryCode: ({ countryCode }) => countryCode,
  country: ({ country }) => country,
  taxRate: ({ rateBasisPoints }) => rateBasisPoints / 100,
  subtotal: ({ subtotalMinor }) => subtotalMinor,
  tax: ({ taxMinor }) => taxMinor,
  totalWithTax: ({ totalMinor }) => totalMinor,
  invoiceCount: ({ invoiceCount }) => invoiceCount,
  kind: (_, __, kind) => kind,
}

/** A row for each currency, country and rate: first of sales, then of purchases. */
async function* table(summary: Summary): AsyncGenerator<Rows, void> {
  yield [...rowsOf(summary, 'sale'), ...rowsOf(summary.purchases, 'purchase')]
}

function rowsOf({ currencies }: Sums, kind: Kind): Rows {
  return currencies.flatMap(({ currency, byCountry }) =>
    byCountry.map((figures) => Object.values(columns).map((cell) => cell(figures, currency, kind))),
  )
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
  const { countryCode, country, rateBasisPoints } = figures
  return (
    `{"countryCode":${JSON.stringify(countryCode)},"country":${JSON.stringify(country)},` +
    `"taxRate":${rateBasisPoints / 100},${figuresJson(figures)}}`
  )
}

// Written by hand: sums may be larger than a JavaScript number holds exactly.
function figuresJson(figures: CurrencyFigures | CountryFigures): string {
  const { subtotalMinor, taxMinor, totalMinor, invoiceCount } = figures
  return `"subtotal":${subtotalMinor},"tax":${taxMinor},"totalWithTax":${totalMinor},"invoiceCount":${invoiceCount}`
}
