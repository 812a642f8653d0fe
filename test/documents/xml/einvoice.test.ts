import { afterAll, describe, expect, spyOn, test } from 'bun:test'
import { createRequire } from 'node:module'
import { InvoiceService } from '@e-invoice-eu/core'
import { documentOf } from '../../../src/documents/pdf/invoice-document.ts'
import { warningsOf } from '../../../src/documents/warnings.ts'
import { ciiOf } from '../../../src/documents/xml/cii.ts'
import { type EInvoice, eInvoiceOf } from '../../../src/documents/xml/einvoice.ts'
import { ublOf } from '../../../src/documents/xml/ubl.ts'
import type { Invoice } from '../../../src/domain/invoices/invoice.ts'
import { after } from '../../support/invoice.ts'
import { type Element, parseXml, textsAt } from '../../support/xml.ts'
import { variants, withVats } from '../variants.ts'

const all = Object.entries(variants).map(
  ([name, invoice]) => [name, eInvoiceOf(invoice), warningsOf(invoice)] as const,
)
const cents = (amount: string | null) => Math.round(Number(amount ?? 0) * 100)

describe.each(all)('%s', (_, invoice, warnings) => {
  test('the sums add up as EN 16931 wants them (BR-CO-10, 13, 15, 16), and the tax is its rate of the net (BR-CO-17)', () => {
    const { net, tax, gross, prepaid, rounding, payable } = invoice.sums
    expect(cents(gross)).toBe(cents(net) + cents(tax))
    expect(cents(payable)).toBe(cents(gross) - cents(prepaid) + cents(rounding))
    const exactTax = (cents(net) * Number(invoice.vat.percent ?? 0)) / 100
    expect(Math.abs(cents(tax) - exactTax)).toBeLessThanOrEqual(1)
  })

  test('UBL and CII say the same', () => {
    expect(figuresOfUbl(parseXml(ublOf(invoice)))).toEqual(figuresOfCii(parseXml(ciiOf(invoice))))
  })

  test('what the norm asks of the parties is there, unless a warning says that it is not (BR-06, 07, 09, 11, S-02, CO-26)', () => {
    const { seller, buyer, vat } = invoice
    const missing = {
      seller_name_missing: seller.name === null,
      seller_country_missing: seller.country === null,
      seller_vat_missing: vat.category === 'S' && (seller.vatId ?? seller.taxId) === null,
      seller_id_missing: (seller.id ?? seller.vatId) === null,
      buyer_name_missing: buyer.name === null,
      buyer_country_missing: buyer.country === null,
    }
    const warned = Object.keys(missing).map((code) => [code, warnings.includes(code)])
    expect(Object.fromEntries(warned)).toEqual(missing)
  })

  test('another implementation takes the UBL as valid, but for what is warned of, and makes the same CII of it', async () => {
    const complete = completed(invoice, warnings)
    const theirs = await translated(parseXml(ublOf(complete)))
    expect(bare(parseXml(ciiOf(complete)))).toEqual(bare(theirs))
  })
})

const saidOf: Readonly<Record<string, string>> = {
  DRAFT: 'This is a draft.',
  VOID: 'This invoice is void and must not be paid.',
}

test.each([
  ['2026-05-31T23:59:59.999Z', '2026-05-31'],
  ['2026-05-31T00:00:00.001Z', '2026-05-31'],
  ['2026-06-01T00:00:00.000Z', '2026-05-31'],
])('what is due at %s is due on the last day on which a payment can be in time', (dueAt, day) => {
  const invoice = eInvoiceOf({ ...variants.due, terms: { ...variants.due.terms, dueAt } })
  expect(invoice.dueOn).toBe(day)
})

const { draft, due, settled, void: voided } = variants
const fractions = variants['due, of /v1, with fractions of a cent']
const bareMinimum = variants['due, with nothing said that need not be']

