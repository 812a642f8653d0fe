import { payerOf } from '../network.ts'
import type { CreditNote, Progress, Proof, Refund } from './credit-note.ts'

/** One row of the trail each. Those named like webhook events are sent to subscribers. */
export type Event =
  | ({ readonly type: 'credit_note.issued' } & Issued)
  | {
      readonly type: 'refund.redirected'
      readonly payer: string
      readonly refundTo: string
      readonly sequence: number
    }
  | { readonly type: 'refund.wallet_added'; readonly wallet: string }
  | ({ readonly type: 'refund.confirmed' } & Proven)
  | {
      readonly type: 'refund.failed'
      readonly payer: string
      readonly txHash: string
      readonly receiptId: string
      readonly reason: 'reorged'
    }

export type Issued = Pick<CreditNote, 'id' | 'accountId' | 'invoiceId' | 'terms'> & {
  readonly refunds: readonly Promised[]
}

export type Proven = {
  readonly payer: string
  readonly proof: Proof
  readonly receiptId: string
}

/** What a new note gives back to one payer. */
export type Promised = Pick<Refund, 'payer' | 'usdcBase'>

/** The note after `events`, which `decide` returned for it. */
export function evolve(
  note: CreditNote | undefined,
  events: readonly Event[],
  now: Date,
): CreditNote | undefined {
  return events.reduce<CreditNote | undefined>((before, event) => apply(before, event, now), note)
}

function apply(note: CreditNote | undefined, event: Event, now: Date): CreditNote {
  if (event.type === 'credit_note.issued') return issued(event, now)
  if (!note) throw new Error(`${event.type} before credit_note.issued`)
  const progress = change(note.progress, event)
  const isRefunded = progress.refunds.every(({ proof }) => proof !== null)
  return {
    ...note,
    state: isRefunded ? 'refunded' : 'issued',
    version: note.version + 1,
    updatedAt: now.toISOString(),
    progress,
  }
}

function change(
  progress: Progress,
  event: Exclude<Event, { type: 'credit_note.issued' }>,
): Progress {
  switch (event.type) {
    case 'refund.redirected': {
      const { payer, refundTo, sequence } = event
      return withRefund(progress, payer, { refundTo, sequence })
    }
    case 'refund.wallet_added':
      return { ...progress, wallets: [...progress.wallets, event.wallet] }
    case 'refund.confirmed':
      return withRefund(progress, event.payer, { proof: event.proof, receiptId: event.receiptId })
    case 'refund.failed':
      return withRefund(progress, event.payer, { proof: null, receiptId: null })
  }
}

function withRefund(progress: Progress, payer: string, changed: Partial<Refund>): Progress {
  return {
    ...progress,
    refunds: progress.refunds.map((refund) =>
      refund.payer === payer ? { ...refund, ...changed } : refund,
    ),
  }
}

/** A refund as its note promises it. */
export function openRefund({ payer, usdcBase }: Promised): Refund {
  return { payer, usdcBase, refundTo: payerOf(payer), sequence: 0, proof: null, receiptId: null }
}

function issued(event: Extract<Event, { type: 'credit_note.issued' }>, now: Date): CreditNote {
  const at = now.toISOString()
  const refunds = event.refunds.map(openRefund)
  return {
    id: event.id,
    accountId: event.accountId,
    invoiceId: event.invoiceId,
    year: now.getUTCFullYear(),
    number: event.terms.isPurchase ? null : 0,
    version: 1,
    state: 'issued',
    createdAt: at,
    updatedAt: at,
    terms: event.terms,
    progress: { wallets: [], refunds },
  }
}
