import type { Line, VatShare } from './amounts.ts'
import type { EInvoice } from './einvoice.ts'
import type { Trader } from './traders.ts'
import { group, leaf, xmlDocument } from './xml.ts'

const schema = 'urn:oasis:names:specification:ubl:schema:xsd'

const namespaces = {
  cac: `${schema}:CommonAggregateComponents-2`,
  cbc: `${schema}:CommonBasicComponents-2`,
}

/** What UBL calls alike in invoices and credit notes but for its name. */
const kinds = {
  invoice: { root: 'Invoice', type: '380', quantity: 'Invoiced' },
  credit_note: { root: 'CreditNote', type: '381', quantity: 'Credited' },
} as const

/** UBL 2.1, in the element order of its schema. */
export function ublOf(invoice: EInvoice): string {
  const { profile, precedes } = invoice
  const { root, type } = kinds[invoice.kind]
  return xmlDocument(
    root,
    { '': `${schema}:${root}-2`, ...namespaces },
    leaf('cbc:CustomizationID', profile.customization),
    leaf('cbc:ProfileID', profile.process),
    leaf('cbc:ID', invoice.number),
    leaf('cbc:IssueDate', invoice.issuedOn),
    leaf('cbc:DueDate', invoice.dueOn),
    leaf(`cbc:${root}TypeCode`, type),
    // EN 16931 has any number of notes (BG-1), but Peppol and others refuse more than one here.
    leaf('cbc:Note', invoice.notes.join(' ') || null),
    leaf('cbc:DocumentCurrencyCode', invoice.currency),
    leaf('cbc:BuyerReference', invoice.buyerReference),
    group('cac:OrderReference', leaf('cbc:ID', invoice.order)),
    group(
      'cac:BillingReference',
      group(
        'cac:InvoiceDocumentReference',
        leaf('cbc:ID', precedes?.number),
        leaf('cbc:IssueDate', precedes?.issuedOn),
      ),
    ),
    group('cac:ContractDocumentReference', leaf('cbc:ID', invoice.contract)),
    group('cac:AccountingSupplierParty', party(invoice.seller)),
    group('cac:AccountingCustomerParty', party(invoice.buyer)),
    delivery(invoice),
    paymentMeans(invoice),
    group('cac:PaymentTerms', leaf('cbc:Note', invoice.payment.terms)),
    taxTotal(invoice),
    monetaryTotal(invoice),
    ...invoice.lines.map((one, at) => line(invoice, one, at + 1)),
  )
}

function party(trader: Trader): string {
  const { id, name, legalId, addressLines, town, country, vatId, taxId, email, endpoint } = trader
  const [first = null, second = null, third = null] = addressLines
  return group(
    'cac:Party',
    leaf('cbc:EndpointID', endpoint?.id, { schemeID: endpoint?.scheme ?? '' }),
    group('cac:PartyIdentification', leaf('cbc:ID', id)),
    group(
      'cac:PostalAddress',
      leaf('cbc:StreetName', first),
      leaf('cbc:AdditionalStreetName', second),
      leaf('cbc:CityName', town?.name),
      leaf('cbc:PostalZone', town?.postcode),
      group('cac:AddressLine', leaf('cbc:Line', third)),
      group('cac:Country', leaf('cbc:IdentificationCode', country)),
    ),
    vatId === null ? '' : group('cac:PartyTaxScheme', leaf('cbc:CompanyID', vatId), vatScheme),
    taxId === null ? '' : group('cac:PartyTaxScheme', leaf('cbc:CompanyID', taxId), taxScheme),
    group(
      'cac:PartyLegalEntity',
      leaf('cbc:RegistrationName', name),
      leaf('cbc:CompanyID', legalId),
    ),
    group('cac:Contact', leaf('cbc:ElectronicMail', email)),
  )
}

function delivery({ delivery: made }: EInvoice): string {
  if (made === null) return ''
  const country = group('cac:Country', leaf('cbc:IdentificationCode', made.country))
  return group(
    'cac:Delivery',
    leaf('cbc:ActualDeliveryDate', made.on),
    group('cac:DeliveryLocation', group('cac:Address', country)),
  )
}

function paymentMeans({ payment: { transfer } }: EInvoice): string {
  if (!transfer) return ''
  const { code, means, account, reference } = transfer
  return group(
    'cac:PaymentMeans',
    leaf('cbc:PaymentMeansCode', code, { name: means }),
    leaf('cbc:PaymentID', reference),
    group('cac:PayeeFinancialAccount', leaf('cbc:ID', account)),
  )
}

function taxTotal(invoice: EInvoice): string {
  return group(
    'cac:TaxTotal',
    money(invoice, 'cbc:TaxAmount', invoice.sums.tax),
    ...invoice.breakdown.map((share) => taxSubtotal(invoice, share)),
  )
}

function taxSubtotal(invoice: EInvoice, { base, tax, ...vat }: VatShare): string {
  return group(
    'cac:TaxSubtotal',
    money(invoice, 'cbc:TaxableAmount', base),
    money(invoice, 'cbc:TaxAmount', tax),
    group(
      'cac:TaxCategory',
      leaf('cbc:ID', vat.category),
      leaf('cbc:Percent', vat.percent),
      leaf('cbc:TaxExemptionReasonCode', vat.code),
      leaf('cbc:TaxExemptionReason', vat.reason),
      vatScheme,
    ),
  )
}

function monetaryTotal(invoice: EInvoice): string {
  const { net, gross, prepaid, rounding, payable } = invoice.sums
  return group(
    'cac:LegalMonetaryTotal',
    money(invoice, 'cbc:LineExtensionAmount', net),
    money(invoice, 'cbc:TaxExclusiveAmount', net),
    money(invoice, 'cbc:TaxInclusiveAmount', gross),
    money(invoice, 'cbc:PrepaidAmount', prepaid),
    money(invoice, 'cbc:PayableRoundingAmount', rounding),
    money(invoice, 'cbc:PayableAmount', payable),
  )
}

function line(invoice: EInvoice, { vat, ...item }: Line, place: number): string {
  const { root, quantity } = kinds[invoice.kind]
  return group(
    `cac:${root}Line`,
    leaf('cbc:ID', `${place}`),
    leaf(`cbc:${quantity}Quantity`, item.quantity, { unitCode: item.unit }),
    money(invoice, 'cbc:LineExtensionAmount', item.net),
    group(
      'cac:Item',
      leaf('cbc:Description', item.description),
      leaf('cbc:Name', item.name),
      group(
        'cac:ClassifiedTaxCategory',
        leaf('cbc:ID', vat.category),
        leaf('cbc:Percent', vat.percent),
        vatScheme,
      ),
    ),
    group(
      'cac:Price',
      money(invoice, 'cbc:PriceAmount', item.unitPrice),
      leaf('cbc:BaseQuantity', item.priceQuantity, { unitCode: item.unit }),
    ),
  )
}

const vatScheme = group('cac:TaxScheme', leaf('cbc:ID', 'VAT'))
const taxScheme = group('cac:TaxScheme', leaf('cbc:ID', 'TAX'))

function money({ currency }: EInvoice, name: string, amount: string | null): string {
  return leaf(name, amount, { currencyID: currency })
}
