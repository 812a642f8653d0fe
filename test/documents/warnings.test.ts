import { describe, expect, test } from 'bun:test'
import { warningsOf } from '../../src/documents/warnings.ts'
import { rates } from '../../src/domain/money/tax.ts'
import { variants, withVats } from './variants.ts'

const { due } = variants

describe('what may be wrong with an invoice is said', () => {
  test('of parties that are named fully, and of tax in its own currency: nothing', () => {
    expect(warningsOf(variants['settled, overpaid, in euros'])).toEqual([])
  })

  test('of parties without a country, and of a seller without a VAT id or a wallet', () => {
    expect(warningsOf(variants['due, with nothing said that need not be'])).toEqual([
      'seller_address_missing',
      'seller_country_missing',
      'seller_id_missing',
      'buyer_address_missing',
      'buyer_country_missing',
    ])
  })

  test('of a seller with an id that is no VAT id, which does not name it', () => {
    expect(warningsOf(withVats(due, '12-3456789', 'IE6388047V'))).toEqual([
      'seller_vat_format',
      'seller_id_missing',
      'tax_currency_missing',
    ])
  })

  test('of what was bought: that nobody knows the seller’s country, and that the tax on it was only recorded', () => {
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

  test('of no VAT by a seller with a VAT id: that the law which exempts it is not named', () => {
    const { 'due, without tax': exempt } = variants
    expect(warningsOf(exempt)).toEqual(['exemption_reason_missing'])
    expect(warningsOf(withVats(exempt, null, null))).not.toContain('exemption_reason_missing')
  })

  test.each([
    ['DE136695976', true],
    ['de 136 695 976', true],
    ['EL094259216', true],
    ['XI110305878', true],
    ['CHE-123.456.788 MWST', true],
    ['EU372000041', true],
    ['DE123456789', false],
    ['GR094259216', false],
    ['136695976', false],
    ['US123', false],
    ['none', false],
  ])(
    'of a VAT id that breaks the rules of its country, or is none: %s is fine: %p',
    (vat, isFine) => {
      const codes = warningsOf(withVats(due, vat, vat)).filter((code) =>
        code.endsWith('_vat_format'),
      )
      expect(codes).toEqual(isFine ? [] : ['seller_vat_format', 'buyer_vat_format'])
    },
  )

  test('of VAT that is not stated in the currency of its country, whatever that is', () => {
    const warned = (currency: string, countryCode: string | null, rateBasisPoints = 2_000) => {
      const tax = { countryCode, rateBasisPoints, taxUnits: 20n }
      const terms = { ...due.terms, currency, tax }
      return warningsOf({ ...due, terms }).includes('tax_currency_missing')
    }
    for (const [country, { standardBasisPoints }] of Object.entries(rates)) {
      const own = ['EUR', 'GBP', 'SEK', 'DKK', 'PLN'].filter((one) => !warned(one, country))
      expect([country, own.length]).toEqual([country, standardBasisPoints > 0 ? 1 : 0])
      expect(warned('USDC', country)).toBe(true)
    }
    expect(warned('USD', 'US', 0)).toBe(false)
    expect(warned('USDC', null, 0)).toBe(false)
    expect(warned('SEK', 'SE')).toBe(false)
    expect(warned('EUR', 'SE')).toBe(true)
  })
})
