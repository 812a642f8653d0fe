import type { Line, VatShare } from './amounts.ts'
import type { EInvoice } from './einvoice.ts'
import type { Trader } from './traders.ts'
import { group, leaf, xmlDocument } from './xml.ts'

const standard = 'urn:un:unece:uncefact:data:standard'

const namespaces = {
  rsm: `${standard}:CrossIndustryInvoice:100`,
  ram: `${standard}:ReusableAggregateBusinessInformationEntity:100`,
  udt: `${standard}:UnqualifiedDataType:100`,
}

/** UN/CEFACT Cross Industry Invoice D16B, in the element order of its schema. */
export function ciiOf(invoice: EInvoice): string {
  return xmlDocument(
    'rsm:CrossIndustryInvoice',
    namespaces,
    group(
      'rsm:ExchangedDocumentContext',
      group(
        'ram:GuidelineSpecifiedDocumentContextParameter',
        leaf('ram:ID', invoice.profile.customization),
      ),
    ),
    group(
      'rsm:ExchangedDocument',
      leaf('ram:ID', invoice.number),
      leaf('ram:TypeCode', invoice.kind === 'invoice' ? '380' : '381'),
      group('ram:IssueDateTime', date(invoice.issuedOn)),
      ...invoice.notes.map((note) => group('ram:IncludedNote', leaf('ram:Content', note))),
    ),
    group(
      'rsm:SupplyChainTradeTransaction',
      ...invoice.lines.map((one, at) => line(one, at + 1)),
      agreement(invoice),
      delivery(invoice),
      settlement(invoice),
    ),
  )
}

function line({ vat, ...item }: Line, place: number): string {
  return group(
    'ram:IncludedSupplyChainTradeLineItem',
    group('ram:AssociatedDocumentLineDocument', leaf('ram:LineID', `${place}`)),
    group(
      'ram:SpecifiedTradeProduct',
      leaf('ram:Name', item.name),
      leaf('ram:Description', item.description),
    ),
    group(
      'ram:SpecifiedLineTradeAgreement',
      group(
        'ram:NetPriceProductTradePrice',
        leaf('ram:ChargeAmount', item.unitPrice),
        leaf('ram:BasisQuantity', item.priceQuantity, { unitCode: item.unit }),
      ),
    ),
    group(
      'ram:SpecifiedLineTradeDelivery',
      leaf('ram:BilledQuantity', item.quantity, { unitCode: item.unit }),
    ),
    group(
      'ram:SpecifiedLineTradeSettlement',
      group(
        'ram:ApplicableTradeTax',
        leaf('ram:TypeCode', 'VAT'),
        leaf('ram:CategoryCode', vat.category),
        leaf('ram:RateApplicablePercent', vat.percent),
      ),
      group(
        'ram:SpecifiedTradeSettlementLineMonetarySummation',
        leaf('ram:LineTotalAmount', item.net),
      ),
    ),
  )
}

function agreement({ buyerReference, seller, buyer, order, contract }: EInvoice): string {
  return group(
    'ram:ApplicableHeaderTradeAgreement',
    leaf('ram:BuyerReference', buyerReference),
    group('ram:SellerTradeParty', ...party(seller)),
    group('ram:BuyerTradeParty', ...party(buyer)),
    group('ram:BuyerOrderReferencedDocument', leaf('ram:IssuerAssignedID', order)),
    group('ram:ContractReferencedDocument', leaf('ram:IssuerAssignedID', contract)),
  )
}

function delivery({ delivery: made }: EInvoice): string {
  // The schema requires the element even if it is empty.
  if (made === null) return '<ram:ApplicableHeaderTradeDelivery/>'
  const address = group('ram:PostalTradeAddress', leaf('ram:CountryID', made.country))
  return group(
    'ram:ApplicableHeaderTradeDelivery',
    group('ram:ShipToTradeParty', address),
    group('ram:ActualDeliverySupplyChainEvent', group('ram:OccurrenceDateTime', date(made.on))),
  )
}

