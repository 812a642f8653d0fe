import { describe, expect, test } from 'bun:test'
import { eInvoiceOf } from '../../../src/documents/xml/einvoice.ts'
import { hasNationalRules, peppolOf } from '../../../src/documents/xml/peppol.ts'
import { ublOf } from '../../../src/documents/xml/ubl.ts'
import type { Invoice } from '../../../src/domain/invoices/invoice.ts'
import { readEInvoice } from '../../support/e-invoice.ts'
import { linedInvoice, linedTerms } from '../lined.ts'
import { variants } from '../variants.ts'

type Side = { readonly country: string; readonly vat: string; readonly address?: string }

function between(seller: Side, buyer: Side): Invoice {
  const terms = linedTerms([{ unitPrice: '100', category: 'reverse_charge' }])
  return linedInvoice([{ unitPrice: '100', category: 'reverse_charge' }], {
    seller: { ...terms.seller, ...seller },
    buyer: { ...terms.buyer, ...buyer },
  })
}

const german = { country: 'DE', vat: 'DE136695976' }

function peppolXml(invoice: Invoice) {
  return readEInvoice(ublOf(peppolOf(eInvoiceOf(invoice))))
}

describe('the electronic address follows from the VAT id', () => {
  test.each([
    ['AT', 'ATU12345675', '9914', 'ATU12345675'],
    ['BE', 'BE 0411.905.847', '0208', '0411905847'],
    ['DK', 'DK13585628', '0184', 'DK13585628'],
    ['ES', 'ESB58378431', '9920', 'ESB58378431'],
    ['FI', 'FI20774740', '0216', '003720774740'],
    ['FR', 'FR40303265045', '9957', 'FR40303265045'],
    ['GB', 'GB802311782', '9932', 'GB802311782'],
    ['IE', 'IE6388047V', '9935', 'IE6388047V'],
    ['IT', 'IT00743110157', '0211', 'IT00743110157'],
    ['NL', 'NL004495445B01', '9944', 'NL004495445B01'],
    ['PL', 'PL8567346215', '9945', 'PL8567346215'],
    ['PT', 'PT501964843', '9946', 'PT501964843'],
    ['SE', 'SE123456789701', '0007', '1234567897'],
    ['NO', 'NO974760673MVA', '0192', '974760673'],
    ['GR', 'EL094259216', '9933', 'EL094259216'],
  ])('%s: %s is %s:%s', (country, vat, scheme, id) => {
    const { buyer } = peppolXml(between(german, { country, vat }))
    expect([buyer.scheme, buyer.endpoint]).toEqual([scheme, id])
  })
})

describe('what Peppol needs', () => {
  test('an order number stands for the buyer’s reference', () => {
    const ordered = linedInvoice([{ unitPrice: '1' }], { poNumber: 'PO-7' })
    const { buyerReference: _, ...terms } = ordered.terms
    expect(peppolXml({ ...ordered, terms }).order).toBe('PO-7')
  })

  test('what is missing is named', () => {
    const bare = variants['due, with nothing said that need not be']
    const refusal = () => peppolOf(eInvoiceOf(bare))
    expect(refusal).toThrow('buyerReference, seller.country, seller.vat, buyer.country, buyer.vat')
  })
})

describe('national rules', () => {
  const berlin = 'Beispielstraße 12\n10115 Berlin\nGermany'

  test('the town stands apart where the address tells it (NL-R-002, IT-R-003)', () => {
    const dutch = {
      country: 'NL',
      vat: 'NL004495445B01',
      address: 'Keizersgracht 1\n1015 CJ Amsterdam',
    }
    const { seller, buyer, means } = peppolXml(between(dutch, { ...german, address: berlin }))
    expect([seller.town, seller.postcode, seller.address[0]]).toEqual([
      'Amsterdam',
      '1015 CJ',
      'Keizersgracht 1',
    ])
    expect([buyer.town, buyer.postcode, buyer.address]).toEqual([
      'Berlin',
      '10115',
      ['Beispielstraße 12', 'Germany', undefined],
    ])
    // NL-R-008: transfers are 30.
    expect(means.map(({ code }) => code)).toEqual(['30'])
  })

  test('are told of where we cannot keep them', () => {
    const italian = { country: 'IT', vat: 'IT00743110157' }
    const milan = { ...italian, address: 'Via Example 1\n20121 Milano (MI)' }
    const irish = { country: 'IE', vat: 'IE6388047V' }
    const danish = { country: 'DK', vat: 'DK13585628' }
    const has = (seller: Side, buyer: Side) => hasNationalRules(eInvoiceOf(between(seller, buyer)))
    expect(has(german, german)).toBe(true)
    expect(has(german, irish)).toBe(false)
    expect(has(danish, irish)).toBe(true)
    expect(has({ ...italian, address: 'Via Example 1' }, irish)).toBe(true)
    expect(has(milan, irish)).toBe(false)
    expect(has(irish, german)).toBe(false)
  })
})
