import { amountText, numberOf as invoiceNumberOf } from '../invoices/figures.ts'
import { breakdownText } from '../invoices/lines-view.ts'
import { transferLink } from '../invoices/payment-link.ts'
import type { Form } from '../invoices/terms.ts'
import { toAmount, usdcScale } from '../money/money.ts'
import { payerOf } from '../network.ts'
import { type CreditNote, numberOf, type Refund, type Terms } from './credit-note.ts'
import { type Event, openRefund } from './evolve.ts'

/** Whether its refund is asked for, made, or waits because the payment was taken back. */
export const refundStatuses = ['open', 'refunded', 'withheld'] as const

/** JSON text. `isPaid`: the payments that it refunds are in force. */
export function toJson(note: CreditNote, form: Form, isPaid = true): string {
  const { terms, createdAt, updatedAt } = note
  const amount = (units: bigint) => amountText(units, terms, form)
  return (
    `{${headOf(note, form)},"kind":"${terms.isPurchase ? 'purchase' : 'sale'}","reason":${text(terms.reason)},` +
    `"currency":"${terms.currency}","subtotal":${amount(terms.subtotalUnits)},"taxAmount":${amount(terms.taxUnits)},` +
    `"total":${amount(terms.totalUnits)},"amountUsdc":"${usdc(terms.usdcBase)}"${linesText(terms, amount)},` +
    `"taxBreakdown":${breakdownText(terms.breakdown, amount)},"refunds":${refundsText(note, isPaid)},` +
    `"createdAt":"${createdAt}","updatedAt":"${updatedAt}"}`
  )
}

/** The note as `credit_note.issued` reports it. */
export function asIssued(note: CreditNote): CreditNote {
  const refunds = note.progress.refunds.map(openRefund)
  const { createdAt: updatedAt } = note
  return { ...note, version: 1, state: 'issued', updatedAt, progress: { wallets: [], refunds } }
}

/** JSON text, or null: not a public event. `note` is as of right after the event. */
export function eventData(event: Event, note: CreditNote): string | null {
  const { form } = note.terms
  switch (event.type) {
    case 'credit_note.issued':
      return toJson(note, form)
    case 'refund.confirmed':
      return `{${headOf(note, form)},"refund":${refundOf(note, event.payer)},"receiptId":"${event.receiptId}"}`
    case 'refund.failed':
      return `{${headOf(note, form)},"refund":${refundOf(note, event.payer)},"receiptId":"${event.receiptId}","txHash":"${event.txHash}","failureReason":"${event.reason}"}`
    case 'refund.redirected':
    case 'refund.wallet_added':
      return null
  }
}

function headOf(note: CreditNote, form: Form): string {
  const { id, state, invoiceId, terms } = note
  const number = invoiceNumberOf({ ...terms.invoice, terms }, form)
  return (
    `"id":"${id}","creditNoteNumber":${text(numberOf(note))},"status":"${state}",` +
    `"invoiceId":"${invoiceId}","invoiceNumber":${form === 'v1' ? number : `"${number}"`}`
  )
}

type Write = (units: bigint) => string

function linesText({ lines }: Terms, amount: Write): string {
  if (!lines) return ''
  const texts = lines.map(
    ({ line, quantity, netUnits }) =>
      `{"line":${line},"quantity":"${quantity}","net":${amount(netUnits)}}`,
  )
  return `,"lines":[${texts.join(',')}]`
}

function refundsText(note: CreditNote, isPaid: boolean): string {
  return `[${note.progress.refunds.map((refund) => refundText(refund, note, isPaid)).join(',')}]`
}

function refundOf(note: CreditNote, payer: string): string {
  const refund = note.progress.refunds.find((one) => one.payer === payer)
  return refund ? refundText(refund, note, true) : 'null'
}

function refundText(refund: Refund, { terms }: CreditNote, isPaid: boolean): string {
  const { payer, refundTo, usdcBase, sequence, proof, receiptId } = refund
  const status = proof ? 'refunded' : isPaid ? 'open' : 'withheld'
  const link = refundTo === null ? null : transferLink(terms, { to: refundTo, usdcBase })
  return (
    `{"payer":${text(payerOf(payer))},"to":${text(refundTo)},"chain":"${terms.chain}","amount":"${usdc(usdcBase)}","status":"${status}","sequence":${sequence},` +
    `"paymentUri":${text(status === 'open' ? link : null)}` +
    `${proof ? `,"txHash":"${proof.txHash}","receiptId":${text(receiptId)}` : ''}}`
  )
}

function usdc(usdcBase: bigint): string {
  return toAmount(usdcBase, usdcScale)
}

function text(value: string | null): string {
  return value === null ? 'null' : JSON.stringify(value)
}
