import { afterAll, describe, expect, spyOn, test } from 'bun:test'
import { createRequire } from 'node:module'
import { InvoiceService } from '@e-invoice-eu/core'
import { documentOf } from '../../../src/documents/pdf/invoice-document.ts'
import { warningsOf } from '../../../src/documents/warnings.ts'
import { english } from '../../../src/documents/words/english.ts'
import { ciiOf } from '../../../src/documents/xml/cii.ts'
import { eCreditNoteOf } from '../../../src/documents/xml/credit-note.ts'
import { type EInvoice, eInvoiceOf } from '../../../src/documents/xml/einvoice.ts'
import { ublOf } from '../../../src/documents/xml/ubl.ts'
import type { Invoice } from '../../../src/domain/invoices/invoice.ts'
import { readEInvoice } from '../../support/e-invoice.ts'
import { after } from '../../support/invoice.ts'
import { type Element, parseXml, textsAt } from '../../support/xml.ts'
import { creditNoteOf, lined } from '../lined.ts'
import { variants, withVats } from '../variants.ts'

const all = Object.entries({ ...variants, ...lined }).map(
  ([name, invoice]) => [name, eInvoiceOf(invoice), warningsOf(invoice)] as const,
)
const cents = (amount: string | null) => Math.round(Number(amount ?? 0) * 100)

describe.each(all)('%s', (_, invoice, warnings) => {
  test('the sums add up (BR-CO-10, 13, 15, 16), and the tax is its rate of the net (BR-CO-17)', () => {
    const { net, tax, gross, prepaid, rounding, payable } = invoice.sums
    expect(cents(gross)).toBe(cents(net) + cents(tax))
    expect(cents(payable)).toBe(cents(gross) - cents(prepaid) + cents(rounding))
    for (const { base, percent, ...share } of invoice.breakdown) {
      const exactTax = (cents(base) * Number(percent ?? 0)) / 100
      // A currency without cents has no tax in cents.
      const most = invoice.currency === 'JPY' ? 50 : 1
      expect(Math.abs(cents(share.tax) - exactTax)).toBeLessThanOrEqual(most)
    }
  })

  test('UBL and CII say the same', () => {
    expect(readEInvoice(ublOf(invoice))).toEqual(readEInvoice(ciiOf(invoice)))
  })

  test('required members of the parties are present or warned of (BR-06, 07, 09, 11, S-02, CO-26)', () => {
    const { seller, buyer, breakdown } = invoice
    const isTaxed = breakdown.some(({ category }) => category === 'S')
    const missing = {
      seller_name_missing: seller.name === null,
      seller_country_missing: seller.country === null,
      seller_vat_missing: isTaxed && (seller.vatId ?? seller.taxId) === null,
      seller_id_missing: (seller.id ?? seller.vatId) === null,
      buyer_name_missing: buyer.name === null,
      buyer_country_missing: buyer.country === null,
    }
    const warned = Object.keys(missing).map((code) => [code, warnings.includes(code)])
    expect(Object.fromEntries(warned)).toEqual(missing)
  })

  test('another implementation accepts the UBL, apart from warnings, and converts it to the same CII', async () => {
    const complete = completed(invoice, warnings)
    const theirs = await translated(parseXml(ublOf(complete)))
    expect(bare(parseXml(ciiOf(complete)))).toEqual(bare(theirs))
  })
})

test.each(Object.entries(lined))(
  'another implementation converts the UBL of a credit note to the same CII: %s',
  async (_, invoice) => {
    const note = eCreditNoteOf(creditNoteOf(invoice), invoice)
    // It takes a credit note as an invoice of type 381, and loses the invoice that it credits.
    const credit = { ...completed(note, []), precedes: null }
    const ubl = ublOf(credit)
      .replaceAll(/CreditNote(Line|TypeCode)/g, 'Invoice$1')
      .replaceAll('CreditedQuantity', 'InvoicedQuantity')
    expect(bare(parseXml(ciiOf(credit)))).toEqual(bare(await translated(parseXml(ubl))))
  },
)

test.each([
  ['2026-05-31T23:59:59.999Z', '2026-05-31'],
  ['2026-05-31T00:00:00.001Z', '2026-05-31'],
  ['2026-06-01T00:00:00.000Z', '2026-05-31'],
])('due at %s: the due date is the last day for a payment in time', (dueAt, day) => {
  const invoice = eInvoiceOf({ ...variants.due, terms: { ...variants.due.terms, dueAt } })
  expect(invoice.dueOn).toBe(day)
})

const { draft, due } = variants
const fractions = variants['due, of /v1, with fractions of a cent']
const bareMinimum = variants['due, with nothing said that need not be']

