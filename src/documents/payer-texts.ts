import type { Payable } from '../domain/payable.ts'
import { type Fact, some } from './facts.ts'
import { amount, exchangeRate, moment, referenceHint } from './texts.ts'

/** What the payment page says of an invoice, in the same words with its script and without it. */

/** Where the invoice stands, for whoever pays it. */
export function standingOf({ statusDetail, takesPayment, isHeld }: Payable): string {
  if (isHeld) return 'A payment is held'
  const isOpen = statusDetail === 'draft' || statusDetail === 'sent'
  if (isOpen && !takesPayment) return 'Paid through the x402 proxy, not here'
  return standings[statusDetail]
}

const standings: Readonly<Record<Payable['statusDetail'], string>> = {
  draft: 'Waiting for payment',
  sent: 'Waiting for payment',
  partly_paid: 'Partly paid',
  paid: 'Payment seen, being confirmed',
  settled: 'Paid',
  completed: 'Paid',
  expired: 'The due date has passed',
  void: 'Void: no longer payable',
}

/** What to mind so that a payment at a shared address is recognised; null where nothing is. */
export function hintOf(payable: Payable): string | null {
  const { takesPayment, hasOwnAddress, isHeld, needsReference, chain } = payable
  if (!takesPayment || hasOwnAddress) return null
  if (isHeld) return needsReference ? `${held} ${onlyByReference}` : held
  if (needsReference) return referenceHint(chain)
  return 'Send exactly this amount: that is how the payment is recognised.'
}

const held =
  'A payment of exactly this amount has arrived, but it fitted another invoice as well. If it is yours, do not pay again: ask the seller to ' +
  'have it assigned, or claim it with a signature of the wallet that sent it (“Claim a transfer” at /docs).'

const onlyByReference = 'Another payment of this amount would be recognised only by the reference.'

/** What else the invoice says than the amount of USDC. */
export function termsOf(payable: Payable): readonly Fact[] {
  const { currency, total, amountDue, tax, fx, dueAt, description } = payable
  const isSame = currency === 'USDC' && total === amountDue
  return some([
    ['Total', isSame ? null : amount(total, currency)],
    ['Includes VAT', tax && amount(tax, currency)],
    ['Exchange rate', fx && exchangeRate(fx, currency)],
    ['Due date', dueAt && moment(dueAt)],
    ['For', description],
  ])
}

/**
 * Whether nothing more is awaited: the invoice is anchored, or no longer payable. A settled invoice
 * still awaits its anchor, and an expired one may still be paid.
 */
export function isFinal({ status, takesPayment }: Payable): boolean {
  return status === 'completed' || (status === 'failed' && !takesPayment)
}
