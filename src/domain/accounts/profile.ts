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

export const mostLogoBytes = 65_536

export const noProfile: Profile = {
  ...{ name: null, address: null, country: null },
  ...{ vat: null, email: null, website: null, logoHash: null },
}
