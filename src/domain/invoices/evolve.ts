import { dueUsdcBase, receivedUsdcBase } from './balance.ts'
import { type Invoice, isOpen } from './invoice.ts'
import {
  type Credit,
  type Failure,
  newProgress,
  type Payment,
  type Settlement,
  sumUsdcBase,
} from './progress.ts'
import type { Terms } from './terms.ts'

/** One row of the trail each. Those named like webhook events are sent to subscribers. */
export type Event =
  | ({ readonly type: 'invoice.created' } & Created)
  | { readonly type: 'invoice.sent' }
  | { readonly type: 'invoice.amended'; readonly was: Terms; readonly terms: Terms }
  | { readonly type: 'payment.credited'; readonly payment: Payment }
  | { readonly type: 'invoice.paid' }
  | {
      readonly type: 'payment.confirmed'
      readonly key: string
      readonly blockNumber: number
      readonly blockTime?: string
      readonly from: string
    }
  | { readonly type: 'invoice.settled'; readonly settlement: Settlement }
  | { readonly type: 'settlement.confirmed'; readonly settlement: Settlement }
  | { readonly type: 'payment.reverted'; readonly key: string }
  | {
      readonly type: 'settlement.failed'
      readonly settlement: Settlement
      readonly reason: 'reorged'
    }
  | { readonly type: 'invoice.completed'; readonly receiptId: string }
  | { readonly type: 'invoice.failed'; readonly reason: Failure }
  | { readonly type: 'invoice.credited'; readonly credit: Credit }

export type Created = Pick<Invoice, 'id' | 'accountId' | 'terms'>

/** The invoice after `events`, which `decide` returned for it. */
export function evolve(
  invoice: Invoice | undefined,
  events: readonly Event[],
  now: Date,
): Invoice | undefined {
  return events.reduce<Invoice | undefined>((before, event) => apply(before, event, now), invoice)
}

function apply(invoice: Invoice | undefined, event: Event, now: Date): Invoice {
  if (event.type === 'invoice.created') return created(event, now)
  if (!invoice) throw new Error(`${event.type} before invoice.created`)
  const changed = change(invoice, event, now)
  return { ...invoice, ...changed, version: invoice.version + 1, updatedAt: now.toISOString() }
}

function change(
  invoice: Invoice,
  event: Exclude<Event, { type: 'invoice.created' }>,
  now: Date,
): Partial<Invoice> {
  const { progress } = invoice
  switch (event.type) {
    case 'invoice.sent':
      return { state: 'sent', progress: { ...progress, resume: 'sent', sentAt: now.toISOString() } }
    case 'invoice.amended':
      return { terms: event.terms }
    case 'payment.credited':
      return { progress: { ...progress, payments: [...progress.payments, event.payment] } }
    case 'invoice.paid':
      return { state: 'paid' }
    case 'payment.confirmed': {
      const { type: _, ...seen } = event
      return {
        progress: {
          ...progress,
          payments: progress.payments.map((known) =>
            known.key === event.key ? { ...known, ...seen, confirmed: true } : known,
          ),
        },
      }
    }
    case 'invoice.settled':
      return { state: 'settled', progress: { ...progress, settlement: event.settlement } }
    case 'settlement.confirmed':
      return {}
    case 'payment.reverted':
      return reverted(invoice, event.key)
    case 'settlement.failed':
      return {
        state: receivedUsdcBase(invoice) < dueUsdcBase(invoice) ? invoice.state : 'paid',
        progress: { ...progress, settlement: null, completedAt: null },
      }
    case 'invoice.completed':
      return { state: 'completed', progress: { ...progress, completedAt: now.toISOString() } }
    case 'invoice.failed':
      return { state: 'failed', progress: { ...progress, resume: 'failed', failure: event.reason } }
    case 'invoice.credited':
      return { progress: { ...progress, credits: [...(progress.credits ?? []), event.credit] } }
  }
}

function created(event: Extract<Event, { type: 'invoice.created' }>, now: Date): Invoice {
  const at = now.toISOString()
  return {
    id: event.id,
    accountId: event.accountId,
    number: 0,
    year: now.getUTCFullYear(),
    version: 1,
    state: 'draft',
    createdAt: at,
    updatedAt: at,
    terms: event.terms,
    progress: newProgress,
  }
}

function reverted(invoice: Invoice, key: string): Partial<Invoice> {
  const payments = invoice.progress.payments.filter((known) => known.key !== key)
  const isCovered = sumUsdcBase(payments) >= dueUsdcBase(invoice)
  const state = isOpen(invoice) || isCovered ? invoice.state : invoice.progress.resume
  return { state, progress: { ...invoice.progress, payments } }
}
