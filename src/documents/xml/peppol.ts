import { type Detail, DomainError } from '../../domain/error.ts'
import type { EInvoice } from './einvoice.ts'
import type { Trader } from './traders.ts'

const customization = 'urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0'
const process = 'urn:fdc:peppol.eu:2017:poacc:billing:01:1.0'

/**
 * The document as Peppol BIS Billing 3.0. Errors: `invalid_state`, naming every field without which
 * the network would refuse it.
 */
export function peppolOf(invoice: EInvoice): EInvoice {
  const missing = missingIn(invoice)
  if (missing.length > 0) {
    const names = missing.map(({ path }) => path).join(', ')
    throw new DomainError('invalid_state', `Peppol needs what is missing here: ${names}`, {
      details: missing,
    })
  }
  return {
    ...invoice,
    profile: { customization, process },
    seller: routed(invoice.seller),
    buyer: routed(invoice.buyer),
    payment: paymentIn(invoice),
  }
}

/** Whether the seller's country has rules of its own in Peppol that ask for more than we know. */
export function hasNationalRules({ seller, buyer }: EInvoice): boolean {
  const { country, addressLines } = seller
  if (country === 'DE') return buyer.country === 'DE'
  if (country === 'IT' || country === 'NL') return townOf(addressLines) === null
  return country === 'DK' || country === 'GR' || country === 'IS'
}

function missingIn({ buyerReference, order, seller, buyer }: EInvoice): readonly Detail[] {
  const found = [
    (buyerReference ?? order) === null && ['buyerReference', 'the mark of the buyer’s order'],
    seller.name === null && ['seller.name', 'the seller’s name'],
    seller.country === null && ['seller.country', 'the seller’s country'],
    seller.peppolAddress === null && ['seller.vat', addressFrom],
    buyer.name === null && ['buyer.name', 'the buyer’s name'],
    buyer.country === null && ['buyer.country', 'the buyer’s country'],
    buyer.peppolAddress === null && ['buyer.vat', addressFrom],
  ]
  return found.flatMap((one) => {
    const [path, message] = one || []
    return path && message ? [{ path, message }] : []
  })
}

const addressFrom = 'a VAT id, from which the address in the Peppol network follows'

function routed(trader: Trader): Trader {
  const { addressLines, peppolAddress } = trader
  const found = townOf(addressLines)
  if (found === null) return { ...trader, endpoint: peppolAddress }
  const { line, ...town } = found
  const others = addressLines.filter((other) => other !== line)
  return { ...trader, endpoint: peppolAddress, addressLines: others, town }
}

// `10115 Berlin`, `1012 AB Amsterdam`, `00-950 Warszawa`, `1100-148 Lisboa`, `SE-111 22 Stockholm`.
const town =
  /^(?:[A-Z]{1,2}-)?(\d{2}-\d{3}|\d{4}-\d{3}|\d{3} \d{2}|\d{4} ?[A-Z]{2}|\d{4,5}) +(\p{L}.*)$/u

function townOf(addressLines: readonly string[]) {
  for (const line of addressLines.slice(1)) {
    const [, postcode, name] = town.exec(line) ?? []
    if (postcode && name) return { line, postcode, name }
  }
  return null
}

// Dutch sellers may name six means of payment only, of which this is a transfer (NL-R-008).
function paymentIn({ payment, seller }: EInvoice): EInvoice['payment'] {
  const { transfer } = payment
  const isLimited = seller.country === 'NL' && transfer !== null
  return isLimited ? { ...payment, transfer: { ...transfer, code: '30' } } : payment
}