describe('what an invoice says in the terms of the norm', () => {
  test('USDC goes as USD, rounded to cents, with a note that has the exact amounts', () => {
    const { currency, sums, unitPrice, notes } = eInvoiceOf(fractions)
    expect([currency, unitPrice]).toEqual(['USD', '12.345'])
    expect(sums).toMatchObject({ net: '12.35', tax: '2.35', gross: '14.70', payable: '14.69' })
    expect(sums.rounding).toBe('-0.01')
    expect(notes).toEqual([
      'All amounts are in USDC, a token worth one US dollar, and are shown as USD.',
      'The exact amounts are 12.345 USDC plus 2.34555 USDC VAT, 14.69055 USDC in total.',
    ])
  })

  test('several notes (BG-1) are one in UBL, where Peppol allows one, and each its own in CII', () => {
    const [first, second] = eInvoiceOf(fractions).notes
    expect(textsAt(parseXml(ublOf(eInvoiceOf(fractions))), 'cbc:Note')).toEqual([
      `${first} ${second}`,
    ])
    const cii = parseXml(ciiOf(eInvoiceOf(fractions)))
    const included = ['rsm:ExchangedDocument', 'ram:IncludedNote', 'ram:Content']
    expect(textsAt(cii, ...included)).toEqual([first ?? '', second ?? ''])
    expect(textsAt(parseXml(ublOf(eInvoiceOf(due))), 'cbc:Note')).toEqual([])
  })

  test('is a draft or void where the page is stamped so, and nowhere else', () => {
    for (const invoice of Object.values(variants)) {
      const [said = null] = eInvoiceOf(invoice).notes.filter((note) => note.startsWith('This '))
      expect(said).toBe(saidOf[documentOf(invoice).badge.stamp ?? ''] ?? null)
    }
    expect(eInvoiceOf(variants['a draft, partly paid']).notes).toEqual([])
  })

  test('an open invoice says how to pay it, a settled one that nothing is left to pay', () => {
    expect(eInvoiceOf(due).payment.terms).toStartWith('Pay 1,487.50 USDC on Base to 0x8f3c')
    expect(eInvoiceOf(settled).sums).toMatchObject({ prepaid: '1487.50', payable: '0.00' })
    expect(eInvoiceOf(settled).payment.terms).toBeNull()
  })

  test('what has come of the money is paid already, whether it is confirmed or not: nobody is asked for it again', () => {
    const { 'partly paid': part, paid } = variants
    expect(eInvoiceOf(part).sums).toMatchObject({ prepaid: '500.00', payable: '987.50' })
    expect(eInvoiceOf(part).payment.terms).toStartWith('Pay 987.50 USDC')
    expect(eInvoiceOf(paid).sums).toMatchObject({ prepaid: '1487.50', payable: '0.00' })
  })

  test('asks for the same amount as the page, of which dust that a stranger has sent takes nothing off, except at an address of its own', () => {
    const { due, 'partly paid': part } = variants
    const [payment] = part.progress.payments
    // A cent less than a hundredth of what is due.
    const dust = { ...payment, usdcBase: 14_865_000n } as NonNullable<typeof payment>
    const dusty = { ...due, progress: { ...due.progress, payments: [dust] } }
    const apart = { ...dusty, terms: { ...dusty.terms, depositIndex: 7 } }
    for (const [invoice, asked] of [
      [dusty, '1,487.50'],
      [apart, '1,472.635'],
    ] as const) {
      expect(documentOf(invoice).payment?.heading).toBe(`Pay ${asked} USDC on Base`)
      expect(eInvoiceOf(invoice).payment.terms).toStartWith(`Pay ${asked} USDC on Base`)
    }
    expect(eInvoiceOf(dusty).sums).toMatchObject({ prepaid: null, payable: '1487.50' })
    expect(eInvoiceOf(apart).sums).toMatchObject({ prepaid: '14.86', payable: '1472.64' })
  })

  test('an expired invoice is to be paid as it ever was, and says that this will be late', () => {
    const late =
      'The due date has passed. The invoice can still be paid, and will be marked as late.'
    const { expired, 'expired, partly paid': part } = variants
    expect([expired, part].map((invoice) => eInvoiceOf(invoice).notes)).toEqual([[late], [late]])
    expect(eInvoiceOf(expired).payment.terms).toStartWith('Pay 1,487.50 USDC')
    expect(eInvoiceOf(part).sums.payable).toBe('987.50')
  })

  test('of a purchase the price alone is to be paid, whatever tax is recorded on it', () => {
    const only = 'VAT is only recorded: the price is paid without it.'
    const open = eInvoiceOf(variants['a purchase, with tax'])
    expect(open.sums).toMatchObject({ gross: '1487.50', prepaid: '237.50', payable: '1250.00' })
    expect(open.payment.terms).toStartWith('This purchase is paid by x402 through the proxy')
    expect(open.notes).toEqual([only])
    expect(open.payment.transfer).toBeNull()
    const settled = eInvoiceOf(variants['a purchase, with tax, settled'])
    expect([settled.sums.payable, settled.payment.transfer?.means]).toEqual([
      '0.00',
      'USDC on Base',
    ])
  })

  test('a purchase names the order of the buyer that it belongs to (BT-13)', () => {
    const ordered = eInvoiceOf(variants['a purchase, of an order'])
    expect(textsAt(parseXml(ublOf(ordered)), 'cac:OrderReference', 'cbc:ID')).toEqual(['PO-7'])
    expect(eInvoiceOf(variants['a purchase, with tax']).order).toBeNull()
  })

  test('the date of issue is the day it was sent, on the page too; where nothing is sent, that of its creation', () => {
    const issuedOf = (invoice: Invoice) => [
      eInvoiceOf(invoice).issuedOn,
      documentOf(invoice).facts[0]?.value,
    ]
    const { 'due, made a month before it was sent': later } = variants
    expect(issuedOf(later)).toEqual(['2026-05-01', '1 May 2026'])
    const made = ['2026-04-01', '1 April 2026']
    expect(issuedOf({ ...draft, createdAt: later.createdAt })).toEqual(made)
    const ofV1 = { ...later, terms: { ...later.terms, form: 'v1' as const } }
    expect(issuedOf(ofV1)).toEqual(made)
  })

  test('a draft and a void invoice say so, as the norm has no field for it', () => {
    expect(eInvoiceOf(draft).notes).toEqual(['This is a draft.'])
    expect(eInvoiceOf(voided).notes).toEqual(['This invoice is void and must not be paid.'])
    expect(eInvoiceOf(voided).payment.terms).toBe('Must not be paid.')
  })

  test('the country is that of the VAT id, or else that of the tax', () => {
    const countries = (sellerVat: string | null, buyerVat: string | null) => {
      const { seller, buyer } = eInvoiceOf(withVats(due, sellerVat, buyerVat))
      return [seller.country, buyer.country]
    }
    expect(countries('DE136695976', 'IE6388047V')).toEqual(['DE', 'IE'])
    expect(countries('AU51824753556', null)).toEqual(['AU', 'DE'])
    expect(countries('USt-IdNr. DE136695976', 'none')).toEqual(['DE', 'DE'])
    expect(countries('12-3456789', '110305878')).toEqual(['DE', 'DE'])
  })

  test('a seller by a one-stop shop is of no known country, and least of all that of its tax', () => {
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

  test('without tax it is out of scope for a seller without a VAT id, exempt for one with', () => {
    expect(eInvoiceOf(bareMinimum).vat).toMatchObject({ category: 'O', percent: null })
    expect(eInvoiceOf(variants['due, without tax']).vat).toMatchObject({
      category: 'E',
      percent: '0.00',
    })
  })

  test('what is not known leaves no element behind', () => {
    expect(ublOf(eInvoiceOf(bareMinimum))).not.toMatch(/StreetName|Country|PartyTaxScheme|DueDate/)
  })

  test('what XML cannot hold counts as not said: it leaves no empty element, and is warned of', () => {
    const nothing = '\uffff\ufffe'
    const side = { name: nothing, email: null, address: nothing, vat: null }
    const seller = { ...side, wallet: null }
    const invoice = after([], { seller, buyer: side, description: nothing })
    const said = eInvoiceOf(invoice)
    expect([said.seller.name, said.buyer.name, said.item.name]).toEqual([null, null, 'Services'])
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
    'an id that names no country is no VAT id (BR-CO-09), and is kept in another place: %s',
    (given, kept) => {
      const { seller, buyer } = eInvoiceOf(withVats(due, given, given))
      expect([seller.vatId, seller.taxId, buyer.vatId, buyer.legalId]).toEqual([
        null,
        kept,
        null,
        kept,
      ])
      expect([seller.country, buyer.country]).toEqual(['DE', 'DE'])
    },
  )

  test('a VAT id is written as the norm wants it, and the wallet names a seller that has none (BR-CO-26)', () => {
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

  test('marks of XML in a text stay text', () => {
    const root = parseXml(ublOf(eInvoiceOf(variants['in many alphabets'])))
    expect(
      textsAt(
        root,
        'cac:AccountingSupplierParty',
        'cac:Party',
        'cac:PartyLegalEntity',
        'cbc:RegistrationName',
      ),
    ).toEqual(['Ελληνική Εταιρεία Α.Ε. — Żółć & <Söhne>'])
  })
})

const figuresOfUbl = (root: Element) => {
  const sum = (leaf: string) => textsAt(root, 'cac:LegalMonetaryTotal', leaf)
  return {
    number: textsAt(root, 'cbc:ID'),
    note: textsAt(root, 'cbc:Note').join(' '),
    currency: textsAt(root, 'cbc:DocumentCurrencyCode'),
    net: sum('cbc:TaxExclusiveAmount'),
    gross: sum('cbc:TaxInclusiveAmount'),
    payable: sum('cbc:PayableAmount'),
    tax: textsAt(root, 'cac:TaxTotal', 'cbc:TaxAmount'),
    order: textsAt(root, 'cac:OrderReference', 'cbc:ID'),
    reference: textsAt(root, 'cac:PaymentMeans', 'cbc:PaymentID'),
  }
}

const figuresOfCii = (root: Element) => {
  const transaction = 'rsm:SupplyChainTradeTransaction'
  const agreement = [transaction, 'ram:ApplicableHeaderTradeAgreement']
  const trade = [transaction, 'ram:ApplicableHeaderTradeSettlement']
  const sums = [...trade, 'ram:SpecifiedTradeSettlementHeaderMonetarySummation']
  return {
    number: textsAt(root, 'rsm:ExchangedDocument', 'ram:ID'),
    note: textsAt(root, 'rsm:ExchangedDocument', 'ram:IncludedNote', 'ram:Content').join(' '),
    currency: textsAt(root, ...trade, 'ram:InvoiceCurrencyCode'),
    net: textsAt(root, ...sums, 'ram:TaxBasisTotalAmount'),
    gross: textsAt(root, ...sums, 'ram:GrandTotalAmount'),
    payable: textsAt(root, ...sums, 'ram:DuePayableAmount'),
    tax: textsAt(root, ...sums, 'ram:TaxTotalAmount'),
    order: textsAt(root, ...agreement, 'ram:BuyerOrderReferencedDocument', 'ram:IssuerAssignedID'),
    reference: textsAt(root, ...trade, 'ram:PaymentReference'),
  }
}

/**
 * The invoice with the members that the other implementation requires: those our warnings report as
 * missing, and e-mail addresses.
 */
function completed(invoice: EInvoice, warnings: readonly string[]): EInvoice {
  const named = (role: 'seller' | 'buyer') => {
    const trader = invoice[role]
    return {
      ...trader,
      ...(warnings.includes(`${role}_name_missing`) && { name: 'Somebody' }),
      ...(warnings.includes(`${role}_country_missing`) && { country: 'DE' }),
      email: trader.email ?? 'somebody@example.com',
    }
  }
  // Ours allows more than two decimals in a price and writes an element for each note in CII; the
  // other implementation allows two decimals, and writes one note.
  const unitPrice = invoice.sums.net
  const notes = invoice.notes.slice(0, 1)
  return {
    ...invoice,
    unitPrice,
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
  'cbc:Note cac:PartyIdentification cac:PartyTaxScheme cac:PaymentMeans cac:TaxTotal cac:TaxSubtotal cac:InvoiceLine'.split(
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

// The other implementation adds a business process, and omits the delivery, which the schema
// requires.
const skipped = new Set([
  'ram:BusinessProcessSpecifiedDocumentContextParameter',
  'ram:ApplicableHeaderTradeDelivery',
])

/** Names, attributes and texts in order, without the root's namespaces. */
function bare({ name, attributes, children, text }: Element): unknown {
  const kept = children.filter((child) => !skipped.has(child.name)).map(bare)
  const isRoot = name === 'rsm:CrossIndustryInvoice'
  // The other implementation calls every account an IBAN; an address on a chain is not one.
  const known = name === 'ram:IBANID' ? 'ram:ProprietaryID' : name
  return [known, isRoot ? {} : attributes, kept.length > 0 ? kept : text]
}
