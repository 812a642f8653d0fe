import { Type } from '@sinclair/typebox'
import { taxCategories } from '../../domain/invoices/lines.ts'
import { currency, instant, like, minor, nullable, oneOf, rate } from '../openapi/doc-schemas.ts'
import type { Docs } from '../operation.ts'
import { periodQuery } from '../request/period.ts'
import { wrapped } from '../response/envelope.ts'
import { creationRefusals, minorInvoice } from '../shared/invoice-docs.ts'

const Token = Type.Object({ token: Type.String(), expiresAt: instant }, { $id: 'DashboardToken' })

const amounts = { subtotal: minor, tax: minor, totalWithTax: minor }
const count = Type.Integer({ examples: [1] })
const figures = {
  ...amounts,
  invoiceCount: count,
  credits: Type.Object(
    { ...amounts, creditNoteCount: count },
    { description: 'What was credited, as positive figures.' },
  ),
  net: Type.Object(amounts, { description: 'Sales less credits.' }),
}

const byCountry = Type.Object({
  countryCode: nullable(like('DE')),
  country: nullable(like('Germany')),
  taxRate: rate,
  category: oneOf(taxCategories),
  ...figures,
})

const sums = {
  invoiceCount: figures.invoiceCount,
  currencies: Type.Array(Type.Object({ currency, ...figures, byCountry: Type.Array(byCountry) })),
}

const TaxSummary = Type.Object(
  {
    ...sums,
    purchases: Type.Object(sums, {
      description:
        'The same for what was bought through the proxy. Its tax is only recorded, from `X-Invoice-Country`: nobody has paid it.',
    }),
  },
  { $id: 'TaxSummary' },
)

export const createInvoice: Docs = {
  summary: 'Create an invoice',
  description: 'In the flat form. The answer says where to pay and how much.',
  exampleBody: {
    currency: 'USD',
    chain: 'base',
    taxCountry: 'DE',
    customerName: 'Ada Example Ltd',
    customerEmail: 'ada@example.com',
    buyerCountry: 'IE',
    sellerName: 'Grace Example GmbH',
    sellerVat: 'DE123456788',
    lines: [
      { description: 'Work in April', quantity: '2.5', unit: 'HUR', unitPrice: 8_000 },
      { description: 'A book', quantity: 1, unitPrice: 1_999, taxCategory: 'reduced' },
    ],
  },
  answers: { 201: minorInvoice },
  idempotent: true,
  refusals: creationRefusals,
}

export const issueToken: Docs = {
  summary: 'Get a token for the dashboard',
  description: 'Valid for 60 minutes, but no longer than the key that requested it.',
  answers: { 200: wrapped(Token) },
}

export const taxSummary: Docs = {
  summary: 'Sum up the tax of settled invoices',
  description:
    'By currency, country, rate and category, over all settled and completed invoices of the account, or those of a period: invoices by settlement, credit notes by issue. Each document is rounded to the smallest unit before it is added. An invoice at several rates counts at each, and once in its currency. What the account bought through the proxy is separate, in `purchases`. Currencies are never added together. With `Accept: text/csv` the answer is a table whose `kind` is `sale`, `credit`, `purchase` or `purchase_credit`.',
  query: Type.Object(periodQuery),
  answers: { 200: wrapped(TaxSummary) },
  csv: true,
}

const amount = { amount: minor, invoiceCount: figures.invoiceCount }

export const overview: Docs = {
  summary: 'Read the totals of the account',
  description:
    'What is outstanding on open invoices, what is due on invoices whose payment is seen but not yet final, and what was due on the ' +
    'invoices that settled on each of the last 30 days (UTC), or of a period of at most 366 days, oldest first. All in millionths of a USDC, whatever the currency of the invoices. ' +
    'Overpayments are not counted (see `payout.gross` of receipts), nor is what the account buys through the proxy.',
  query: Type.Object(periodQuery),
  answers: {
    200: wrapped(
      Type.Object(
        {
          currency: Type.Literal('USDC'),
          open: Type.Object(amount),
          confirming: Type.Object(amount),
          settledByDay: Type.Array(Type.Object({ day: like('2026-05-01'), ...amount })),
          settled: Type.Object(amount, { description: 'The sum of these days.' }),
          credited: Type.Object({ amount: minor, creditNoteCount: count }),
          net: Type.Object({ amount: minor }),
        },
        { $id: 'Overview' },
      ),
    ),
  },
}
