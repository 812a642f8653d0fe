import type { EInvoice, Trader } from './einvoice.ts'
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
        leaf('ram:ID', 'urn:cen.eu:en16931:2017'),
      ),
    ),
    group(
      'rsm:ExchangedDocument',
      leaf('ram:ID', invoice.number),
      leaf('ram:TypeCode', '380'),
      group('ram:IssueDateTime', date(invoice.issuedOn)),
      ...invoice.notes.map((note) => group('ram:IncludedNote', leaf('ram:Content', note))),
    ),
    group(
      'rsm:SupplyChainTradeTransaction',
      line(invoice),
      agreement(invoice),
      // The schema requires the element even if it is empty.
      '<ram:ApplicableHeaderTradeDelivery/>',
      settlement(invoice),
    ),
  )
}

function line({ item, unitPrice, vat, sums }: EInvoice): string {
  return group(
    'ram:IncludedSupplyChainTradeLineItem',
    group('ram:AssociatedDocumentLineDocument', leaf('ram:LineID', '1')),
    group(
      'ram:SpecifiedTradeProduct',
      leaf('ram:Name', item.name),
      leaf('ram:Description', item.description),
    ),
    group(
      'ram:SpecifiedLineTradeAgreement',
      group('ram:NetPriceProductTradePrice', leaf('ram:ChargeAmount', unitPrice)),
    ),
    group('ram:SpecifiedLineTradeDelivery', leaf('ram:BilledQuantity', '1', { unitCode: 'C62' })),
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
        leaf('ram:LineTotalAmount', sums.net),
      ),
    ),
  )
}

function agreement({ seller, buyer, order, contract }: EInvoice): string {
  return group(
    'ram:ApplicableHeaderTradeAgreement',
    group('ram:SellerTradeParty', ...party(seller)),
    group('ram:BuyerTradeParty', ...party(buyer)),
    group('ram:BuyerOrderReferencedDocument', leaf('ram:IssuerAssignedID', order)),
    group('ram:ContractReferencedDocument', leaf('ram:IssuerAssignedID', contract)),
  )
}

function party(trader: Trader): readonly string[] {
  const { id, name, legalId, addressLines, country, vatId, taxId, email } = trader
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
    group('ram:URIUniversalCommunication', leaf('ram:URIID', email, { schemeID: 'EM' })),
    group('ram:SpecifiedTaxRegistration', leaf('ram:ID', vatId, { schemeID: 'VA' })),
    group('ram:SpecifiedTaxRegistration', leaf('ram:ID', taxId, { schemeID: 'FC' })),
  ]
}

function settlement({ payment, currency, vat, sums, dueOn }: EInvoice): string {
  const { transfer } = payment
  return group(
    'ram:ApplicableHeaderTradeSettlement',
    leaf('ram:PaymentReference', transfer?.reference ?? null),
    leaf('ram:InvoiceCurrencyCode', currency),
    transfer === null
      ? ''
      : group(
          'ram:SpecifiedTradeSettlementPaymentMeans',
          leaf('ram:TypeCode', 'ZZZ'),
          leaf('ram:Information', transfer.means),
          group(
            'ram:PayeePartyCreditorFinancialAccount',
            leaf('ram:ProprietaryID', transfer.account),
          ),
        ),
    group(
      'ram:ApplicableTradeTax',
      leaf('ram:CalculatedAmount', sums.tax),
      leaf('ram:TypeCode', 'VAT'),
      leaf('ram:ExemptionReason', vat.reason),
      leaf('ram:BasisAmount', sums.net),
      leaf('ram:CategoryCode', vat.category),
      leaf('ram:RateApplicablePercent', vat.percent),
    ),
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
  )
}

function date(day: string): string {
  return leaf('udt:DateTimeString', day.replaceAll('-', ''), { format: '102' })
}
