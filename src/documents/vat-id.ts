import { checkVAT } from 'jsvat'
import { vatRules } from './vat-rules.ts'

/** Whether a VAT id has the form and the check digits of one that its country gives out; whether it was given out, only a tax office knows. */
export function looksValid(vatId: string): boolean {
  return examine(vatId).isValid
}

/** A VAT id as EN 16931 takes it for one, in capitals and without what people write between its parts, and its country by ISO 3166. */
export type VatId = { readonly text: string; readonly country: string }

/**
 * Reads what somebody gave for a VAT id. Null for what does not begin with the code of a country (BR-CO-09), or has neither a digit behind
 * it nor the form of that country: then it is a number of another kind, or words, whose first letters only happen to be such a code.
 */
export function vatIdOf(given: string): VatId | null {
  const text = bare(given)
  const prefix = text.slice(0, 2)
  const country = otherPrefixes[prefix] ?? prefix
  if (!countries.has(country) || isOfOneStopShop(given)) return null
  return /^..\d/.test(text) || examine(text).isValidFormat ? { text, country } : null
}

/** Whether it is a number of the EU's one-stop shops, by which a seller of any country accounts for the VAT of others. */
export function isOfOneStopShop(given: string): boolean {
  // On the Isle of Man, whose code the shop for imports uses, VAT ids begin with GB.
  return /^(?:EU|IM)\d/.test(bare(given))
}

/** What was given for a VAT id, in capitals and without what people write between its parts. */
export function bare(given: string): string {
  return given.replace(/[\s./-]/g, '').toUpperCase()
}

const otherPrefixes: Readonly<Record<string, string>> = { EL: 'GR', XI: 'GB' }

/** ISO 3166-1. */
const countries: ReadonlySet<string> = new Set(
  `AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC CD CF CG CH CI CK CL CM
  CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY
  HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF
  MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE
  RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ
  VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW`.split(/\s+/),
)

// Northern Ireland's ids are those of Great Britain behind a prefix of their own.
function examine(vatId: string) {
  return checkVAT(vatId.replace(/^xi/i, 'GB'), vatRules)
}
