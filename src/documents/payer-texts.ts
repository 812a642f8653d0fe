import type { Payable } from '../domain/invoices/payable.ts'
import { registry } from '../domain/registry.ts'
import { statusKeys } from './status-words.ts'
import { code, knownTerms, type Line, type Term } from './texts.ts'
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
export function receiptLinkOf({ id, receiptId }: Payable, { say }: Words): PageLink | null {
  return receiptId === null ? null : { label: say('receipt'), href: `/pay/${id}/receipt` }
}

export function pdfLinkOf({ id }: Payable, { say }: Words): PageLink {
  return { label: say('invoiceAsPdf'), href: `/pay/${id}/invoice.pdf` }
}

type PageLink = { readonly label: string; readonly href: string }

/** Who sells, and where to ask. */
function sellerOf(payable: Payable, { say }: Words): readonly Line[] {
  const { sellerName, sellerAddress, sellerVat, sellerEmail, sellerWebsite } = payable
  const vat = sellerVat && say('vatId', { id: sellerVat })
  const { isPurchase, paymentAddress } = payable
  const wallet = isPurchase && paymentAddress
  const text = [sellerName, wallet, sellerAddress, vat].filter(Boolean).join('\n')
  return [
    ...(text ? [{ text }] : []),
    ...(sellerEmail ? [{ text: sellerEmail, href: mailTo(sellerEmail) }] : []),
    ...(sellerWebsite ? [{ text: sellerWebsite, href: sellerWebsite }] : []),
  ]
}

/** A mark such as `?` in the address must not add to the message. */
function mailTo(email: string): string {
  return `mailto:${encodeURIComponent(email).replace('%40', '@')}`
}

/** What else sent to the address is lost; null where nothing is to be sent. */
export function tokenWarningOf({ takesPayment, chain }: Payable, { say }: Words): string | null {
  return takesPayment ? say('usdcOnly', { chain: registry[chain].label }) : null
}

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

/** The terms of the invoice besides the amount in USDC that the page's heading shows. */
export function termsOf(
  payable: Payable,
  words: Words,
  shown = payable.amountAsked ?? payable.amountDue,
): readonly Term[] {
  const { say, amount } = words
  const { currency, total, tax, fx, isPurchase, dueAt, description } = payable
  const { createdAt, takesPayment, usdcAddress, credited } = payable
  const isSame = currency === 'USDC' && total === shown
  return knownTerms([
    [say('seller'), sellerOf(payable, words)],
    [say('purpose'), description],
    [say('total'), isSame ? null : amount(total, currency)],
    [say('includesVat'), tax && amount(tax, currency)],
    [say('credited'), credited && amount(credited, currency)],
    [say('note'), tax && isPurchase ? say('recordedOnly') : null],
    [say('exchangeRate'), fx && words.exchangeRate(fx, currency)],
    [say('rateFixed'), fx && words.moment(createdAt)],
    [say('dueDate'), dueAt && words.moment(dueAt)],
    [say('tokenContract'), takesPayment ? code(usdcAddress) : null],
  ])
}

/** Whether the page will not change any more. */
export function isFinal({ status, takesPayment }: Payable): boolean {
  return status === 'completed' || (status === 'failed' && !takesPayment)
}
