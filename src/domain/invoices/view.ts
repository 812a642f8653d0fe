import { isStale, type Rate, toAmount, usdcScale } from '../money/money.ts'
import { payerOf, settlementSource } from '../network.ts'
import type { HeldPayment } from '../settlement/transfer-list.ts'
import {
  creditedUnits,
  dueUsdcBase,
  isLate,
  overpaidUsdcBase,
  receivedUsdcBase,
} from './balance.ts'
import type { Event } from './evolve.ts'
import { amountsOf, amountText, numberOf, statusDetailOf, statusOf } from './figures.ts'
import { acceptsTransfer, asCreated, type Invoice } from './invoice.ts'
import { linesText } from './lines-view.ts'
import { paymentLink } from './payment-link.ts'
import type { Settlement } from './progress.ts'
import { counterpartyOf, type Form, kindOf, type Terms } from './terms.ts'

/**
 * JSON text for the wire, concatenated by hand because that is cheap. `accepting`: whether the
 * chain is being read; `held`: what is held that fits. Only answers say so, as both may change at
 * any time.
 */
export function toJson(
  invoice: Invoice,
  form: Form,
  accepting?: boolean,
  held: readonly HeldPayment[] = [],
): string {
  return invoiceText(invoice, form, linesText(invoice.terms, form), { accepting, held })
}

/** An entry of a list in `/v1`: without lines, as a hundred invoices may have many. */
export function toListed(invoice: Invoice, accepting: boolean): string {
  return invoiceText(invoice, 'v1', '', { accepting, held: [] })
}

type Now = { readonly accepting: boolean | undefined; readonly held: readonly HeldPayment[] }

function invoiceText(invoice: Invoice, form: Form, lines: string, now: Now): string {
  const { terms } = invoice
  return (
    `{${headOf(invoice, form)}${detailOf(invoice, form)},${amountsText(terms, form)}${creditedText(invoice, form)},"currency":"${terms.currency}","taxRate":${percentOf(terms.tax)},` +
    `"taxCountry":${text(terms.tax.countryCode)},"description":${text(terms.description)},${lines}` +
    `"buyer":${buyerOf(invoice)},"seller":${sellerOf(invoice)},"paymentDetails":${paymentDetails(invoice, now)},` +
    `${memberText('buyerReference', terms.buyerReference)}"agentId":${text(terms.agentId)},"mandateId":${text(terms.mandateId)},"payer":${text(terms.payer)},` +
    `"dueAt":${text(terms.dueAt)},"metadata":${terms.metadata ?? 'null'},` +
    `"receiptId":${text(invoice.progress.settlement?.receiptId ?? null)},` +
    `"createdAt":"${invoice.createdAt}","updatedAt":"${invoice.updatedAt}"}`
  )
}

/** An entry of a list in the `/api` families. */
export function toSummary(invoice: Invoice): string {
  const { amount, total } = amountsOf(invoice.terms, 'api')
  return (
    `{${headOf(invoice, 'api')}${detailOf(invoice, 'api')},"amount":${amount},"currency":"${invoice.terms.currency}","total":${total}${creditedText(invoice, 'api')},` +
    `"buyer":{${buyerHeadOf(invoice)}},"counterparty":${JSON.stringify(counterpartyOf(invoice.terms))},"createdAt":"${invoice.createdAt}"}`
  )
}

/** JSON text, or null: not a public event. `invoice` is as of right after the event. */
export function eventData(event: Event, invoice: Invoice): string | null {
  const { form } = invoice.terms
  const about = headOf(invoice, form)
  switch (event.type) {
    case 'invoice.created':
      return createdData(invoice)
    case 'invoice.sent':
      return `{${about},"sentAt":"${invoice.progress.sentAt}"}`
    case 'invoice.paid':
      return `{${about},"paymentDetails":${paymentDetails(invoice)}}`
    case 'invoice.settled':
      return `{${about},"txHash":"${event.settlement.txHash}","paymentDetails":${paymentDetails(invoice)}}`
    case 'invoice.completed':
      return `{${about},"completedAt":"${invoice.progress.completedAt}","receiptId":"${event.receiptId}"}`
    case 'invoice.failed':
      return `{${about},"failureReason":"${event.reason}"}`
    case 'settlement.confirmed':
      return `{${settlementText(event.settlement, invoice)},"confirmations":${event.settlement.confirmations}}`
    case 'settlement.failed':
      return `{${settlementText(event.settlement, invoice)},"failureReason":"${event.reason}"}`
    // The credit note has an event of its own.
    case 'invoice.credited':
    case 'invoice.amended':
    case 'payment.credited':
    case 'payment.confirmed':
    case 'payment.reverted':
      return null
  }
}

/** The whole invoice as created. */
export function createdData(invoice: Invoice): string {
  return toJson(asCreated(invoice), invoice.terms.form)
}

