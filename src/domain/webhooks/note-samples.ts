import type { CreditNote } from '../credit-notes/credit-note.ts'
import { type Command, decide } from '../credit-notes/decide.ts'
import { evolve } from '../credit-notes/evolve.ts'
import { eventData } from '../credit-notes/view.ts'
import { breakdownOf } from '../invoices/lines.ts'
import type { Terms } from '../invoices/terms.ts'
import type { Type } from './events.ts'

/** The `data` of a test event of a note that credits a whole invoice with these terms. */
export function noteSample(type: Type, id: string, invoice: Terms, now: Date): string {
  const { form, currency, scale, tax, subtotalUnits, totalUnits } = invoice
  const { chain, payTo, usdcAddress, dueUsdcBase: usdcBase } = invoice
  const terms = {
    ...{ form, currency, scale, subtotalUnits, totalUnits, chain, payTo, usdcAddress, usdcBase },
    reason: 'A test event: this credit note does not exist',
    // Numbers begin with 1: no invoice has this one.
    invoice: { year: now.getUTCFullYear(), number: 0 },
    countryCode: tax.countryCode,
    breakdown: breakdownOf(invoice),
    taxUnits: tax.taxUnits,
  }
  const payer = '0x00000000000000000000000000000000000000bb'
  const refunds = [{ payer, usdcBase }]
  const place = { txHash: `0x${'5b'.repeat(32)}`, position: 0 }
  const proof = { ...place, blockNumber: 1, blockTime: now.toISOString(), from: payTo }
  const life: readonly Command[] = [
    { kind: 'issue', id, accountId: id, invoiceId: id, terms, refunds },
    { kind: 'prove', payer, proof, receiptId: `drs_${id}` },
    { kind: 'take_back', ...place },
  ]
  let note: CreditNote | undefined
  for (const command of life) {
    for (const event of decide(note, command)) {
      note = evolve(note, [event], now) as CreditNote
      const data = event.type === type ? eventData(event, note) : null
      if (data !== null) return data
    }
  }
  throw new Error(`no sample of ${type}`)
}
