import { Elysia } from 'elysia'
import { DomainError, invalidField } from '../../domain/error.ts'
import * as Tax from '../../domain/money/tax.ts'
import * as Shared from '../openapi/doc-schemas.ts'
import { type Operations, unparsed } from '../operation.ts'
import { parametersOf } from '../request/request-url.ts'
import { readableAnywhere } from '../response/cross-origin.ts'
import { ok } from '../response/envelope.ts'
import { CalculateTax, calculateTax } from '../shared/tax.ts'
import * as Docs from './docs.ts'

/** `/api/v1/tax`: the tax on an amount, and the rates behind it. No key is needed. */
export function taxRoutes(operation: Operations) {
  return new Elysia()
    .post(
      '/api/v1/tax/calculate',
      operation({ scope: null, body: CalculateTax, docs: Shared.calculateTax }, calculateTax),
      unparsed,
    )
    .get(
      '/api/v1/tax/rates',
      operation(
        { scope: null, headers: readableAnywhere(), docs: Docs.taxRates },
        ({ request }) => {
          const country = countryIn(request.url)
          return ok(JSON.stringify(country === null ? allRates : ratesOf(country)))
        },
      ),
    )
}

const allRates = Object.keys(Tax.rates).map(ratesOf)

function ratesOf(countryCode: string) {
  const rates = Tax.find(countryCode)
  if (!rates) throw new DomainError('not_found', `No tax rates are known for ${countryCode}`)
  return {
    countryCode,
    country: rates.country,
    standard: rates.standardBasisPoints / 100,
    reduced: rates.reducedBasisPoints / 100,
  }
}

function countryIn(url: string): string | null {
  const country = parametersOf(url)('country')
  if (country === null) return null
  if (!/^[a-z]{2}$/i.test(country)) throw invalidField('country', 'must be a two-letter code')
  return country.toUpperCase()
}