function settlementText(settlement: Settlement, invoice: Invoice): string {
  return (
    `"settlementId":"${settlement.id}","invoiceId":"${invoice.id}",` +
    `"invoiceNumber":${numberText(invoice, invoice.terms.form)},"txHash":"${settlement.txHash}"`
  )
}

function headOf(invoice: Invoice, form: Form): string {
  return `"id":"${invoice.id}","invoiceNumber":${numberText(invoice, form)},"status":"${statusOf(invoice.state, form)}","kind":"${kindOf(invoice.terms)}"`
}

/** Only in the `/api` families: those of `/v1` are neither drafts nor sent. */
function detailOf(invoice: Invoice, form: Form): string {
  return form === 'api' ? `,"statusDetail":"${statusDetailOf(invoice)}"` : ''
}

function numberText(invoice: Invoice, form: Form): string {
  return form === 'v1' ? numberOf(invoice, form) : `"${numberOf(invoice, form)}"`
}

function amountsText(terms: Terms, form: Form): string {
  const { amount, subtotal, taxAmount, total } = amountsOf(terms, form)
  // The specification names the tax of an `/api` invoice twice.
  const tax = form === 'api' ? `"tax":${taxAmount},` : ''
  return `"amount":${amount},"subtotal":${subtotal},"taxAmount":${taxAmount},${tax}"total":${total}`
}

function creditedText(invoice: Invoice, form: Form): string {
  const { progress, terms } = invoice
  return progress.credits
    ? `,"amountCredited":${amountText(creditedUnits(invoice), terms, form)}`
    : ''
}

function buyerOf(invoice: Invoice): string {
  const { address, vat, country } = invoice.terms.buyer
  return `{${buyerHeadOf(invoice)},"address":${text(address)},${memberText('country', country)}"vat":${text(vat)}}`
}

function buyerHeadOf({ terms }: Invoice): string {
  const { name, email } = terms.buyer
  return `"companyName":${text(name)},"email":${text(email)}`
}

function sellerOf({ terms }: Invoice): string {
  const { name, wallet, address, vat, country } = terms.seller
  return `{"name":${text(name)},"wallet":${text(wallet)},"address":${text(address)},${memberText('country', country)}"vat":${text(vat)}}`
}

function paymentDetails(invoice: Invoice, { accepting, held }: Partial<Now> = {}): string {
  const { terms } = invoice
  const isShown = accepting !== undefined && acceptsTransfer(invoice)
  const dueBase = dueUsdcBase(invoice)
  const fx = terms.fx ? fxText(terms.fx, invoice.createdAt) : 'null'
  return (
    `{"chain":"${terms.chain}","paymentAddress":"${terms.payTo}","usdcAddress":"${terms.usdcAddress}",` +
    `"amountDue":"${toAmount(dueBase, usdcScale)}",` +
    `"amountReceived":"${toAmount(receivedUsdcBase(invoice), usdcScale)}",` +
    `"reference":"${terms.reference}","paymentUri":${text(paymentLink(terms, dueBase))},"fx":${fx}` +
    `${isShown ? `,"accepting":${accepting}` : ''}${held?.length ? `,"held":${JSON.stringify(held)}` : ''}${settledDetails(invoice)}}`
  )
}

/** A rate is stale, or not, as of the invoice's creation, which locks it. */
function fxText({ rate, source, asOf }: Rate, createdAt: string): string {
  return `{"rate":${text(rate)},"source":${text(source)},"asOf":${text(asOf)},"stale":${isStale(asOf, createdAt)}}`
}

function settledDetails(invoice: Invoice): string {
  const { settlement } = invoice.progress
  if (!settlement) return ''
  const overpaidBase = overpaidUsdcBase(invoice)
  return (
    `,"txHash":"${settlement.txHash}","settlementBlockNumber":${settlement.blockNumber},` +
    `"settlementSource":"${settlementSource(invoice.terms.chain)}","from":${text(payerOf(settlement.from))},` +
    `"confirmations":${settlement.confirmations},"settledAt":"${settlement.settledAt}",` +
    `"matchedBy":"${settlement.matchedBy}"` +
    (overpaidBase > 0n ? `,"overpaidAmount":"${toAmount(overpaidBase, usdcScale)}"` : '') +
    (isLate(invoice) ? ',"late":true' : '')
  )
}

/** With a comma behind it; nothing where it is absent. */
function memberText(name: string, value: string | undefined): string {
  return value === undefined ? '' : `"${name}":${text(value)},`
}

function percentOf({ rateBasisPoints }: Terms['tax']): string {
  return rateBasisPoints === null ? 'null' : `${rateBasisPoints / 100}`
}

function text(value: string | null): string {
  return value === null ? 'null' : JSON.stringify(value)
}
