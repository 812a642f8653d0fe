import { checkVAT, countries } from 'jsvat'

/** Whether a VAT id has the form and the check digits of one that its country gives out; whether it was given out, only a tax office knows. */
export function looksValid(vatId: string): boolean {
  return examine(vatId).isValid
}

/** The ISO 3166 code of the country whose VAT id this looks like; null: none that is known here. */
export function countryOf(vatId: string): string | null {
  return examine(vatId).country?.isoCode.short ?? null
}

// Northern Ireland's ids are those of Great Britain behind a prefix of their own.
function examine(vatId: string) {
  return checkVAT(vatId.replace(/^xi/i, 'GB'), countries)
}
