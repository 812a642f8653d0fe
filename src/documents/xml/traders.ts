import type { Party, Terms } from '../../domain/invoices/terms.ts'
import { bare, isOfOneStopShop, vatIdOf } from '../../domain/vat/ids.ts'
import { clean, lines } from '../texts.ts'
import { type ElectronicAddress, peppolAddressOf } from './peppol-address.ts'

export type Trader = {
  readonly name: string | null
  readonly addressLines: readonly string[]
  /** Where the postcode and the town are known apart (BT-37, BT-38). */
  readonly town: { readonly postcode: string; readonly name: string } | null
  readonly country: string | null
  /** BT-29: the seller's wallet. */
  readonly id: string | null
  /** BT-31 or BT-48: starts with a country code, as the standard requires. */
  readonly vatId: string | null
  /** BT-32: an id that is not a VAT id. A buyer's is in `legalId` (BT-47). */
  readonly taxId: string | null
  readonly legalId: string | null
  readonly email: string | null
  /** BT-34 or BT-49. */
  readonly endpoint: ElectronicAddress | null
  /** The address in the Peppol network that follows from the VAT id. */
  readonly peppolAddress: ElectronicAddress | null
}

/** `isOutside`: the document is outside the scope of VAT, so it may not name VAT ids. */
export function sellerOf({ seller, tax, isPurchase, lines, payTo }: Terms, isOutside: boolean) {
  // The tax of a purchase belongs to the buyer's country.
  const country = isPurchase ? null : tax.countryCode
  const { otherId, ...trader } = traderOf(seller, country, isOutside)
  const id = seller.wallet ?? (lines ? payTo : null)
  return { ...trader, id, taxId: otherId, legalId: null } satisfies Trader
}

export function buyerOf({ buyer, tax }: Terms, isOutside: boolean) {
  const { otherId, ...trader } = traderOf(buyer, tax.countryCode, isOutside)
  return { ...trader, id: null, taxId: null, legalId: otherId } satisfies Trader
}

function traderOf(party: Party, taxCountry: string | null, isOutside: boolean) {
  const given = clean(party.vat ?? '')
  const known = vatIdOf(given, taxCountry)
  const vatId = isOutside ? null : known
  const email = clean(party.email ?? '') || null
  // A one-stop-shop seller is taxed in another country than its own.
  const derived = known?.country ?? (isOfOneStopShop(given) ? null : taxCountry)
  return {
    name: clean(party.name ?? '') || null,
    addressLines: addressLinesOf(party.address),
    town: null,
    country: party.country ?? derived,
    vatId: vatId?.text ?? null,
    otherId: vatId ? null : bare(given) || null,
    email,
    endpoint: email === null ? null : { scheme: 'EM', id: email },
    peppolAddress: known && peppolAddressOf(known),
  }
}

// The standard has three lines; the rest of a longer address is joined into the third.
function addressLinesOf(address: string | null): readonly string[] {
  const [first = '', second = '', ...rest] = lines(address)
  return [first, second, rest.join(', ')].filter(Boolean)
}
