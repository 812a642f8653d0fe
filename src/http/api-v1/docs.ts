import { Type } from '@sinclair/typebox'
import { currency, instant, like, minor, nullable, rate } from '../openapi/doc-schemas.ts'
import type { Docs } from '../operation.ts'
import { wrapped } from '../response/envelope.ts'
import { creationRefusals, minorInvoice } from '../shared/invoice-docs.ts'

const Token = Type.Object({ token: Type.String(), expiresAt: instant }, { $id: 'DashboardToken' })

const figures = {
  subtotal: minor,
  tax: minor,
  totalWithTax: minor,
  invoiceCount: Type.Integer({ examples: [1] }),
}

const byCountry = Type.Object({
  countryCode: nullable(like('DE')),
  country: nullable(like('Germany')),
  taxRate: rate,
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
    'By currency and country, over all settled and completed invoices of the account. What it bought through the proxy is separate, in `purchases`. Currencies are never added together. With `Accept: text/csv` the answer is a table whose `kind` is `sale` or `purchase`.',
  answers: { 200: wrapped(TaxSummary) },
  csv: true,
}

const amount = { amount: minor, invoiceCount: figures.invoiceCount }

export const overview: Docs = {
  summary: 'Read the totals of the account',
  description:
    'What is outstanding on open invoices, what is due on invoices whose payment is seen but not yet final, and what was due on the ' +
    'invoices that settled on each of the last 30 days (UTC), oldest first. All in millionths of a USDC, whatever the currency of the invoices. ' +
    'Overpayments are not counted (see `payout.gross` of receipts), nor is what the account buys through the proxy.',
  answers: {
    200: wrapped(
      Type.Object(
        {
          currency: Type.Literal('USDC'),
          open: Type.Object(amount),
          confirming: Type.Object(amount),
          settledByDay: Type.Array(Type.Object({ day: like('2026-05-01'), ...amount })),
        },
        { $id: 'Overview' },
      ),
    ),
  },
}
