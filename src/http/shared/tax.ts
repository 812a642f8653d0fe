import { type Static, Type } from '@sinclair/typebox'
import { insistCurrency } from '../../domain/money/currency.ts'
import { parseMinor } from '../../domain/money/money.ts'
import * as Tax from '../../domain/money/tax.ts'
import type { Answer, Call } from '../operation.ts'
import { line, meant, minorAmount } from '../request/validation.ts'
import { ok } from '../response/envelope.ts'
import { upperCase } from './invoice-fields.ts'

/** Body of both `tax/calculate` paths. */
export const CalculateTax = Type.Object({
  amount: minorAmount(),
  countryCode: meant(
    line(64),
    'The country whose VAT it is: an ISO 3166 code of two letters such as `DE`, one of `GET /api/v1/tax/rates`.',
  ),
  currency: Type.Optional(
    meant(
      line(16),
      'The currency of the amount: an ISO 4217 code, or `USDC`; `USD` where it is left out.',
    ),
  ),
  rateType: Type.Optional(
    meant(
      Type.Union(
        Tax.rateTypes.map((type) => Type.Literal(type)),
        { description: `must be one of ${Tax.rateTypes.join(', ')}` },
      ),
      'Which of the country’s rates; `standard` where it is left out.',
    ),
  ),
})

/**
 * The tax on an amount in minor units of its currency, which is USD where none is given. Errors:
 * `invalid_request`, `invalid_amount`.
 */
export function calculateTax({ body }: Pick<Call, 'body'>): Answer {
  const value = body.value as Static<typeof CalculateTax>
  const { rateType = 'standard' } = value
  const currency = insistCurrency(value.currency ?? 'USD')
  const subtotal = parseMinor(body.source('amount') ?? '')
  const countryCode = upperCase('countryCode', value.countryCode)
  const tax = Tax.calculate(subtotal, countryCode, rateType)
  const rate = tax.rateBasisPoints / 100
  const kind = rateType === 'reduced' ? 'Reduced' : 'Standard'
  return ok(
    `{"subtotal":${subtotal},"taxRate":${rate},"taxAmount":${tax.taxMinor},"totalAmount":${tax.totalMinor},` +
      `"currency":"${currency}","countryCode":"${countryCode}","country":"${tax.country}","rateType":"${rateType}",` +
      `"breakdown":[{"description":"${kind} VAT ${countryCode} (${rate}%)","rate":${rate},"amount":${tax.taxMinor}}]}`,
  )
}
