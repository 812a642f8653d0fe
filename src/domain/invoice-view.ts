import {
  asCreated,
  type Event,
  type Form,
  type Invoice,
  isLate,
  receivedUsdcBase,
  type Settlement,
  type State,
  type Terms,
} from './invoice.ts'
import { divideHalfUp, minorScale, toAmount, toDecimal, usdcScale } from './money.ts'
import { settlementSource } from './network.ts'

/**
 * How an invoice reads on the wire: JSON text, written once and cheaply. Before the commit that assigns its number (`invoice.number`
 * 0) the second member reads `"invoiceNumber":null`.
 */
export function toJson(invoice: Invoice, form: Form): string {
  const { terms } = invoice
  return (
    `{"id":"${invoice.id}","invoiceNumber":${numberOf(invoice, form)},"status":"${statusOf(invoice.state, form)}",` +
    `${amountsOf(terms, form)},"currency":"${terms.currency}","taxRate":${terms.tax.rateBasisPoints / 100},` +
    `"taxCountry":${text(terms.tax.countryCode)},"description":${text(terms.description)},` +
    `"buyer":${buyerOf(invoice)},"seller":${sellerOf(invoice)},"paymentDetails":${paymentDetails(invoice)},` +
    `"agentId":${text(terms.agentId)},"mandateId":${text(terms.mandateId)},"payer":${text(terms.payer)},` +
    `"dueAt":${text(terms.dueAt)},"metadata":${terms.metadata ?? 'null'},` +
    `"receiptId":${text(invoice.progress.settlement?.receiptId ?? null)},` +
    `"createdAt":"${invoice.createdAt}","updatedAt":"${invoice.updatedAt}"}`
  )
}

/** `INV-2026-0001` (a JSON string) in the `/api` families, the bare integer in `/v1`. */
export function numberOf(invoice: Invoice, form: Form): string {
  if (invoice.number === 0) return 'null'
  if (form === 'v1') return `${invoice.number}`
  return `"INV-${invoice.year}-${String(invoice.number).padStart(4, '0')}"`
}

/** Contract §4: two vocabularies for one state. */
function statusOf(state: State, form: Form): string {
  return form === 'api' ? state : v1Status[state]
}

const v1Status: Readonly<Record<State, string>> = {
  draft: 'PENDING',
  sent: 'PENDING',
  paid: 'PENDING',
  settled: 'SETTLED',
  completed: 'SETTLED',
  failed: 'FAILED',
}

/** What subscribers of `event` read in `data`; `invoice` is the invoice right after it. Null: not a public event. */
export function eventData(event: Event, invoice: Invoice): string | null {
  const { form } = invoice.terms
  const about = `"id":"${invoice.id}","invoiceNumber":${numberOf(invoice, form)},"status":"${statusOf(invoice.state, form)}"`
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
    case 'payment.credited':
    case 'payment.confirmed':
    case 'payment.reverted':
      return null
  }
}

/** What subscribers of `invoice.created` read: the whole invoice as it was then. */
export function createdData(invoice: Invoice): string {
  return toJson(asCreated(invoice), invoice.terms.form)
}

function settlementText(settlement: Settlement, invoice: Invoice): string {
  return (
    `"settlementId":"${settlement.id}","invoiceId":"${invoice.id}",` +
    `"invoiceNumber":${numberOf(invoice, invoice.terms.form)},"txHash":"${settlement.txHash}"`
  )
}

/** Decimals of the currency in `/v1`, integers of its smallest unit in the `/api` families. */
function amountsOf(terms: Terms, form: Form): string {
  const write = form === 'v1' ? toDecimal : toMinor(minorScale(terms.currency))
  const amount =
    terms.form === form ? terms.submittedAmount : write(terms.subtotalUnits, terms.scale)
  return (
    `"amount":${amount},"subtotal":${write(terms.subtotalUnits, terms.scale)},` +
    `"taxAmount":${write(terms.tax.taxUnits, terms.scale)},"total":${write(terms.totalUnits, terms.scale)}`
  )
}

function toMinor(minor: number): (units: bigint, scale: number) => string {
  return (units, scale) =>
    divideHalfUp(units * 10n ** BigInt(minor), 10n ** BigInt(scale)).toString()
}

function buyerOf({ terms }: Invoice): string {
  const { name, email, address, vat } = terms.buyer
  return `{"companyName":${text(name)},"email":${text(email)},"address":${text(address)},"vat":${text(vat)}}`
}

function sellerOf({ terms }: Invoice): string {
  const { name, wallet, address, vat } = terms.seller
  return `{"name":${text(name)},"wallet":${text(wallet)},"address":${text(address)},"vat":${text(vat)}}`
}

function paymentDetails(invoice: Invoice): string {
  const { terms } = invoice
  const fx = terms.fx
    ? `{"rate":${text(terms.fx.rate)},"source":${text(terms.fx.source)},"asOf":${text(terms.fx.asOf)}}`
    : 'null'
  return (
    `{"chain":"${terms.chain}","paymentAddress":"${terms.payTo}","usdcAddress":"${terms.usdcAddress}",` +
    `"amountDue":"${toAmount(terms.dueUsdcBase, usdcScale)}",` +
    `"amountReceived":"${toAmount(receivedUsdcBase(invoice), usdcScale)}",` +
    `"reference":"${terms.reference}","paymentUri":${text(terms.paymentUri)},"fx":${fx}${settledDetails(invoice)}}`
  )
}

function settledDetails(invoice: Invoice): string {
  const { settlement } = invoice.progress
  if (!settlement) return ''
  const excess = receivedUsdcBase(invoice) - invoice.terms.dueUsdcBase
  return (
    `,"txHash":"${settlement.txHash}","settlementBlockNumber":${settlement.blockNumber},` +
    `"settlementSource":"${settlementSource(invoice.terms.chain)}","from":"${settlement.from}",` +
    `"confirmations":${settlement.confirmations},"settledAt":"${settlement.settledAt}",` +
    `"matchedBy":"${settlement.matchedBy}"` +
    (excess > 0n ? `,"overpaidAmount":"${toAmount(excess, usdcScale)}"` : '') +
    (isLate(invoice) ? ',"late":true' : '')
  )
}

function text(value: string | null): string {
  return value === null ? 'null' : JSON.stringify(value)
}
