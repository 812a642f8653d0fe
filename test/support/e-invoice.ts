import { type Element, parseXml, textsAt } from './xml.ts'

/** What a UBL or CII document says, by the business terms of EN 16931. */
export type Said = ReturnType<typeof readUbl>

export function readEInvoice(xml: string): Said {
  const root = parseXml(xml)
  return root.name === 'rsm:CrossIndustryInvoice' ? readCii(root) : readUbl(root)
}

function readUbl(root: Element) {
  const kind = root.name === 'CreditNote' ? 'credit_note' : 'invoice'
  const [line, quantity] =
    kind === 'invoice'
      ? ['InvoiceLine', 'InvoicedQuantity']
      : ['CreditNoteLine', 'CreditedQuantity']
  const total = (name: string) => one(root, `cac:LegalMonetaryTotal cbc:${name}`)
  return {
    kind,
    customization: one(root, 'cbc:CustomizationID'),
    process: one(root, 'cbc:ProfileID'),
    number: one(root, 'cbc:ID'),
    issuedOn: one(root, 'cbc:IssueDate'),
    dueOn: one(root, 'cbc:DueDate'),
    type: one(root, 'cbc:InvoiceTypeCode') ?? one(root, 'cbc:CreditNoteTypeCode'),
    notes: textsAt(root, 'cbc:Note').join(' '),
    currency: one(root, 'cbc:DocumentCurrencyCode'),
    buyerReference: one(root, 'cbc:BuyerReference'),
    order: one(root, 'cac:OrderReference cbc:ID'),
    contract: one(root, 'cac:ContractDocumentReference cbc:ID'),
    precedes: all(root, 'cac:BillingReference cac:InvoiceDocumentReference').map((it) => ({
      number: one(it, 'cbc:ID'),
      issuedOn: one(it, 'cbc:IssueDate'),
    })),
    seller: ublParty(all(root, 'cac:AccountingSupplierParty cac:Party')[0]),
    buyer: ublParty(all(root, 'cac:AccountingCustomerParty cac:Party')[0]),
    delivery: {
      on: one(root, 'cac:Delivery cbc:ActualDeliveryDate'),
      country: one(
        root,
        'cac:Delivery cac:DeliveryLocation cac:Address cac:Country cbc:IdentificationCode',
      ),
    },
    means: all(root, 'cac:PaymentMeans').map((it) => ({
      code: one(it, 'cbc:PaymentMeansCode'),
      reference: one(it, 'cbc:PaymentID'),
      account: one(it, 'cac:PayeeFinancialAccount cbc:ID'),
    })),
    terms: one(root, 'cac:PaymentTerms cbc:Note'),
    lines: all(root, `cac:${line}`).map((it) => ({
      id: one(it, 'cbc:ID'),
      name: one(it, 'cac:Item cbc:Name'),
      description: one(it, 'cac:Item cbc:Description'),
      quantity: one(it, `cbc:${quantity}`),
      unit: attribute(all(it, `cbc:${quantity}`)[0], 'unitCode'),
      price: one(it, 'cac:Price cbc:PriceAmount'),
      priceQuantity: one(it, 'cac:Price cbc:BaseQuantity'),
      net: one(it, 'cbc:LineExtensionAmount'),
      category: one(it, 'cac:Item cac:ClassifiedTaxCategory cbc:ID'),
      percent: one(it, 'cac:Item cac:ClassifiedTaxCategory cbc:Percent'),
    })),
    breakdown: all(root, 'cac:TaxTotal cac:TaxSubtotal').map((it) => ({
      category: one(it, 'cac:TaxCategory cbc:ID'),
      percent: one(it, 'cac:TaxCategory cbc:Percent'),
      reason: one(it, 'cac:TaxCategory cbc:TaxExemptionReason'),
      code: one(it, 'cac:TaxCategory cbc:TaxExemptionReasonCode'),
      base: one(it, 'cbc:TaxableAmount'),
      tax: one(it, 'cbc:TaxAmount'),
    })),
    sums: {
      net: total('LineExtensionAmount'),
      untaxed: total('TaxExclusiveAmount'),
      tax: one(root, 'cac:TaxTotal cbc:TaxAmount'),
      gross: total('TaxInclusiveAmount'),
      prepaid: total('PrepaidAmount'),
      rounding: total('PayableRoundingAmount'),
      payable: total('PayableAmount'),
    },
    /** Currencies of amounts. */
    currencies: attributesIn(root, 'currencyID'),
    emptyElements: emptyIn(root),
  }
}

