import type { Payable } from '../domain/invoices/payable.ts'
import { type Fact, some } from './pdf/facts.ts'
import { amount, exchangeRate, moment, recordedOnly, referenceHint } from './texts.ts'

/** What the payment page says of an invoice, in the same words with its script and without it. */

/** Where the invoice stands, for whoever pays it. */
export function standingOf({ statusDetail, isPurchase, isHeld }: Payable): string {
  if (isHeld) return 'A payment is held'
  const isOpen = statusDetail === 'draft' || statusDetail === 'sent'
  if (isOpen && isPurchase) return 'Paid through the x402 proxy, not here'
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

/** What more there is to say of where it stands: sentences. */
export function remarksOf(payable: Payable): readonly string[] {
  const { isExpired, takesPayment, isHeld, isLate, amountReceived, overpaidAmount } = payable
  const received = amount(amountReceived, 'USDC')
  return [
    ...(isExpired && takesPayment && !isHeld ? [stillTaken] : []),
    ...(overpaidAmount
      ? [`${received} received, ${amount(overpaidAmount, 'USDC')} more than due. ${askBack}`]
      : []),
    ...(isLate ? ['Paid after the due date'] : []),
  ]
}

const stillTaken = 'It can still be paid, and will be marked as late.'
const askBack = 'Ask the seller to return it.'

/** The file that proves the payment, and what it is good for; null where nothing is settled. */
export function proofOf({ receiptId }: Payable): Proof | null {
  if (receiptId === null) return null
  return {
    label: 'Proof of payment (JSON)',
    href: `/v1/public/receipts/${receiptId}/bundle`,
    hint: 'It states what was paid. Once it is anchored, “quittance verify-receipt” checks it against the chain.',
  }
}

type Proof = { readonly label: string; readonly href: string; readonly hint: string }

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
  const { currency, total, amountDue, tax, fx, isPurchase, dueAt, description } = payable
  const isSame = currency === 'USDC' && total === amountDue
  return some([
    ['Total', isSame ? null : amount(total, currency)],
    ['Includes VAT', tax && amount(tax, currency)],
    ['Note', tax && isPurchase ? recordedOnly : null],
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
