import type { EInvoice, Trader } from './einvoice.ts'
import { group, leaf, xmlDocument } from './xml.ts'

const namespaces = {
  '': 'urn:oasis:names:specification:ubl:schema:xsd:Invoice-2',
  cac: 'urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2',
  cbc: 'urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2',
}

/** UBL 2.1, in the element order of its schema. */
export function ublOf(invoice: EInvoice): string {
  return xmlDocument(
    'Invoice',
    namespaces,
    leaf('cbc:CustomizationID', 'urn:cen.eu:en16931:2017'),
    leaf('cbc:ID', invoice.number),
    leaf('cbc:IssueDate', invoice.issuedOn),
    leaf('cbc:DueDate', invoice.dueOn),
    leaf('cbc:InvoiceTypeCode', '380'),
    // EN 16931 has any number of notes (BG-1), but Peppol and others refuse more than one here.
    leaf('cbc:Note', invoice.notes.join(' ') || null),
    leaf('cbc:DocumentCurrencyCode', invoice.currency),
    group('cac:OrderReference', leaf('cbc:ID', invoice.order)),
    group('cac:ContractDocumentReference', leaf('cbc:ID', invoice.contract)),
    group('cac:AccountingSupplierParty', party(invoice.seller)),
    group('cac:AccountingCustomerParty', party(invoice.buyer)),
    paymentMeans(invoice),
    group('cac:PaymentTerms', leaf('cbc:Note', invoice.payment.terms)),
    taxTotal(invoice),
    monetaryTotal(invoice),
    line(invoice),
  )
}

function party(trader: Trader): string {
  const { id, name, legalId, addressLines, country, vatId, taxId, email } = trader
  const [first = null, second = null, third = null] = addressLines
  return group(
    'cac:Party',
    leaf('cbc:EndpointID', email, { schemeID: 'EM' }),
    group('cac:PartyIdentification', leaf('cbc:ID', id)),
    group(
      'cac:PostalAddress',
      leaf('cbc:StreetName', first),
      leaf('cbc:AdditionalStreetName', second),
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

function paymentMeans({ payment: { transfer } }: EInvoice): string {
  if (!transfer) return ''
  const { means, account, reference } = transfer
  return group(
    'cac:PaymentMeans',
    leaf('cbc:PaymentMeansCode', 'ZZZ', { name: means }),
    leaf('cbc:PaymentID', reference),
    group('cac:PayeeFinancialAccount', leaf('cbc:ID', account)),
  )
}

function taxTotal(invoice: EInvoice): string {
  const { sums, vat } = invoice
  const tax = money(invoice, 'cbc:TaxAmount', sums.tax)
  const subtotal = group(
    'cac:TaxSubtotal',
    money(invoice, 'cbc:TaxableAmount', sums.net),
    tax,
    group(
      'cac:TaxCategory',
      leaf('cbc:ID', vat.category),
      leaf('cbc:Percent', vat.percent),
      leaf('cbc:TaxExemptionReason', vat.reason),
      vatScheme,
    ),
  )
  return group('cac:TaxTotal', tax, subtotal)
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

function line(invoice: EInvoice): string {
  const { item, vat, sums, unitPrice } = invoice
  return group(
    'cac:InvoiceLine',
    leaf('cbc:ID', '1'),
    leaf('cbc:InvoicedQuantity', '1', { unitCode: 'C62' }),
    money(invoice, 'cbc:LineExtensionAmount', sums.net),
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
    group('cac:Price', money(invoice, 'cbc:PriceAmount', unitPrice)),
  )
}

const vatScheme = group('cac:TaxScheme', leaf('cbc:ID', 'VAT'))
const taxScheme = group('cac:TaxScheme', leaf('cbc:ID', 'TAX'))

function money({ currency }: EInvoice, name: string, amount: string | null): string {
  return leaf(name, amount, { currencyID: currency })
}
