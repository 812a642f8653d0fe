import { noProfile, type Profile } from '../accounts/profile.ts'
import { vatIdOf } from '../vat/ids.ts'
import type { Invoice } from './invoice.ts'
import type { Request } from './request.ts'
import type { Party, Terms } from './terms.ts'

/** What the profile says about a seller: nothing about one of another name. */
export function profileFor({ name }: Party, profile: Profile): Profile {
  return name === null || name === profile.name ? profile : noProfile
}

/** The invoice with the account as its seller where it names none. A purchase has another. */
export function presented(invoice: Invoice, profile: Profile): Invoice {
  const { terms } = invoice
  const { name, address, vat } = terms.seller
  if (terms.isPurchase || name !== null || address !== null || vat !== null) return invoice
  const seller = { ...completed(terms.seller, profile), email: profile.email }
  return { ...invoice, terms: { ...terms, seller } }
}

/** A purchase with the account as its buyer, where its request named none. */
export function bought(invoice: Invoice, profile: Profile): Invoice {
  const { terms } = invoice
  if (!terms.isPurchase || Object.values(terms.buyer).some((told) => told !== null)) return invoice
  const buyer = { ...completed(terms.buyer, profile), email: profile.email }
  return { ...invoice, terms: { ...terms, buyer } }
}

/** The seller of an invoice: what it leaves out is the profile's, if that is about the same one. */
export function completed<Seller extends Party>(seller: Seller, profile: Profile): Seller {
  const own = profileFor(seller, profile)
  return {
    ...seller,
    name: seller.name ?? own.name,
    address: seller.address ?? addressOf(own),
    vat: seller.vat ?? own.vat,
  }
}

/**
 * The parties of an invoice with lines, with their countries as far as the request, the profile or
 * a VAT id tells. `isOutside`: outside the scope of VAT, where no VAT id may stand.
 */
export function partiesWithLines(
  { buyer, seller, country: taxCountry }: Request,
  profile: Profile,
  isOutside: boolean,
): Pick<Terms, 'buyer' | 'seller'> {
  const named = located(completed(seller, profile), profileFor(seller, profile).country, taxCountry)
  const isKept = !isOutside || seller.vat !== null || !vatIdOf(named.vat ?? '', taxCountry)
  return {
    buyer: located(buyer, null, taxCountry),
    seller: isKept ? named : { ...named, vat: null },
  }
}

function located<P extends Party>(party: P, known: string | null, taxCountry: string | null): P {
  const country = party.country ?? known ?? vatIdOf(party.vat ?? '', taxCountry)?.country
  return country ? { ...party, country } : party
}

const english = new Intl.DisplayNames('en', { type: 'region' })

/** The address with the country as its last line, where documents look for it. */
function addressOf({ address, country }: Profile): string | null {
  const named = country && (english.of(country) ?? country)
  if (!address || !named) return address ?? named
  return address.toLowerCase().endsWith(named.toLowerCase()) ? address : `${address}\n${named}`
}
