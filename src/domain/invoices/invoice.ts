import { newProgress, type Progress } from './progress.ts'
import type { Terms } from './terms.ts'

export const states = ['draft', 'sent', 'paid', 'settled', 'completed', 'failed'] as const

export type State = (typeof states)[number]

/** Instants are ISO 8601 in UTC. */
export type Invoice = {
  readonly id: string
  readonly accountId: string
  /** Gapless per account and year; 0 until the commit that inserts the row. */
  readonly number: number
  readonly year: number
  /** The number of events so far; it guards the next commit. */
  readonly version: number
  readonly state: State
  readonly createdAt: string
  readonly updatedAt: string
  readonly terms: Terms
  readonly progress: Progress
}

type Lifecycle = Pick<Invoice, 'state' | 'progress'>

/** The invoice as `invoice.created` reports it. */
export function asCreated(invoice: Invoice): Invoice {
  return {
    ...invoice,
    version: 1,
    state: 'draft',
    updatedAt: invoice.createdAt,
    progress: newProgress,
  }
}

/** Whether a payment may be credited: to an open or expired invoice (contract §4). */
export function acceptsPayment(invoice: Lifecycle): boolean {
  return isOpen(invoice) || isExpired(invoice)
}

/** Whether the due date passed before the full amount arrived, and it still has not. */
export function isExpired({ state, progress }: Lifecycle): boolean {
  return state === 'failed' && progress.failure === 'expired'
}

/** Whether a transfer to one of our addresses may be credited; purchases are paid elsewhere. */
export function acceptsTransfer(invoice: Lifecycle & Pick<Invoice, 'terms'>): boolean {
  return !invoice.terms.isPurchase && acceptsPayment(invoice)
}

/** Whether the invoice is neither paid nor closed. */
export function isOpen(invoice: Lifecycle): boolean {
  return invoice.state === 'draft' || invoice.state === 'sent'
}
