import { Type } from '@sinclair/typebox'
import type { Docs } from '../operation.ts'
import { wrapped } from '../response/envelope.ts'
import { currency, like, minor, oneOf, rate } from './doc-schemas.ts'

const taxOnAnAmount = Type.Object(
  {
    subtotal: minor,
    taxRate: rate,
    taxAmount: Type.Integer({ examples: [190] }),
    totalAmount: Type.Integer({ examples: [1_190] }),
    currency,
    countryCode: like('DE'),
    country: like('Germany'),
    rateType: oneOf(['standard', 'reduced']),
    breakdown: Type.Array(
      Type.Object({ description: like('Standard VAT DE (19%)'), rate, amount: minor }),
    ),
  },
  { $id: 'Tax' },
)

export const calculateTax: Docs = {
  summary: 'Calculate the tax on an amount',
  description:
    'Adds the VAT of a country, at the rates of today (UTC), to an amount, rounding half a minor unit up. Default currency: USD.',
  exampleBody: { amount: 1_000, countryCode: 'DE', currency: 'EUR' },
  answers: { 200: wrapped(taxOnAnAmount) },
  refusals: ['invalid_amount'],
}

const dated = {
  standard: rate,
  reduced: Type.Number({ description: 'In percent.', examples: [7] }),
  from: Type.String({
    format: 'date',
    description: 'The UTC day from which they apply.',
    examples: ['2021-01-01'],
  }),
  source: Type.String({ description: 'The law.', examples: ['UStG § 12'] }),
}

const TaxRates = Type.Object(
  {
    countryCode: like('DE'),
    country: like('Germany'),
    ...dated,
    dated: Type.Array(Type.Object(dated), {
      description: 'All rates of the country, past and to come, oldest first.',
    }),
  },
  { $id: 'TaxRates' },
)

export const taxRates: Docs = {
  summary: 'List the tax rates',
  description:
    'Of all countries, or of one country as a single object: the rates of today, or the first of a country whose first are to come. An invoice is taxed at the rate of the day (UTC) on which it is created.',
  query: Type.Object({
    country: Type.Optional(Type.String({ pattern: '^[A-Za-z]{2}$', examples: ['DE'] })),
  }),
  answers: { 200: wrapped(Type.Union([Type.Array(TaxRates), TaxRates])) },
  refusals: ['not_found'],
}
