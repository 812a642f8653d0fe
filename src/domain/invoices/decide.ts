import { DomainError } from '../error.ts'
import { confirmedPayments, confirmedUsdcBase, dueUsdcBase, receivedUsdcBase } from './balance.ts'
import { type TakingBack, takeBack } from './crediting.ts'
import type { Created, Event } from './evolve.ts'
import { acceptsPayment, type Invoice, isOpen } from './invoice.ts'
import type { Payment } from './progress.ts'
import { type Ids, type Settling, settle } from './settle.ts'
import type { Terms } from './terms.ts'

/** What an owner asks for, and what is observed of transfers, time and anchors. */
export type Command =
  | ({ readonly kind: 'create' } & Created)
  | { readonly kind: 'send' }
  | { readonly kind: 'void' }
  /** The payment of a purchase chooses its option, and says what the ask left open. */
  | { readonly kind: 'amend'; readonly terms: Terms }
  | { readonly kind: 'expire' }
  | { readonly kind: 'credit'; readonly payment: Payment }
  | (Settling & {
      readonly kind: 'confirm'
      readonly key: string
      /** A reorganisation may have moved the transfer since it was credited. */
      readonly blockNumber: number
      /** Absent: as it was credited. */
      readonly blockTime?: string
      /** The sender by the chain, the only authority on a purchase through the proxy. */
      readonly from: string
    })
  | { readonly kind: 'revert'; readonly key: string }
  /** Settles again if confirmed payments still cover the amount; `head` is the newest block. */
  | (Ids & { readonly kind: 'settle_anew'; readonly head: number })
  | { readonly kind: 'receipt_anchored'; readonly receiptId: string }
  | TakingBack

/** The events to commit, `[]` if nothing changes. Errors: `not_found`; `invalid_state`. */
export function decide(
  invoice: Invoice | undefined,
  command: Command,
  now: Date,
): readonly Event[] {
  if (command.kind === 'create') {
    if (invoice) throw new DomainError('invalid_state', 'The invoice exists already')
    const { kind: _, ...created } = command
    return [{ type: 'invoice.created', ...created }]
  }
  if (!invoice) throw new DomainError('not_found', 'No such invoice')
  switch (command.kind) {
    case 'send':
      return send(invoice)
    case 'amend':
      return amend(invoice, command.terms)
    case 'void':
      return cancel(invoice)
    case 'expire':
      return expire(invoice, now)
    case 'credit':
      return credit(invoice, command.payment)
    case 'confirm':
      return confirm(invoice, command, now)
    case 'revert':
      return revert(invoice, command.key)
    case 'settle_anew':
      return settleAnew(invoice, command, now)
    case 'receipt_anchored':
      return complete(invoice, command.receiptId)
    case 'take_back':
      return takeBack(invoice, command, now)
  }
}

function send(invoice: Invoice): readonly Event[] {
  if (invoice.state === 'draft') return [{ type: 'invoice.sent' }]
  if (invoice.state === 'sent') return []
  throw wrongState(invoice, 'sent')
}

function amend(invoice: Invoice, terms: Terms): readonly Event[] {
  const { terms: was, progress } = invoice
  if (!was.isPurchase || !isOpen(invoice) || progress.payments.length > 0)
    throw wrongState(invoice, 'amended')
  return [{ type: 'invoice.amended', was, terms }]
}

function cancel(invoice: Invoice): readonly Event[] {
  if (invoice.progress.failure === 'voided') return []
  if (acceptsPayment(invoice) && invoice.progress.payments.length === 0) {
    return [{ type: 'invoice.failed', reason: 'voided' }]
  }
  if (acceptsPayment(invoice))
    throw new DomainError('invalid_state', 'Money has come for this invoice: it cannot be voided')
  throw wrongState(invoice, 'voided')
}

function expire(invoice: Invoice, now: Date): readonly Event[] {
  const { dueAt, isPurchase } = invoice.terms
  const isDue = dueAt !== null && Date.parse(dueAt) <= now.getTime()
  // Nobody sets a due date for a purchase: the sweep says when it is over.
  if (!isOpen(invoice) || !(isDue || isPurchase)) return []
  return [{ type: 'invoice.failed', reason: 'expired' }]
}

function credit(invoice: Invoice, payment: Payment): readonly Event[] {
  if (invoice.progress.payments.some((known) => known.key === payment.key)) return []
  if (!acceptsPayment(invoice)) throw wrongState(invoice, 'paid')
  const credited: Event = { type: 'payment.credited', payment }
  const received = receivedUsdcBase(invoice) + payment.usdcBase
  return received < dueUsdcBase(invoice) ? [credited] : [credited, { type: 'invoice.paid' }]
}

function confirm(
  invoice: Invoice,
  command: Extract<Command, { kind: 'confirm' }>,
  now: Date,
): readonly Event[] {
  const payment = invoice.progress.payments.find((known) => known.key === command.key)
  if (!payment || payment.confirmed) return []
  const { key, blockNumber, from, blockTime } = command
  const at = blockTime === undefined ? { blockNumber } : { blockNumber, blockTime }
  const confirmed: Event = { type: 'payment.confirmed', key, ...at, from }
  const sum = confirmedUsdcBase(invoice) + payment.usdcBase
  if (invoice.state !== 'paid' || sum < dueUsdcBase(invoice)) return [confirmed]
  return [confirmed, ...settle({ ...payment, blockNumber, from }, command, now)]
}

function settleAnew(
  invoice: Invoice,
  command: Extract<Command, { kind: 'settle_anew' }>,
  now: Date,
): readonly Event[] {
  const payment = confirmedPayments(invoice).at(-1)
  const isEnough = confirmedUsdcBase(invoice) >= dueUsdcBase(invoice)
  if (invoice.state !== 'paid' || !payment || !isEnough) return []
  const confirmations = command.head - payment.blockNumber + 1
  return settle(payment, { ...command, confirmations }, now)
}

function revert(invoice: Invoice, key: string): readonly Event[] {
  const payment = invoice.progress.payments.find((known) => known.key === key)
  if (!payment) return []
  const reverted: Event = { type: 'payment.reverted', key }
  const { settlement } = invoice.progress
  // A settlement rests on confirmed payments only: an unconfirmed one does not undo it.
  if (!settlement || !payment.confirmed) return [reverted]
  return [reverted, { type: 'settlement.failed', settlement, reason: 'reorged' }]
}

function complete(invoice: Invoice, receiptId: string): readonly Event[] {
  if (invoice.state !== 'settled' || invoice.progress.settlement?.receiptId !== receiptId) return []
  return [{ type: 'invoice.completed', receiptId }]
}

function wrongState(invoice: Invoice, wanted: string): DomainError {
  return new DomainError('invalid_state', `An invoice that is ${invoice.state} cannot be ${wanted}`)
}
