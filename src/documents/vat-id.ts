import { checkVAT } from 'jsvat'
import { vatRules } from './vat-rules.ts'

/** Whether a VAT id has the form and the check digits of one that its country gives out; whether it was given out, only a tax office knows. */
export function looksValid(vatId: string): boolean {
  return examine(vatId).isValid
}

/** The ISO 3166 code of the country of whose VAT ids this has the form; null: none that is known here. */
export function countryOf(vatId: string): string | null {
  const { isValidFormat, country } = examine(vatId)
  const code = isValidFormat ? country?.isoCode.short : undefined
  // Ids of the EU's one-stop shop have no country.
  return code === undefined || code === 'EU' ? null : code
}

// Northern Ireland's ids are those of Great Britain behind a prefix of their own.
function examine(vatId: string) {
  return checkVAT(vatId.replace(/^xi/i, 'GB'), vatRules)
}