describe('in the terms of the standard', () => {
  test('USDC is stated as USD, rounded to cents, with a note of the exact amounts', () => {
    const { currency, sums, lines, notes } = eInvoiceOf(fractions)
    expect([currency, lines[0]?.unitPrice]).toEqual(['USD', '12.345'])
    expect(sums).toMatchObject({ net: '12.35', tax: '2.35', gross: '14.70', payable: '14.69' })
    expect(sums.rounding).toBe('-0.01')
    expect(notes).toEqual([
      'All amounts are in USDC, a token worth one US dollar, and are shown as USD.',
      'The exact amounts are 12.345 USDC plus 2.34555 USDC VAT, 14.69055 USDC in total.',
    ])
  })

  test('several notes (BG-1) are joined in UBL, where Peppol allows one, and separate in CII', () => {
    const [first, second] = eInvoiceOf(fractions).notes
    expect(textsAt(parseXml(ublOf(eInvoiceOf(fractions))), 'cbc:Note')).toEqual([
      `${first} ${second}`,
    ])
    const cii = parseXml(ciiOf(eInvoiceOf(fractions)))
    const included = ['rsm:ExchangedDocument', 'ram:IncludedNote', 'ram:Content']
    expect(textsAt(cii, ...included)).toEqual([first ?? '', second ?? ''])
    expect(textsAt(parseXml(ublOf(eInvoiceOf(due))), 'cbc:Note')).toEqual([])
  })

  const late = 'The due date has passed. It can still be paid, and will be marked as late.'
  const only = 'VAT is only recorded: the price is paid without it.'
  test.each<[keyof typeof variants, object, string | null, notes?: string[]]>([
    ['draft', { payable: '1487.50' }, 'Pay 1,487.50 USDC'],
    ['due', { prepaid: null, payable: '1487.50' }, 'Pay 1,487.50 USDC on Base to 0x8f3c'],
    ['partly paid', { prepaid: '500.00', payable: '987.50' }, 'Pay 987.50 USDC'],
    ['a draft, partly paid', { prepaid: '500.00', payable: '987.50' }, 'Pay 987.50 USDC'],
    ['paid', { prepaid: '1487.50', payable: '0.00' }, 'Paid; the payment is not yet confirmed'],
    ['settled', { prepaid: '1487.50', payable: '0.00' }, null],
    ['expired', { payable: '1487.50' }, 'Pay 1,487.50 USDC', [late]],
    ['expired, partly paid', { payable: '987.50' }, 'Pay 987.50 USDC', [late]],
    ['void', {}, 'Must not be paid.', ['This invoice is void and must not be paid.']],
    [
      'a purchase, with tax',
      { gross: '1487.50', prepaid: '237.50', payable: '1250.00' },
      'This purchase is paid by x402 through the proxy',
      [only],
    ],
    ['a purchase, with tax, settled', { payable: '0.00' }, null, [only]],
  ])('%s: what is payable, and how', (name, sums, terms, notes = []) => {
    const stated = eInvoiceOf(variants[name])
    expect(stated.sums).toMatchObject(sums)
    const found = stated.payment.terms
    expect(terms === null ? found : found?.slice(0, terms.length)).toBe(terms)
    expect(stated.notes).toEqual(notes)
    expect(stated.payment.transfer === null).toBe(name === 'a purchase, with tax')
  })

  test('only what the page stamps is void', () => {
    for (const invoice of Object.values(variants)) {
      const isStamped = eInvoiceOf(invoice).notes.some((note) => note.startsWith('This '))
      expect(isStamped).toBe(documentOf(invoice, english).stamp !== null)
    }
  })

  test('asks for what is left, however little has come', () => {
    const [payment] = variants['partly paid'].progress.payments
    const dust = { ...payment, usdcBase: 14_865_000n } as NonNullable<typeof payment>
    const invoice = { ...due, progress: { ...due.progress, payments: [dust] } }
    expect(eInvoiceOf(invoice).payment.terms).toStartWith('Pay 1,472.635 USDC on Base')
    expect(eInvoiceOf(invoice).sums).toMatchObject({ prepaid: '14.86', payable: '1472.64' })
  })

  test('a purchase states the buyer’s order number (BT-13)', () => {
    const ordered = eInvoiceOf(variants['a purchase, of an order'])
    expect(textsAt(parseXml(ublOf(ordered)), 'cac:OrderReference', 'cbc:ID')).toEqual(['PO-7'])
    expect(eInvoiceOf(variants['a purchase, with tax']).order).toBeNull()
  })

  test('the date of issue is the day it was sent, or of its creation if it is never sent; also on the page', () => {
    const issuedOf = (invoice: Invoice) => [
      eInvoiceOf(invoice).issuedOn,
      documentOf(invoice, english).facts[0]?.value,
    ]
    const { 'due, made a month before it was sent': later } = variants
    expect(issuedOf(later)).toEqual(['2026-05-01', '1 May 2026'])
    const made = ['2026-04-01', '1 April 2026']
    expect(issuedOf({ ...draft, createdAt: later.createdAt })).toEqual(made)
    const ofV1 = { ...later, terms: { ...later.terms, form: 'v1' as const } }
    expect(issuedOf(ofV1)).toEqual(made)
  })

  test('the country is that of the VAT id, otherwise that of the tax', () => {
    const countries = (sellerVat: string | null, buyerVat: string | null) => {
      const { seller, buyer } = eInvoiceOf(withVats(due, sellerVat, buyerVat))
      return [seller.country, buyer.country]
    }
    expect(countries('DE136695976', 'IE6388047V')).toEqual(['DE', 'IE'])
    expect(countries('AU51824753556', null)).toEqual(['AU', 'DE'])
    expect(countries('USt-IdNr. DE136695976', 'none')).toEqual(['DE', 'DE'])
    expect(countries('12-3456789', '110305878')).toEqual(['DE', 'DE'])
  })

  test('a one-stop-shop seller has no known country', () => {
    const { seller, buyer } = eInvoiceOf(variants['due, by the one-stop shop'])
    expect(seller).toMatchObject({ country: null, vatId: null, taxId: 'EU372000041' })
    expect(buyer.country).toBe('DE')
    expect(warningsOf(variants['due, by the one-stop shop'])).toEqual(['seller_country_missing'])
  })

  test('the seller of a purchase is not of the country of its tax, which is the buyer’s', () => {
    const { seller, buyer } = eInvoiceOf(variants['a purchase, of an order'])
    expect([seller.country, buyer.country]).toEqual([null, 'IE'])
    const { terms } = variants['a purchase, of an order']
    const ofNobody = { ...terms, buyer: { ...terms.buyer, vat: null } }
    expect(eInvoiceOf(after([], ofNobody)).buyer.country).toBe('DE')
    const { 'a purchase, with tax': withVat } = variants
    expect(eInvoiceOf(withVat).seller.country).toBe('DE')
  })

  test('untaxed is out of scope for a seller without a VAT id, and exempt for one with', () => {
    expect(eInvoiceOf(bareMinimum).breakdown).toMatchObject([{ category: 'O', percent: null }])
    expect(eInvoiceOf(variants['due, without tax']).breakdown).toMatchObject([
      { category: 'E', percent: '0.00' },
    ])
  })

  test('unknown members leave no element', () => {
    expect(ublOf(eInvoiceOf(bareMinimum))).not.toMatch(/StreetName|Country|PartyTaxScheme|DueDate/)
  })

  test('text that XML cannot represent counts as missing: no empty element, and a warning', () => {
    const nothing = '\uffff\ufffe'
    const side = { name: nothing, email: null, address: nothing, vat: null }
    const seller = { ...side, wallet: null }
    const invoice = after([], { seller, buyer: side, description: nothing })
    const said = eInvoiceOf(invoice)
    expect([said.seller.name, said.buyer.name, said.lines[0]?.name]).toEqual([
      null,
      null,
      'Services',
    ])
    expect([ublOf(said), ciiOf(said)].join()).not.toMatch(/<([\w:]+)[^>]*><\/\1>/)
    expect(warningsOf(invoice)).toContain('seller_name_missing')
  })

  test.each([
    ['12-3456789', '123456789'],
    ['none', 'NONE'],
    ['USt-IdNr. DE136695976', 'USTIDNRDE136695976'],
    ['Nr. 123', 'NR123'],
    ['No. 123', 'NO123'],
    ['ID 123', 'ID123'],
    ['St. 12/345', 'ST12345'],
  ])(
    'an id without a country code is not a VAT id (BR-CO-09), and goes elsewhere: %s',
    (given, kept) => {
      const { seller, buyer } = eInvoiceOf(withVats(due, given, given))
      expect(seller).toMatchObject({ vatId: null, taxId: kept, country: 'DE' })
      expect(buyer).toMatchObject({ vatId: null, legalId: kept, country: 'DE' })
    },
  )

  test('a VAT id is normalised, and the wallet identifies the seller (BR-CO-26)', () => {
    const { terms } = due
    const wallet = terms.payTo
    const spelled = {
      ...due,
      terms: { ...terms, seller: { ...terms.seller, vat: 'de 136.695-976', wallet } },
    }
    expect(eInvoiceOf(spelled).seller).toMatchObject({
      vatId: 'DE136695976',
      taxId: null,
      id: wallet,
    })
    const root = parseXml(ciiOf(eInvoiceOf(spelled)))
    const path =
      'rsm:SupplyChainTradeTransaction ram:ApplicableHeaderTradeAgreement ram:SellerTradeParty ram:ID'
    expect(textsAt(root, ...path.split(' '))).toEqual([wallet])
  })

  test('XML markup in a text is escaped', () => {
    const root = parseXml(ublOf(eInvoiceOf(variants['in many alphabets'])))
    const path = 'cac:AccountingSupplierParty cac:Party cac:PartyLegalEntity cbc:RegistrationName'
    expect(textsAt(root, ...path.split(' '))).toEqual(['Ελληνική Εταιρεία Α.Ε. — Żółć & <Söhne>'])
  })
})

