import type { TaxCategory } from '../invoices/lines.ts'

const european = `79-C 132 132-1A 132-1B 132-1C 132-1D 132-1E 132-1F 132-1G 132-1H 132-1I 132-1J 132-1K 132-1L 132-1M 132-1N 132-1O 132-1P 132-1Q
  143 143-1A 143-1B 143-1C 143-1D 143-1E 143-1F 143-1FA 143-1G 143-1H 143-1I 143-1J 143-1K 143-1L 144 146-1E 148 148-A 148-B 148-C 148-D 148-E
  148-F 148-G 151 151-1A 151-1AA 151-1B 151-1C 151-1D 151-1E 159 309 AE D F G I IC J O`

const codes: ReadonlySet<string> = new Set(
  european.split(/\s+/).map((article) => `VATEX-EU-${article}`),
)

/** The codes that mean a whole category. */
const ownCategory: Readonly<Record<string, TaxCategory>> = {
  'VATEX-EU-AE': 'reverse_charge',
  'VATEX-EU-IC': 'intra_community',
  'VATEX-EU-G': 'export',
  'VATEX-EU-O': 'outside_scope',
}

/** Whether a reason is a code of the VATEX list of EN 16931, and not a text. */
export function isExemptionCode(reason: string): boolean {
  return /^VATEX-[A-Z]{2}-[A-Z0-9-]+$/.test(reason)
}

/** What is wrong with the reason why a line of `category` bears no tax; null: nothing. */
export function problemOfReason(reason: string, category: TaxCategory): string | null {
  if (!/^VATEX-/i.test(reason)) return null
  // Countries add codes of their own more often than the Union does.
  const isKnown = reason.startsWith('VATEX-EU-') ? codes.has(reason) : isExemptionCode(reason)
  if (!isKnown) return 'is no code of the VATEX list; any other text is taken as it is'
  const own = ownCategory[reason] ?? 'exempt'
  return own === category ? null : `is a code for taxCategory ${own}`
}
