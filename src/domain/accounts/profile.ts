import type { Party } from '../invoices/terms.ts'

/** Who an account is, as its payers read it. */
export type Profile = {
  readonly name: string | null
  /** Without the country. */
  readonly address: string | null
  /** An upper-case ISO 3166 code. */
  readonly country: string | null
  readonly vat: string | null
  readonly email: string | null
  readonly website: string | null
  /** The SHA-256 of the logo in hex; null without one. */
  readonly logoHash: string | null
}

/** What to change: null clears a member, absent ones stay. The logo is a PNG. */
export type ProfileChange = Partial<Omit<Profile, 'logoHash'>> & {
  readonly logo?: Uint8Array | null
}

export const noProfile: Profile = {
  ...{ name: null, address: null, country: null },
  ...{ vat: null, email: null, website: null, logoHash: null },
}

/** The seller of an invoice: what it leaves out is the profile's. */
export function completed<Seller extends Party>(seller: Seller, profile: Profile): Seller {
  return {
    ...seller,
    name: seller.name ?? profile.name,
    address: seller.address ?? addressOf(profile),
    vat: seller.vat ?? profile.vat,
  }
}

const english = new Intl.DisplayNames('en', { type: 'region' })

/** The address with the country as its last line, where documents look for it. */
function addressOf({ address, country }: Profile): string | null {
  const named = country && (english.of(country) ?? country)
  if (!address || !named) return address ?? named
  return address.toLowerCase().endsWith(named.toLowerCase()) ? address : `${address}\n${named}`
}
