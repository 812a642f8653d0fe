import type { State } from '../mandates/states.ts'

type Entry = {
  readonly description: string
  /** How the life of the sample invoice ends, or the state of the sample mandate or note. */
  readonly sample: InvoiceEnding | MandateState | NoteState
}

type InvoiceEnding = 'completed' | 'voided' | 'reorged'
export type MandateState = Exclude<State, 'in_progress' | 'expired'>

type NoteState = 'issued' | 'refunded' | 'reorged'

export const events = {
  'invoice.created': { description: 'An invoice was created', sample: 'completed' },
  'invoice.sent': {
    description: 'An invoice was sent, or returned in a 402 of the proxy',
    sample: 'completed',
  },
  'invoice.paid': {
    description: 'What is due was seen on chain, not final yet',
    sample: 'completed',
  },
  'invoice.settled': { description: 'The payment is final', sample: 'completed' },
  'invoice.completed': {
    description: 'The receipt of an invoice is on chain',
    sample: 'completed',
  },
  'invoice.failed': {
    description: 'An invoice was voided or credited whole, or its due date has passed',
    sample: 'voided',
  },
  'settlement.confirmed': {
    description: 'Sent together with `invoice.settled`',
    sample: 'completed',
  },
  'settlement.failed': {
    description:
      'A reorganisation took a settlement back: the invoice is open again, and its receipt revoked',
    sample: 'reorged',
  },
  'credit_note.issued': { description: 'An invoice was credited', sample: 'issued' },
  'refund.confirmed': {
    description: 'A refund of a credit note is final on chain',
    sample: 'refunded',
  },
  'refund.failed': {
    description:
      'A reorganisation took a refund back: it is owed again, and its counter-receipt revoked',
    sample: 'reorged',
  },
  'mandate.proposed': { description: 'A mandate was proposed', sample: 'proposed' },
  'mandate.signed_by_proposer': {
    description: 'The proposer has signed',
    sample: 'signed_by_proposer',
  },
  'mandate.signed_by_both': { description: 'Both parties have signed', sample: 'signed_by_both' },
  'mandate.completed': { description: 'A mandate was completed', sample: 'completed' },
  'mandate.disputed': { description: 'A mandate was disputed', sample: 'disputed' },
} as const satisfies Readonly<Record<string, Entry>>

export type Type = keyof typeof events

export const types = Object.keys(events) as unknown as readonly [Type, ...Type[]]
