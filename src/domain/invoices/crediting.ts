import { DomainError } from '../error.ts'
import { dueUsdcBase, receivedUsdcBase } from './balance.ts'
import type { Event } from './evolve.ts'
import { acceptsPayment, type Invoice } from './invoice.ts'
import type { Credit } from './progress.ts'
import { type Ids, settle } from './settle.ts'

/** A credit note takes back a part; `head` is the newest block, for a settlement that follows. */
export type TakingBack = Ids & {
  readonly kind: 'take_back'
  readonly credit: Credit
  readonly head: number
}

/**
 * Errors: `invalid_state` where nothing may be credited, and while a payment is being confirmed:
 * whether it is to be refunded is not known yet.
 */
export function requireCreditable({ state, terms, progress }: Invoice): void {
  if (progress.failure === 'voided')
    throw new DomainError('invalid_state', 'The invoice is void: there is nothing to credit')
  if (progress.payments.some(({ confirmed }) => !confirmed))
    throw new DomainError(
      'invalid_state',
      'A payment of the invoice is being confirmed; try again once it is confirmed',
    )
  if (terms.isPurchase && state !== 'settled' && state !== 'completed')
    throw new DomainError('invalid_state', 'Only a purchase that has been paid can be credited')
}

/** Where what has come is enough for what is left, the invoice is settled at once. */
export function takeBack(
  invoice: Invoice,
  { credit, head, ...ids }: TakingBack,
  now: Date,
): readonly Event[] {
  requireCreditable(invoice)
  const credited: Event = { type: 'invoice.credited', credit }
  if (!acceptsPayment(invoice)) return [credited]
  const dueBase = dueUsdcBase(invoice) - credit.usdcBase + credit.refundUsdcBase
  const payment = invoice.progress.payments.at(-1)
  if (!payment) return dueBase > 0n ? [credited] : [credited, ended]
  if (receivedUsdcBase(invoice) < dueBase) return [credited]
  const confirmations = Math.max(1, head - payment.blockNumber + 1)
  return [credited, { type: 'invoice.paid' }, ...settle(payment, { ...ids, confirmations }, now)]
}

const ended: Event = { type: 'invoice.failed', reason: 'credited' }

/** What a note gives back: what has come beyond the amount due now, and had not before. */
export function refundOf(invoice: Invoice, usdcBase: bigint): bigint {
  const receivedBase = receivedUsdcBase(invoice)
  const dueBase = dueUsdcBase(invoice)
  return beyond(receivedBase, dueBase - usdcBase) - beyond(receivedBase, dueBase)
}

function beyond(receivedBase: bigint, dueBase: bigint): bigint {
  return receivedBase > dueBase ? receivedBase - dueBase : 0n
}