function party(trader: Trader): readonly string[] {
  const { id, name, legalId, addressLines, country, vatId, taxId, email, endpoint } = trader
  const [first = null, second = null, third = null] = addressLines
  return [
    leaf('ram:ID', id),
    leaf('ram:Name', name),
    group('ram:SpecifiedLegalOrganization', leaf('ram:ID', legalId)),
    group(
      'ram:DefinedTradeContact',
      group('ram:EmailURIUniversalCommunication', leaf('ram:URIID', email)),
    ),
    group(
      'ram:PostalTradeAddress',
      leaf('ram:LineOne', first),
      leaf('ram:LineTwo', second),
      leaf('ram:LineThree', third),
      leaf('ram:CountryID', country),
    ),
    group(
      'ram:URIUniversalCommunication',
      leaf('ram:URIID', endpoint?.id, { schemeID: endpoint?.scheme ?? '' }),
    ),
    group('ram:SpecifiedTaxRegistration', leaf('ram:ID', vatId, { schemeID: 'VA' })),
    group('ram:SpecifiedTaxRegistration', leaf('ram:ID', taxId, { schemeID: 'FC' })),
  ]
}

function settlement(invoice: EInvoice): string {
  const { payment, currency, sums, dueOn, precedes } = invoice
  const { transfer } = payment
  return group(
    'ram:ApplicableHeaderTradeSettlement',
    leaf('ram:PaymentReference', transfer?.reference),
    leaf('ram:InvoiceCurrencyCode', currency),
    group(
      'ram:SpecifiedTradeSettlementPaymentMeans',
      leaf('ram:TypeCode', transfer?.code),
      leaf('ram:Information', transfer?.means),
      group('ram:PayeePartyCreditorFinancialAccount', leaf('ram:ProprietaryID', transfer?.account)),
    ),
    ...invoice.breakdown.map(tradeTax),
    group(
      'ram:SpecifiedTradePaymentTerms',
      leaf('ram:Description', payment.terms),
      dueOn === null ? '' : group('ram:DueDateDateTime', date(dueOn)),
    ),
    group(
      'ram:SpecifiedTradeSettlementHeaderMonetarySummation',
      leaf('ram:LineTotalAmount', sums.net),
      leaf('ram:TaxBasisTotalAmount', sums.net),
      leaf('ram:TaxTotalAmount', sums.tax, { currencyID: currency }),
      leaf('ram:RoundingAmount', sums.rounding),
      leaf('ram:GrandTotalAmount', sums.gross),
      leaf('ram:TotalPrepaidAmount', sums.prepaid),
      leaf('ram:DuePayableAmount', sums.payable),
    ),
    precedes === null
      ? ''
      : group(
          'ram:InvoiceReferencedDocument',
          leaf('ram:IssuerAssignedID', precedes.number),
          group(
            'ram:FormattedIssueDateTime',
            leaf('qdt:DateTimeString', compact(precedes.issuedOn), dated),
          ),
        ),
  )
}

function tradeTax({ category, percent, reason, code, base, tax }: VatShare): string {
  return group(
    'ram:ApplicableTradeTax',
    leaf('ram:CalculatedAmount', tax),
    leaf('ram:TypeCode', 'VAT'),
    leaf('ram:ExemptionReason', reason),
    leaf('ram:BasisAmount', base),
    leaf('ram:CategoryCode', category),
    leaf('ram:ExemptionReasonCode', code),
    leaf('ram:RateApplicablePercent', percent),
  )
}

function date(day: string): string {
  return leaf('udt:DateTimeString', compact(day), { format: '102' })
}

function compact(day: string): string {
  return day.replaceAll('-', '')
}

// Declared where it is used: only credit notes have such a date.
const dated = { 'xmlns:qdt': `${standard}:QualifiedDataType:100`, format: '102' }
