import { type Static, Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { DomainError, invalidField } from '../../domain/error.ts'
import { dayOf } from '../../domain/instant.ts'
import { requireCurrency } from '../../domain/money/currency.ts'
import { parseMinor } from '../../domain/money/money.ts'
import * as Tax from '../../domain/money/tax.ts'
import { type RateRow, ratesOn, requireRates } from '../../domain/money/tax-rates.ts'
import { calculateTax as calculateDocs, taxRates as ratesDocs } from '../openapi/tax-docs.ts'
import { type Answer, type Call, type Operations, unparsed } from '../operation.ts'
import { listQueryOf } from '../request/request-url.ts'
import { choice, line, meant, minorAmount, optional } from '../request/validation.ts'
import { ok } from '../response/envelope.ts'
import { type Taxes, upperCase } from './invoice-fields.ts'

const CalculateTax = Type.Object({
  amount: minorAmount(),
  countryCode: meant(
    line(64),
    'The country whose VAT applies: an ISO 3166 code of two letters such as `DE`, one of `GET /api/v1/tax/rates`.',
  ),
  currency: optional(
    line(16),
    'The currency of the amount: an ISO 4217 code, or `USDC`. Default: `USD`.',
  ),
  rateType: optional(choice(Tax.rateTypes), 'Which of the country’s rates. Default: `standard`.'),
})

/** The tax on an amount, and the rates behind it. No key is needed. */
export function taxRoutes(operation: Operations, taxes: Taxes) {
  const calculate = operation({ scope: null, body: CalculateTax, docs: calculateDocs }, (call) =>
    taxOn(call, taxes),
  )
  return new Elysia()
    .post('/api/tax/calculate', calculate, unparsed)
    .post('/api/v1/tax/calculate', calculate, unparsed)
    .get(
      '/api/v1/tax/rates',
      operation({ scope: null, docs: ratesDocs }, ({ request }) => {
        const country = countryIn(request.url)
        const codes = country === null ? taxes.taxTable.keys().toArray() : [country]
        const shown = codes.map((code) => ratesOf(code, taxes))
        return ok(JSON.stringify(country === null ? shown : shown[0]))
      }),
    )
}

/** Amounts in minor units of the currency. Errors: `invalid_request`, `invalid_amount`. */
function taxOn({ body }: Pick<Call, 'body'>, { taxTable, now }: Taxes): Answer {
  const value = body.value as Static<typeof CalculateTax>
  const { rateType = 'standard' } = value
  const currency = requireCurrency(value.currency ?? 'USD')
  const subtotal = parseMinor(body.source('amount') ?? '')
  const countryCode = upperCase('countryCode', value.countryCode)
  const rates = requireRates(taxTable, countryCode, dayOf(now()), 'countryCode')
  const tax = Tax.calculate(subtotal, rates, rateType)
  const rate = tax.rateBasisPoints / 100
  const kind = rateType === 'reduced' ? 'Reduced' : 'Standard'
  return ok(
    `{"subtotal":${subtotal},"taxRate":${rate},"taxAmount":${tax.taxMinor},"totalAmount":${tax.totalMinor},` +
      `"currency":"${currency}","countryCode":"${countryCode}","country":${JSON.stringify(rates.name)},"rateType":"${rateType}",` +
      `"breakdown":[{"description":"${kind} VAT ${countryCode} (${rate}%)","rate":${rate},"amount":${tax.taxMinor}}]}`,
  )
}

/** The rates of today or, before the first, the first. */
function ratesOf(countryCode: string, { taxTable, now }: Taxes) {
  const dated = taxTable.get(countryCode) ?? []
  const rates = ratesOn(taxTable, countryCode, dayOf(now())) ?? dated[0]
  if (!rates) throw new DomainError('not_found', `No tax rates are known for ${countryCode}`)
  return { countryCode, country: rates.name, ...percent(rates), dated: dated.map(percent) }
}

function percent({ standardBasisPoints, reducedBasisPoints, from, source }: RateRow) {
  return { standard: standardBasisPoints / 100, reduced: reducedBasisPoints / 100, from, source }
}

function countryIn(url: string): string | null {
  const country = listQueryOf(url, (parameter) => parameter('country'))
  if (country === null) return null
  if (!/^[a-z]{2}$/i.test(country)) throw invalidField('country', 'must be a two-letter code')
  return country.toUpperCase()
}
