import type { Country } from 'jsvat'
import * as jsvat from 'jsvat'

const { belgium, finland, france, ireland, latvia, netherlands, poland } = jsvat

const corrected = new Map<Country, Country>([
  // Since 2023 Belgian numbers may start with a 1, followed by any digits.
  [
    belgium,
    {
      ...belgium,
      calcFn: isBelgian,
      rules: { ...belgium.rules, regex: [/^(BE)(0?[1-9]\d{8}|1\d{9})$/] },
    },
  ],
  [finland, { ...finland, calcFn: isFinnish }],
  [france, { ...france, calcFn: isFrench }],
  // Of the second letters that Ireland adds, jsvat knows A and H only.
  [
    ireland,
    {
      ...ireland,
      calcFn: isIrish,
      rules: { ...ireland.rules, regex: [...ireland.rules.regex, /^(IE)(\d{7}[A-W][A-IW])$/] },
    },
  ],
  [latvia, { ...latvia, calcFn: isLatvian }],
  [netherlands, { ...netherlands, calcFn: isDutch }],
  [poland, { ...poland, calcFn: isPolish }],
])

/** jsvat's rules, with wrong and incomplete ones corrected. */
export const vatRules: readonly Country[] = jsvat.countries.map(
  (country) => corrected.get(country) ?? country,
)

function isBelgian(id: string): boolean {
  const digits = id.padStart(10, '0')
  return 97 - (Number(digits.slice(0, 8)) % 97) === Number(digits.slice(8))
}

// No id with the remainder 10 is issued; jsvat accepts 0 for it, also in the next two.
function isPolish(id: string): boolean {
  return weigh(id, [6, 5, 7, 2, 3, 4, 5, 6, 7]) % 11 === digit(id, 9)
}

function isFinnish(id: string): boolean {
  return (11 - (weigh(id, [7, 9, 10, 5, 8, 4, 2]) % 11)) % 11 === digit(id, 7)
}

/** Companies have a check digit modulo 11; sole traders one modulo 97, as in an IBAN. */
function isDutch(id: string): boolean {
  const isCompany = weigh(id, [9, 8, 7, 6, 5, 4, 3, 2]) % 11 === digit(id, 8)
  // The letters N, L and B count as 23, 21 and 11.
  return isCompany || BigInt(`2321${id.replace('B', '11')}`) % 97n === 1n
}

const frenchKey = '0123456789ABCDEFGHJKLMNPQRSTUVWXYZ'

/** A key of two digits or letters, computed from the company number (SIREN) that follows it. */
function isFrench(id: string): boolean {
  const company = id.slice(2)
  const [first = 0, second = 0] = Array.from(id.slice(0, 2), (sign) => frenchKey.indexOf(sign))
  if (first < 10 && second < 10)
    return isSiren(company) && Number(`${company}12`) % 97 === first * 10 + second
  const key = first < 10 ? first * 24 + second - 10 : first * 34 + second - 100
  return isSiren(company) && (Number(company) + 1 + Math.floor(key / 11)) % 11 === key % 11
}

/** Checks a SIREN by Luhn's rule. Numbers from Monaco start with 000 and are not checked. */
function isSiren(company: string): boolean {
  const doubled = Array.from(company, (_, at) => digit(company, at) * (at % 2 === 1 ? 2 : 1))
  const sum = doubled.reduce((total, value) => total + (value > 9 ? value - 9 : value), 0)
  return company.startsWith('000') || sum % 10 === 0
}

const irishKey = 'WABCDEFGHIJKLMNOPQRSTUV'

/** The letter after the seven digits checks them; a second letter counts nine times, W nothing. */
function isIrish(id: string): boolean {
  if (id.length < 9) return ireland.calcFn(id)
  const sum = weigh(id, [8, 7, 6, 5, 4, 3, 2]) + 9 * irishKey.indexOf(id.charAt(8))
  return irishKey[sum % 23] === id[7]
}

/** Companies follow jsvat's rule; people have a date of birth with a check digit, or 32. */
function isLatvian(id: string): boolean {
  if (id.startsWith('32')) return true
  if (digit(id, 0) > 3) return latvia.calcFn(id)
  const isDay = /^(0[1-9]|[12]\d|3[01])(0[1-9]|1[0-2])/.test(id)
  return isDay && ((1 + weigh(id, [10, 5, 8, 4, 2, 1, 6, 3, 7, 9])) % 11) % 10 === digit(id, 10)
}

function weigh(id: string, weights: readonly number[]): number {
  return weights.reduce((sum, weight, at) => sum + weight * digit(id, at), 0)
}

function digit(id: string, at: number): number {
  return Number(id[at])
}