function ublParty(party: Element | undefined) {
  const address = party && all(party, 'cac:PostalAddress')[0]
  const schemes = party ? all(party, 'cac:PartyTaxScheme') : []
  const taxId = (scheme: string) =>
    schemes
      .filter((it) => one(it, 'cac:TaxScheme cbc:ID') === scheme)
      .map((it) => one(it, 'cbc:CompanyID'))[0]
  return {
    hasAddress: address !== undefined,
    name: one(party, 'cac:PartyLegalEntity cbc:RegistrationName'),
    id: one(party, 'cac:PartyIdentification cbc:ID'),
    legalId: one(party, 'cac:PartyLegalEntity cbc:CompanyID'),
    vatId: taxId('VAT'),
    taxId: taxId('TAX'),
    email: one(party, 'cac:Contact cbc:ElectronicMail'),
    endpoint: one(party, 'cbc:EndpointID'),
    scheme: attribute(all(party, 'cbc:EndpointID')[0], 'schemeID'),
    address: [
      one(address, 'cbc:StreetName'),
      one(address, 'cbc:AdditionalStreetName'),
      one(address, 'cac:AddressLine cbc:Line'),
    ],
    town: one(address, 'cbc:CityName'),
    postcode: one(address, 'cbc:PostalZone'),
    country: one(address, 'cac:Country cbc:IdentificationCode'),
  }
}

function readCii(root: Element): Said {
  const [trade] = all(root, 'rsm:SupplyChainTradeTransaction')
  const agreement = all(trade, 'ram:ApplicableHeaderTradeAgreement')[0]
  const delivery = all(trade, 'ram:ApplicableHeaderTradeDelivery')[0]
  const settlement = all(trade, 'ram:ApplicableHeaderTradeSettlement')[0]
  const context = 'rsm:ExchangedDocumentContext'
  const terms = 'ram:SpecifiedTradePaymentTerms'
  const total = (name: string) =>
    one(settlement, `ram:SpecifiedTradeSettlementHeaderMonetarySummation ram:${name}`)
  const type = one(root, 'rsm:ExchangedDocument ram:TypeCode')
  const reference = one(settlement, 'ram:PaymentReference')
  return {
    kind: type === '381' ? 'credit_note' : 'invoice',
    customization: one(root, `${context} ram:GuidelineSpecifiedDocumentContextParameter ram:ID`),
    process: one(root, `${context} ram:BusinessProcessSpecifiedDocumentContextParameter ram:ID`),
    number: one(root, 'rsm:ExchangedDocument ram:ID'),
    issuedOn: day(root, 'rsm:ExchangedDocument ram:IssueDateTime udt:DateTimeString'),
    dueOn: day(settlement, `${terms} ram:DueDateDateTime udt:DateTimeString`),
    type,
    notes: every(root, 'rsm:ExchangedDocument ram:IncludedNote ram:Content').join(' '),
    currency: one(settlement, 'ram:InvoiceCurrencyCode'),
    buyerReference: one(agreement, 'ram:BuyerReference'),
    order: one(agreement, 'ram:BuyerOrderReferencedDocument ram:IssuerAssignedID'),
    contract: one(agreement, 'ram:ContractReferencedDocument ram:IssuerAssignedID'),
    precedes: all(settlement, 'ram:InvoiceReferencedDocument').map((it) => ({
      number: one(it, 'ram:IssuerAssignedID'),
      issuedOn: day(it, 'ram:FormattedIssueDateTime qdt:DateTimeString'),
    })),
    seller: ciiParty(all(agreement, 'ram:SellerTradeParty')[0]),
    buyer: ciiParty(all(agreement, 'ram:BuyerTradeParty')[0]),
    delivery: {
      on: day(
        delivery,
        'ram:ActualDeliverySupplyChainEvent ram:OccurrenceDateTime udt:DateTimeString',
      ),
      country: one(delivery, 'ram:ShipToTradeParty ram:PostalTradeAddress ram:CountryID'),
    },
    means: all(settlement, 'ram:SpecifiedTradeSettlementPaymentMeans').map((it) => ({
      code: one(it, 'ram:TypeCode'),
      reference,
      account: one(it, 'ram:PayeePartyCreditorFinancialAccount ram:ProprietaryID'),
    })),
    terms: one(settlement, `${terms} ram:Description`),
    lines: all(trade, 'ram:IncludedSupplyChainTradeLineItem').map((it) => ({
      id: one(it, 'ram:AssociatedDocumentLineDocument ram:LineID'),
      name: one(it, 'ram:SpecifiedTradeProduct ram:Name'),
      description: one(it, 'ram:SpecifiedTradeProduct ram:Description'),
      quantity: one(it, 'ram:SpecifiedLineTradeDelivery ram:BilledQuantity'),
      unit: attribute(all(it, 'ram:SpecifiedLineTradeDelivery ram:BilledQuantity')[0], 'unitCode'),
      price: one(it, `${price} ram:ChargeAmount`),
      priceQuantity: one(it, `${price} ram:BasisQuantity`),
      net: one(
        it,
        `${settled} ram:SpecifiedTradeSettlementLineMonetarySummation ram:LineTotalAmount`,
      ),
      category: one(it, `${settled} ram:ApplicableTradeTax ram:CategoryCode`),
      percent: one(it, `${settled} ram:ApplicableTradeTax ram:RateApplicablePercent`),
    })),
    breakdown: all(settlement, 'ram:ApplicableTradeTax').map((it) => ({
      category: one(it, 'ram:CategoryCode'),
      percent: one(it, 'ram:RateApplicablePercent'),
      reason: one(it, 'ram:ExemptionReason'),
      code: one(it, 'ram:ExemptionReasonCode'),
      base: one(it, 'ram:BasisAmount'),
      tax: one(it, 'ram:CalculatedAmount'),
    })),
    sums: {
      net: total('LineTotalAmount'),
      untaxed: total('TaxBasisTotalAmount'),
      tax: total('TaxTotalAmount'),
      gross: total('GrandTotalAmount'),
      prepaid: total('TotalPrepaidAmount'),
      rounding: total('RoundingAmount'),
      payable: total('DuePayableAmount'),
    },
    currencies: attributesIn(root, 'currencyID'),
    emptyElements: emptyIn(root).filter((name) => name !== 'ram:ApplicableHeaderTradeDelivery'),
  }
}

