import type { Invoice, Party } from '../domain/invoice.ts'
import { type EInvoice, eInvoiceOf, type Trader } from './einvoice.ts'
import { looksValid } from './vat-id.ts'

/**
 * What a tax office might object to, or a program that checks by EN 16931, as codes such as `buyer_vat_format`. An invoice is never refused for
 * these: only its parties can know better.
 */
export function warningsOf(invoice: Invoice): readonly string[] {
  const { terms } = invoice
  const { seller, buyer, currency } = eInvoiceOf(invoice)
  const isTaxed = terms.tax.rateBasisPoints > 0
  return [
    ...partyWarnings('seller', seller, terms.seller),
    ...(isTaxed && terms.seller.vat === null ? ['seller_vat_missing'] : []),
    ...(isNamed(seller) ? [] : ['seller_id_missing']),
    ...partyWarnings('buyer', buyer, terms.buyer),
    ...(isTaxed && currency !== vatCurrencies[terms.tax.countryCode ?? '']
      ? ['tax_currency_missing']
      : []),
  ]
}

function partyWarnings(role: string, trader: Trader, { vat }: Party): readonly string[] {
  const { name, addressLines, country } = trader
  return [
    ...(name === null ? [`${role}_name_missing`] : []),
    ...(addressLines.length === 0 ? [`${role}_address_missing`] : []),
    ...(country === null ? [`${role}_country_missing`] : []),
    ...(vat !== null && !looksValid(vat) ? [`${role}_vat_format`] : []),
  ]
}

// BR-CO-26. A tax number that is no VAT id does not count.
function isNamed({ id, legalId, vatId }: EInvoice['seller']): boolean {
  return (id ?? legalId ?? vatId) !== null
}

/**
 * In what VAT is to be stated, whatever the rest of an invoice is in: by article 230 of Directive 2006/112/EC, and in Britain by regulation 14
 * of the VAT Regulations 1995. A country that is not here has none, so it is always warned of.
 */
const vatCurrencies: Readonly<Record<string, string>> = {
  AT: 'EUR',
  BE: 'EUR',
  DE: 'EUR',
  DK: 'DKK',
  ES: 'EUR',
  FI: 'EUR',
  FR: 'EUR',
  GB: 'GBP',
  IE: 'EUR',
  IT: 'EUR',
  NL: 'EUR',
  PL: 'PLN',
  PT: 'EUR',
  SE: 'SEK',
}
