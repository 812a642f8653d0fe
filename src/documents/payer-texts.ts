import type { Payable } from '../domain/invoices/payable.ts'
import {
  amount,
  exchangeRate,
  type Fact,
  knownFacts,
  moment,
  recordedOnly,
  referenceHint,
} from './texts.ts'

/** The sentences of the payment page, with its script and without. */

export function statusTextOf({ statusDetail, isPurchase, isHeld }: Payable): string {
  if (isHeld) return 'A payment is held'
  const isOpen = statusDetail === 'draft' || statusDetail === 'sent'
  if (isOpen && isPurchase) return 'Paid through the x402 proxy, not here'
  return statusTexts[statusDetail]
}

const statusTexts: Readonly<Record<Payable['statusDetail'], string>> = {
  draft: 'Waiting for payment',
  sent: 'Waiting for payment',
  partly_paid: 'Partly paid',
  paid: 'Payment seen, being confirmed',
  settled: 'Paid',
  completed: 'Paid',
  expired: 'The due date has passed',
  void: 'Void: no longer payable',
}

export function remarksOf(payable: Payable): readonly string[] {
  const { isExpired, takesPayment, isHeld, isLate, amountReceived, overpaidAmount } = payable
  const received = amount(amountReceived, 'USDC')
  return [
    ...(isExpired && takesPayment && !isHeld
      ? ['It can still be paid, and will be marked as late.']
      : []),
    ...(overpaidAmount
      ? [
          `${received} received, ${amount(overpaidAmount, 'USDC')} more than due. Ask the seller to return it.`,
        ]
      : []),
    ...(isLate ? ['Paid after the due date'] : []),
  ]
}

/** Null unless the invoice is settled. */
export function receiptLinkOf({ receiptId }: Payable): ReceiptLink | null {
  if (receiptId === null) return null
  return {
    label: 'Proof of payment (JSON)',
    href: `/v1/public/receipts/${receiptId}/bundle`,
    hint: 'It states what was paid. Once it is anchored, “quittance verify-receipt” checks it against the chain.',
  }
}

type ReceiptLink = { readonly label: string; readonly href: string; readonly hint: string }

/** How a payment at a shared address is recognised; null if the payer need not know. */
export function hintOf(payable: Payable): string | null {
  const { takesPayment, hasOwnAddress, isHeld, needsReference, chain } = payable
  if (!takesPayment || hasOwnAddress) return null
  if (isHeld) return needsReference ? `${held} ${onlyByReference}` : held
  if (needsReference) return referenceHint(chain)
  return 'Send exactly this amount: that is how the payment is recognised.'
}

const held =
  'A payment of exactly this amount has arrived, but it may be for another invoice. If you sent it, do not pay again: ask the seller to ' +
  'assign it, or claim it with a signature of the wallet that sent it (“Claim a transfer” at /docs).'

const onlyByReference = 'A further payment of this amount is recognised only by the reference.'

/** The terms of the invoice besides the amount in USDC. */
export function termsOf(payable: Payable): readonly Fact[] {
  const { currency, total, amountDue, tax, fx, isPurchase, dueAt, description } = payable
  const isSame = currency === 'USDC' && total === amountDue
  return knownFacts([
    ['Total', isSame ? null : amount(total, currency)],
    ['Includes VAT', tax && amount(tax, currency)],
    ['Note', tax && isPurchase ? recordedOnly : null],
    ['Exchange rate', fx && exchangeRate(fx, currency)],
    ['Due date', dueAt && moment(dueAt)],
    ['For', description],
  ])
}

/** Whether the page will not change any more. */
export function isFinal({ status, takesPayment }: Payable): boolean {
  return status === 'completed' || (status === 'failed' && !takesPayment)
}
