import { checkVAT } from 'jsvat'
import { countryCodes } from '../country.ts'
import { vatRules } from './rules.ts'

/** Checks form and check digits. Only a tax office knows whether the id was issued. */
export function looksValid(vatId: string): boolean {
  return examine(vatId).isValid
}

/** In capitals, without separators; `country` is an ISO 3166 code. */
export type VatId = { readonly text: string; readonly country: string }

/**
 * The VAT id of a party taxed in `taxCountry`. Null if it has no country code (BR-CO-09) or looks
 * like another number or words.
 */
export function vatIdOf(given: string, taxCountry: string | null): VatId | null {
  const text = bare(given)
  const prefix = text.slice(0, 2)
  const country = otherPrefixes[prefix] ?? prefix
  if (!countryCodes.has(country) || isOfOneStopShop(given)) return null
  const hasForm = examine(text).isValidFormat
  if (!hasForm && !/^..\d/.test(text)) return null
  const isMeant =
    country === taxCountry ||
    /^[a-z]{2}\w/i.test(given) ||
    // Letters before a gap may be an abbreviation: `Nr. 12`, `No 12`, `ID 12`.
    (!abbreviation.test(given) && (hasForm || (taxCountry === null && /^[A-Z]/.test(given))))
  return isMeant ? { text, country } : null
}

const abbreviation = /^(?:[A-Z][a-z]|[A-Za-z]{1,2}\s*\.)/

/** Whether it is a number of the one-stop shop, which says where nobody is. */
export function isOfOneStopShop(given: string): boolean {
  // The import one-stop shop uses IM; VAT ids of the Isle of Man start with GB.
  return /^(?:EU|IM)\d/.test(bare(given))
}

/** In capitals, without what people put between the signs. */
export function bare(given: string): string {
  return given.replace(/[\s./-]/g, '').toUpperCase()
}

const otherPrefixes: Readonly<Record<string, string>> = { EL: 'GR', XI: 'GB' }

// Ids of Northern Ireland follow the rules of Great Britain.
function examine(vatId: string) {
  return checkVAT(vatId.replace(/^xi/i, 'GB'), vatRules)
}
