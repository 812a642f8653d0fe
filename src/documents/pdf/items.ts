import type { TaxCategory, TaxShare } from '../../domain/invoices/lines.ts'
import type { Terms } from '../../domain/invoices/terms.ts'
import { type Stated, unitPriceText } from '../stated.ts'
import { clean, type Fact, lines as linesIn } from '../texts.ts'
import type { Words } from '../words/words.ts'

/** A row of the table. */
export type Item = {
  readonly description: readonly string[]
  readonly quantity: string
  readonly unitPrice: string
  readonly taxRate: string
  readonly amount: string
}

// Several pages; more would take seconds to draw.
const maxDescriptionLines = 200

/** `terms` are those of the invoice, also for its credit notes. */
export function itemsOf({ lines }: Stated, terms: Terms, words: Words): readonly Item[] {
  return lines.map((line) => {
    const described = joinedIfMore(linesIn(line.description), maxDescriptionLines)
    return {
      description: described.length > 0 ? described : [words.say('services')],
      quantity: words.quantity(line.quantity, line.unit),
      unitPrice: words.amount(unitPriceText(line, terms.currency), terms.currency),
      taxRate: rateOf(line, terms, words),
      amount: words.money(line.netUnits, terms.scale, terms.currency),
    }
  })
}

export function joinedIfMore(found: readonly string[], most: number): readonly string[] {
  return found.length > most ? [found.join(', ')] : found
}

type Taxed = Pick<TaxShare, 'category' | 'rateBasisPoints'>

function rateOf({ category, rateBasisPoints }: Taxed, { lines }: Terms, words: Words): string {
  const key = untaxed[category]
  return key && lines ? words.say(key.word) : words.percent(rateBasisPoints)
}

/** Subtotal, a line of tax for each category and rate, and the total. */
export function totalsOf(stated: Stated, terms: Terms, words: Words) {
  const { say, money } = words
  const { scale, currency } = terms
  const subtotal = money(stated.subtotalUnits, scale, currency)
  const taxes = stated.shares.map((share) => ({
    label: taxLabel(share, stated, terms, words),
    value: money(share.taxUnits, scale, currency),
  }))
  return {
    totals: [{ label: say('subtotal'), value: subtotal }, ...taxes] as readonly Fact[],
    total: { label: say('total'), value: money(stated.totalUnits, scale, currency) },
  }
}

function taxLabel(
  share: TaxShare,
  { shares }: Stated,
  { tax: { countryCode }, lines, scale, currency }: Terms,
  words: Words,
): string {
  const { say, percent, country, money } = words
  const key = untaxed[share.category]
  const rate = percent(share.rateBasisPoints)
  const rated =
    countryCode === null ? say('vat') : say('vatIn', { rate, country: country(countryCode) })
  const tax = key && lines ? say(key.word) : rated
  return shares.length === 1
    ? tax
    : say('taxOn', { tax, base: money(share.baseUnits, scale, currency) })
}

/** The sentence that the law asks for where no tax is charged. */
export function exemptionNotesOf({ shares }: Stated, { say }: Words): readonly string[] {
  return shares.flatMap(({ category, reason }) => {
    const key = untaxed[category]
    const given = clean(reason ?? '')
    if (!key) return []
    if (key.note === 'exemptNote') return [say(key.note, { reason: given })]
    return [given ? `${say(key.note)} ${given}` : say(key.note)]
  })
}

/** What to say of lines without tax: a word, and the sentence that the law asks for. */
export const untaxed = {
  standard: null,
  reduced: null,
  zero: null,
  exempt: { word: 'exempt', note: 'exemptNote' },
  reverse_charge: { word: 'reverseCharge', note: 'reverseChargeNote' },
  intra_community: { word: 'intraCommunity', note: 'intraCommunityNote' },
  export: { word: 'exportSupply', note: 'exportNote' },
  outside_scope: { word: 'outsideScope', note: 'outsideScopeNote' },
} as const satisfies Readonly<Record<TaxCategory, object | null>>
