import { checkVAT } from 'jsvat'
import { vatRules } from './vat-rules.ts'

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
  if (!countries.has(country) || isOfOneStopShop(given)) return null
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

export function isOfOneStopShop(given: string): boolean {
  // The import one-stop shop uses IM; VAT ids of the Isle of Man start with GB.
  return /^(?:EU|IM)\d/.test(bare(given))
}

export function bare(given: string): string {
  return given.replace(/[\s./-]/g, '').toUpperCase()
}

const otherPrefixes: Readonly<Record<string, string>> = { EL: 'GR', XI: 'GB' }

const countries: ReadonlySet<string> = new Set(
  `AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC CD CF CG CH CI CK CL CM
  CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY
  HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF
  MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE
  RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ
  VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW`.split(/\s+/),
)

// Ids of Northern Ireland follow the rules of Great Britain.
function examine(vatId: string) {
  return checkVAT(vatId.replace(/^xi/i, 'GB'), vatRules)
}
