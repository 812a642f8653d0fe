import type { Country } from 'jsvat'
import * as jsvat from 'jsvat'

const { belgium, finland, france, latvia, netherlands, poland } = jsvat

// `calcFn` gets an id of a shape that `regex` allows, without its country.
const corrected = new Map<Country, Country>([
  // Since 2023 they may begin with a 1, and then with anything.
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
  [latvia, { ...latvia, calcFn: isLatvian }],
  [netherlands, { ...netherlands, calcFn: isDutch }],
  [poland, { ...poland, calcFn: isPolish }],
])

/** What jsvat knows of VAT ids, country by country, with the rules that it has wrong or leaves out put right. */
export const vatRules: readonly Country[] = jsvat.countries.map(
  (country) => corrected.get(country) ?? country,
)

function isBelgian(id: string): boolean {
  const digits = id.padStart(10, '0')
  return 97 - (Number(digits.slice(0, 8)) % 97) === Number(digits.slice(8))
}

// A remainder of 10 fits no digit, and no such id is given out; jsvat has 0 for it, here and in the next two.
function isPolish(id: string): boolean {
  return weigh(id, [6, 5, 7, 2, 3, 4, 5, 6, 7]) % 11 === digit(id, 9)
}

function isFinnish(id: string): boolean {
  return (11 - (weigh(id, [7, 9, 10, 5, 8, 4, 2]) % 11)) % 11 === digit(id, 7)
}

/** Of a company, or since 2020 of a sole trader: then a number of its own, as an IBAN is checked. */
function isDutch(id: string): boolean {
  const isCompany = weigh(id, [9, 8, 7, 6, 5, 4, 3, 2]) % 11 === digit(id, 8)
  // N, L and B as the numbers they are there.
  return isCompany || BigInt(`2321${id.replace('B', '11')}`) % 97n === 1n
}

const frenchKey = '0123456789ABCDEFGHJKLMNPQRSTUVWXYZ'

/** A key of two digits, or with letters, that belongs to the number of the company after it. */
function isFrench(id: string): boolean {
  const company = id.slice(2)
  const [first = 0, second = 0] = Array.from(id.slice(0, 2), (sign) => frenchKey.indexOf(sign))
  if (first < 10 && second < 10)
    return isSiren(company) && Number(`${company}12`) % 97 === first * 10 + second
  const key = first < 10 ? first * 24 + second - 10 : first * 34 + second - 100
  return isSiren(company) && (Number(company) + 1 + Math.floor(key / 11)) % 11 === key % 11
}

/** By Luhn's rule, but for Monaco, whose companies have numbers of another kind. */
function isSiren(company: string): boolean {
  const doubled = Array.from(company, (_, at) => digit(company, at) * (at % 2 === 1 ? 2 : 1))
  const sum = doubled.reduce((total, value) => total + (value > 9 ? value - 9 : value), 0)
  return company.startsWith('000') || sum % 10 === 0
}

/** People have a personal code: of a day of birth with a check digit, or since 2017 of nothing but a 32 in front. */
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
