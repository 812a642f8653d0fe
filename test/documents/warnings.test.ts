import { describe, expect, test } from 'bun:test'
import { warningsOf } from '../../src/documents/warnings.ts'
import { builtIn } from '../../src/domain/money/tax-rates.ts'
import { variants, withVats } from './variants.ts'

const { due } = variants

describe('warnings', () => {
  test('none for complete parties and tax in its country’s currency', () => {
    expect(warningsOf(variants['settled, overpaid, in euros'])).toEqual([])
  })

  test('for parties without a country, and a seller without a VAT id or a wallet', () => {
    expect(warningsOf(variants['due, with nothing said that need not be'])).toEqual([
      'seller_address_missing',
      'seller_country_missing',
      'seller_id_missing',
      'buyer_address_missing',
      'buyer_country_missing',
    ])
  })

  test('for a seller whose only id is not a VAT id', () => {
    expect(warningsOf(withVats(due, '12-3456789', 'IE6388047V'))).toEqual([
      'seller_vat_format',
      'seller_id_missing',
      'tax_currency_missing',
    ])
  })

  test('for a purchase: the seller’s country is unknown, and its tax only recorded', () => {
    const { 'a purchase, of an order': bought } = variants
    expect(warningsOf(bought)).toEqual([
      'seller_address_missing',
      'seller_country_missing',
      'seller_vat_missing',
      'tax_currency_missing',
      'tax_not_charged',
    ])
    const tax = { countryCode: 'US', rateBasisPoints: 0, taxUnits: 0n }
    expect(warningsOf({ ...bought, terms: { ...bought.terms, tax } })).not.toContain(
      'tax_not_charged',
    )
  })

  test('for a seller with a VAT id that charges no VAT: the exempting law is not named', () => {
    const { 'due, without tax': exempt } = variants
    expect(warningsOf(exempt)).toEqual(['exemption_reason_missing'])
    expect(warningsOf(withVats(exempt, null, null))).not.toContain('exemption_reason_missing')
  })

  test.each([
    ['DE136695976', []],
    ['DE123456789', ['seller_vat_format', 'buyer_vat_format']],
  ])('for the VAT id %s: %j', (vat, expected) => {
    const codes = warningsOf(withVats(due, vat, vat)).filter((code) => code.endsWith('_format'))
    expect(codes).toEqual(expected)
  })

  test('for VAT that is not in the currency of its country', () => {
    const warned = (currency: string, countryCode: string | null, rateBasisPoints = 2_000) => {
      const tax = { countryCode, rateBasisPoints, taxUnits: 20n }
      const terms = { ...due.terms, currency, tax }
      return warningsOf({ ...due, terms }).includes('tax_currency_missing')
    }
    for (const [country, [row]] of builtIn) {
      const own = ['EUR', 'GBP', 'SEK', 'DKK', 'PLN'].filter((one) => !warned(one, country))
      expect([country, own.length]).toEqual([country, row?.standardBasisPoints === 0 ? 0 : 1])
      expect(warned('USDC', country)).toBe(true)
    }
    expect(warned('USD', 'US', 0)).toBe(false)
    expect(warned('USDC', null, 0)).toBe(false)
    expect(warned('SEK', 'SE')).toBe(false)
    expect(warned('EUR', 'SE')).toBe(true)
  })
})
