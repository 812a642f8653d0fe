import { type StatusDetail, statusDetailOf } from '../domain/invoices/figures.ts'
import { acceptsTransfer, type Invoice, isExpired } from '../domain/invoices/invoice.ts'
import { statusKeys } from './status-words.ts'
import type { Words } from './words/words.ts'

export type Badge = {
  readonly label: string
  readonly tone: 'open' | 'pending' | 'done' | 'closed'
}

export function badgeOf(invoice: Invoice, { say }: Words): Badge {
  const status = statusDetailOf(invoice)
  const tone = tones[status]
  const label = say(statusKeys[status])
  return { label: tone === 'done' ? `✓ ${label}` : label, tone }
}

const tones: Readonly<Record<StatusDetail, Badge['tone']>> = {
  draft: 'open',
  sent: 'open',
  partly_paid: 'open',
  paid: 'pending',
  settled: 'done',
  completed: 'done',
  expired: 'closed',
  void: 'closed',
  credited: 'closed',
}

/** The notes that appear both on an invoice's page and in its XML. */
export function sharedNotesOf(invoice: Invoice, { say }: Words): readonly string[] {
  const { isPurchase, tax } = invoice.terms
  return [
    ...(isExpired(invoice) && acceptsTransfer(invoice)
      ? [`${say('dueDatePassed')}. ${say('stillPayable')}`]
      : []),
    ...(isPurchase && tax.taxUnits > 0n ? [say('recordedOnly')] : []),
  ]
}
