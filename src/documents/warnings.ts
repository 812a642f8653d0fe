import type { Invoice } from '../domain/invoices/invoice.ts'
import { breakdownOf } from '../domain/invoices/lines.ts'
import type { Party } from '../domain/invoices/terms.ts'
import { looksValid } from '../domain/vat/ids.ts'
import { type EInvoice, eInvoiceOf } from './xml/einvoice.ts'
import type { Trader } from './xml/traders.ts'

/**
 * What a tax office or an EN 16931 validator might object to, as codes such as `buyer_vat_format`.
 */
export function warningsOf(invoice: Invoice, eInvoice = eInvoiceOf(invoice)): readonly string[] {
  const { terms } = invoice
  const { seller, buyer, currency, breakdown } = eInvoice
  const isTaxed = breakdownOf(terms).some(({ rateBasisPoints }) => rateBasisPoints > 0)
  // The flat form never names the law that exempts from VAT.
  const isUnexplained = !terms.lines && breakdown.some(({ category }) => category === 'E')
  return [
    ...partyWarnings('seller', seller, terms.seller),
    ...(isTaxed && terms.seller.vat === null ? ['seller_vat_missing'] : []),
    ...(isNamed(seller) ? [] : ['seller_id_missing']),
    ...partyWarnings('buyer', buyer, terms.buyer),
    ...(isTaxed && currency !== vatCurrencies[terms.tax.countryCode ?? '']
      ? ['tax_currency_missing']
      : []),
    ...(isUnexplained ? ['exemption_reason_missing'] : []),
    ...(terms.isPurchase && terms.tax.taxUnits > 0n ? ['tax_not_charged'] : []),
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

// Rule BR-CO-26. A tax number that is not a VAT id does not count.
function isNamed({ id, legalId, vatId }: EInvoice['seller']): boolean {
  return (id ?? legalId ?? vatId) !== null
}

/**
 * Required by article 230 of Directive 2006/112/EC and, in Britain, regulation 14 of the VAT
 * Regulations 1995. Other countries always get the warning.
 */
const vatCurrencies: Readonly<Record<string, string>> = {
  ...of('EUR', 'AT BE BG CY DE EE ES FI FR GR HR IE IT LT LU LV MT NL PT SI SK'),
  ...{ CZ: 'CZK', DK: 'DKK', GB: 'GBP', HU: 'HUF', PL: 'PLN', RO: 'RON', SE: 'SEK' },
}

function of(currency: string, countries: string): Record<string, string> {
  return Object.fromEntries(countries.split(' ').map((country) => [country, currency]))
}