/**
 * The invoice with the members that the other implementation requires: those our warnings report as
 * missing, and e-mail addresses.
 */
function completed(invoice: EInvoice, warnings: readonly string[]): EInvoice {
  const named = (role: 'seller' | 'buyer') => {
    const trader = invoice[role]
    const email = trader.email ?? 'somebody@example.com'
    return {
      ...trader,
      ...(warnings.includes(`${role}_name_missing`) && { name: 'Somebody' }),
      ...(warnings.includes(`${role}_country_missing`) && { country: 'DE' }),
      email,
      endpoint: { scheme: 'EM', id: email },
    }
  }
  // Ours allows more than two decimals in a price and writes an element for each note in CII; the
  // other implementation allows two decimals, and writes one note.
  const lines = invoice.lines.map((line) => ({ ...line, unitPrice: line.net }))
  const notes = invoice.notes.slice(0, 1)
  return {
    ...invoice,
    lines,
    notes,
    // The other implementation loses a seller's id when it converts to CII.
    seller: { ...named('seller'), id: null },
    buyer: named('buyer'),
  }
}

// The other implementation compiles its schema anew for every invoice, for half a second. It is
// always the same schema, so that once is enough.
const { Ajv2019 } = createRequire(import.meta.resolve('@e-invoice-eu/core'))('ajv/dist/2019')
const compile = Ajv2019.prototype.compile
let validator: unknown
const compiling = spyOn(Ajv2019.prototype, 'compile').mockImplementation(function (
  this: unknown,
  schema: unknown,
) {
  validator ??= compile.call(this, schema)
  return validator
})
afterAll(() => compiling.mockRestore())

