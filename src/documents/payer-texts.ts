import type { Payable } from '../domain/invoices/payable.ts'
import { registry } from '../domain/registry.ts'
import { statusKeys } from './status-words.ts'
import { type Fact, knownFacts } from './texts.ts'
import type { Words } from './words/words.ts'

/** The sentences of the payment page, with its script and without. */

export function statusTextOf(
  { statusDetail, isPurchase, isHeld }: Payable,
  { say }: Words,
): string {
  if (isHeld) return say('isHeld')
  const key = statusKeys[statusDetail]
  return say(key === 'open' && isPurchase ? 'paidElsewhere' : key)
}

export function remarksOf(payable: Payable, { say, amount }: Words): readonly string[] {
  const { isExpired, takesPayment, accepting, isHeld, isLate, amountReceived, overpaidAmount } =
    payable
  const received = amount(amountReceived, 'USDC')
  return [
    ...(isExpired && takesPayment && accepting && !isHeld ? [say('stillPayable')] : []),
    ...(overpaidAmount
      ? [say('overpaidBy', { received, excess: amount(overpaidAmount, 'USDC') })]
      : []),
    ...(isLate ? [say('paidLate')] : []),
  ]
}

/** Null unless the invoice is settled. */
export function receiptLinkOf({ receiptId }: Payable, { say }: Words): ReceiptLink | null {
  if (receiptId === null) return null
  return {
    label: say('proof'),
    href: `/v1/public/receipts/${receiptId}/bundle`,
    hint: say('proofHint'),
  }
}

type ReceiptLink = { readonly label: string; readonly href: string; readonly hint: string }

/** How a payment is recognised, or why none is asked for; null: the payer need not know. */
export function hintOf(payable: Payable, { say }: Words): string | null {
  const { takesPayment, accepting, hasOwnAddress, isHeld, needsReference, chain } = payable
  if (!takesPayment) return null
  if (!accepting) return say('notAccepting', { chain: registry[chain].label })
  if (hasOwnAddress) return null
  if (isHeld)
    return needsReference ? `${say('heldAmount')} ${say('onlyByReference')}` : say('heldAmount')
  if (needsReference) return say(chain === 'solana' ? 'restByReferenceOnSolana' : 'restByReference')
  return say('exactAmount')
}

/** The terms of the invoice besides the amount in USDC. */
export function termsOf(payable: Payable, words: Words): readonly Fact[] {
  const { say, amount } = words
  const { currency, total, amountDue, tax, fx, isPurchase, dueAt, description } = payable
  const isSame = currency === 'USDC' && total === amountDue
  return knownFacts([
    [say('total'), isSame ? null : amount(total, currency)],
    [say('includesVat'), tax && amount(tax, currency)],
    [say('note'), tax && isPurchase ? say('recordedOnly') : null],
    [say('exchangeRate'), fx && words.exchangeRate(fx, currency)],
    [say('dueDate'), dueAt && words.moment(dueAt)],
    [say('purpose'), description],
  ])
}

/** Whether the page will not change any more. */
export function isFinal({ status, takesPayment }: Payable): boolean {
  return status === 'completed' || (status === 'failed' && !takesPayment)
}
