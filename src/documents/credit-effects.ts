import type { CreditNote } from '../domain/credit-notes/credit-note.ts'
import { numberOf } from '../domain/invoices/figures.ts'
import type { Invoice } from '../domain/invoices/invoice.ts'
import { sumOf } from '../domain/money/money.ts'
import { registry } from '../domain/registry.ts'
import type { Words } from './words/words.ts'

/** What a credit note does: it lowers what is due, or pays back, or both. */
export function effectsOf(note: CreditNote, invoice: Invoice, words: Words): readonly string[] {
  const { say, usdc } = words
  const { usdcBase, chain } = note.terms
  const backBase = sumOf(note.progress.refunds, ({ usdcBase }) => usdcBase)
  const lowersBase = usdcBase - backBase
  return [
    ...(lowersBase > 0n
      ? [say('creditLowers', { invoice: numberOf(invoice, 'api'), amount: usdc(lowersBase) })]
      : []),
    ...(backBase > 0n
      ? [say('creditRefund', { amount: usdc(backBase), chain: registry[chain].label })]
      : []),
  ]
}