async function translated(ubl: Element): Promise<Element> {
  const service = new InvoiceService({ ...console, error: () => {}, log: () => {} })
  const input = { 'ubl:Invoice': objectOf(ubl) } as Parameters<InvoiceService['generate']>[0]
  const options = { format: 'CII', lang: 'en', noWarnings: true }
  return parseXml(String(await service.generate(input, options)))
}

const repeated = new Set(
  'cbc:Note cac:BillingReference cac:PartyIdentification cac:PartyTaxScheme cac:PaymentMeans cac:TaxTotal cac:TaxSubtotal cac:InvoiceLine'.split(
    ' ',
  ),
)

/**
 * Converts an element to the object form of the other implementation: children by name, attributes
 * beside them, lists where an element may repeat.
 */
function objectOf(element: Element, path = ''): Record<string, unknown> {
  const found: Record<string, unknown> = {}
  const isBuyer = path.includes('cac:AccountingCustomerParty')
  for (const child of element.children) {
    const value = child.children.length > 0 ? objectOf(child, `${path}/${child.name}`) : child.text
    const isList =
      repeated.has(child.name) &&
      !(child.name === 'cbc:Note' && path !== '') &&
      !(child.name === 'cac:PartyTaxScheme' && isBuyer)
    if (isList) found[child.name] = [...((found[child.name] as unknown[]) ?? []), value]
    else found[child.name] = value
    for (const [key, text] of Object.entries(child.attributes)) found[`${child.name}@${key}`] = text
  }
  return found
}

// The other implementation adds a business process, and omits an empty delivery, which the schema
// requires.
function isSkipped({ name, children }: Element): boolean {
  if (name === 'ram:ApplicableHeaderTradeDelivery') return children.length === 0
  return name === 'ram:BusinessProcessSpecifiedDocumentContextParameter'
}

/** Names, attributes and texts in order, without the root's namespaces. */
function bare({ name, attributes, children, text }: Element): unknown {
  const kept = children.filter((child) => !isSkipped(child)).map(bare)
  const isRoot = name === 'rsm:CrossIndustryInvoice'
  // The other implementation calls every account an IBAN; an address on a chain is not one.
  const known = name === 'ram:IBANID' ? 'ram:ProprietaryID' : name
  return [known, isRoot ? {} : attributes, kept.length > 0 ? kept : text]
}
