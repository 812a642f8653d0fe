import type { Step } from '../domain/invoices/timeline.ts'

const texts: Readonly<Record<string, string | null>> = {
  'invoice.created': 'Created',
  'invoice.sent': 'Sent',
  'payment.credited': 'Payment seen',
  'payment.confirmed': 'Payment confirmed',
  'payment.reverted': 'Payment taken back by the chain',
  'settlement.failed': 'Open again',
  'invoice.completed': 'Receipt on chain',
  voided: 'Voided',
  expired: 'Overdue',
  'invoice.credited': 'Credited',
  credited: 'Credited whole',
  // What comes at the same time says it already.
  'invoice.amended': null,
  'invoice.paid': null,
  'invoice.settled': null,
  'settlement.confirmed': null,
}

/**
 * The few steps of an invoice that people look for: a payment is one, and so is its confirmation,
 * though each is several events for programs.
 */
export function milestonesOf(
  steps: readonly Step[],
): readonly (Step & { readonly text: string })[] {
  return steps.flatMap((step, at) => {
    const { type, reason, creditNote } = step
    // After a reorganisation what had been confirmed before may be enough.
    const isAnew = type === 'invoice.settled' && steps[at - 1]?.type !== 'payment.confirmed'
    const key = type === 'invoice.failed' && reason ? reason : type
    const text = isAnew ? 'Settled' : texts[key]
    if (text === null) return []
    return [{ ...step, text: (text ?? named(type)) + (creditNote ? `, ${creditNote}` : '') }]
  })
}

/** `order.delayed` is `Order delayed`. */
function named(type: string): string {
  const text = type.replace('.', ' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}
