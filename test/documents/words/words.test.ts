import { describe, expect, test } from 'bun:test'
import { documentOf } from '../../../src/documents/pdf/invoice-document.ts'
import { languageOf, languages } from '../../../src/documents/words/language.ts'
import { tables, wordsIn } from '../../../src/documents/words/tables.ts'
import { variants } from '../variants.ts'

const others = languages.filter((language) => language !== 'en')
const keys = Object.keys(tables.en) as (keyof typeof tables.en)[]

/** Texts that are the same word in both languages. */
const shared: Readonly<Partial<Record<string, readonly (keyof typeof tables.en)[]>>> = {
  de: ['agent', 'token'],
  fr: ['agent', 'total', 'transaction'],
  es: ['total', 'token'],
  it: ['token'],
  nl: ['agent', 'details', 'token'],
  pl: ['agent', 'token', 'vat', 'vatIn'],
  pt: ['total', 'token'],
}

describe.each(others)('%s', (language) => {
  const table = tables[language]

  test('has every text, and no other', () => {
    expect(Object.keys(table)).toEqual(Object.keys(tables.en))
    expect(keys.filter((key) => table[key].trim() === '')).toEqual([])
  })

  test('leaves nothing in English', () => {
    const same = keys.filter((key) => table[key] === tables.en[key])
    expect(same.toSorted()).toEqual([...(shared[language] ?? [])].toSorted())
  })

  test('puts the same values into its texts', () => {
    for (const key of keys)
      expect([key, ...valuesIn(table[key])]).toEqual([key, ...valuesIn(tables.en[key])])
  })

  test('has no text that a page would take for markup', () => {
    expect(keys.filter((key) => /[<>&"]/.test(table[key]))).toEqual([])
  })
})

test.each(languages)('%s names the facts of one list differently', (language) => {
  const lists = Object.values(variants).flatMap((invoice) => {
    const { facts, payment, settlement } = documentOf(invoice, wordsIn(language))
    return [facts, payment?.facts ?? [], settlement?.facts ?? []]
  })
  for (const labels of lists.map((facts) => facts.map(({ label }) => label)))
    expect(new Set(labels).size).toBe(labels.length)
})

function valuesIn(text: string): readonly string[] {
  return Array.from(text.matchAll(/\{(\w+)\}/g), ([, name = '']) => name).sort()
}

test('amounts, rates and days are written as each language writes them', () => {
  const written = languages.map((language) => {
    const { amount, percent, day, duration } = wordsIn(language)
    const texts = [amount('12345.50', 'EUR'), percent(2_550), day('2026-05-01T23:59:59.999Z')]
    return [language, ...[...texts, duration(183_845)].map((text) => text.replace(/\s/g, ' '))]
  })
  expect(written).toEqual([
    ['en', '12,345.50 EUR', '25.5%', '1 May 2026', '2 days 03:04:05'],
    ['de', '12.345,50 EUR', '25,5 %', '1. Mai 2026', '2 Tage 03:04:05'],
    ['fr', '12 345,50 EUR', '25,5 %', '1 mai 2026', '2 jours 03:04:05'],
    ['es', '12.345,50 EUR', '25,5 %', '1 de mayo de 2026', '2 días 03:04:05'],
    ['it', '12.345,50 EUR', '25,5%', '1 maggio 2026', '2 giorni 03:04:05'],
    ['nl', '12.345,50 EUR', '25,5%', '1 mei 2026', '2 dagen 03:04:05'],
    ['pl', '12 345,50 EUR', '25,5%', '1 maja 2026', '2 dni 03:04:05'],
    ['pt', '12 345,50 EUR', '25,5%', '1 de maio de 2026', '2 dias 03:04:05'],
  ])
})

test('every digit of an amount is written, also of one that a number cannot hold', () => {
  expect(wordsIn('de').amount('9007199254740991.123457', 'USDC')).toBe(
    '9.007.199.254.740.991,123457 USDC',
  )
})

test.each<[acceptLanguage: string | null, country: string | null, language: string]>([
  ['de-AT,de;q=0.9,en;q=0.8', 'FR', 'de'],
  ['sv, en;q=0.5, fr;q=0.7', null, 'fr'],
  ['PT-br', null, 'pt'],
  ['de;q=0, en', 'DE', 'en'],
  ['sv', 'PL', 'pl'],
  ['*', 'IT', 'it'],
  ['', 'AT', 'de'],
  [null, 'ES', 'es'],
  [null, 'SE', 'en'],
  [null, null, 'en'],
  ['de;q=x, nl;q=0.1;;, ,-', null, 'nl'],
])('%p with the tax country %p is answered in %s', (acceptLanguage, country, language) => {
  expect(languageOf(acceptLanguage, country)).toBe(language as 'en')
})

const statuses: [keyof typeof variants, string][] = [
  ['draft', 'Open'],
  ['due', 'Open'],
  ['partly paid', 'Partly paid'],
  ['paid', 'Being confirmed'],
  ['settled', '✓ Paid'],
  ['expired', 'Overdue'],
  ['void', 'Voided'],
]
test.each(statuses)('the PDF of an invoice that is %s reads %s', (name, label) => {
  expect(documentOf(variants[name], wordsIn('en')).badge?.label).toBe(label)
})

test('only a void invoice is stamped, in its own language', () => {
  for (const invoice of Object.values(variants))
    for (const language of languages) {
      const stamp = invoice === variants.void ? tables[language].voidStamp : null
      expect(documentOf(invoice, wordsIn(language)).stamp).toBe(stamp)
    }
})