const price = 'ram:SpecifiedLineTradeAgreement ram:NetPriceProductTradePrice'
const settled = 'ram:SpecifiedLineTradeSettlement'

function ciiParty(party: Element | undefined): Said['seller'] {
  const address = all(party, 'ram:PostalTradeAddress')[0]
  const ids = all(party, 'ram:SpecifiedTaxRegistration ram:ID')
  const taxId = (scheme: string) => ids.find((id) => attribute(id, 'schemeID') === scheme)?.text
  const uri = all(party, 'ram:URIUniversalCommunication ram:URIID')[0]
  return {
    hasAddress: address !== undefined,
    name: one(party, 'ram:Name'),
    id: one(party, 'ram:ID'),
    legalId: one(party, 'ram:SpecifiedLegalOrganization ram:ID'),
    vatId: taxId('VA'),
    taxId: taxId('FC'),
    email: one(party, 'ram:DefinedTradeContact ram:EmailURIUniversalCommunication ram:URIID'),
    endpoint: uri?.text,
    scheme: attribute(uri, 'schemeID'),
    address: [
      one(address, 'ram:LineOne'),
      one(address, 'ram:LineTwo'),
      one(address, 'ram:LineThree'),
    ],
    town: one(address, 'ram:CityName'),
    postcode: one(address, 'ram:PostcodeCode'),
    country: one(address, 'ram:CountryID'),
  }
}

function all(from: Element | undefined, path: string): readonly Element[] {
  return path
    .split(' ')
    .reduce<readonly Element[]>(
      (found, name) =>
        found.flatMap(({ children }) => children.filter((child) => child.name === name)),
      from ? [from] : [],
    )
}

function every(from: Element | undefined, path: string): readonly string[] {
  return all(from, path).map(({ text }) => text)
}

function one(from: Element | undefined, path: string): string | undefined {
  return every(from, path)[0]
}

function attribute(of: Element | undefined, name: string): string | undefined {
  return of?.attributes[name]
}

/** Of CII: `20260501` as `2026-05-01`. */
function day(from: Element | undefined, path: string): string | undefined {
  return one(from, path)?.replace(/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3')
}

function attributesIn(root: Element, name: string): readonly string[] {
  const own = root.attributes[name]
  const found = new Set([
    ...(own ? [own] : []),
    ...root.children.flatMap((it) => attributesIn(it, name)),
  ])
  return [...found]
}

function emptyIn({ name, children, text }: Element): readonly string[] {
  if (children.length === 0) return text.trim() === '' ? [name] : []
  return children.flatMap(emptyIn)
}
