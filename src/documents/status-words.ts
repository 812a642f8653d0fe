import type { StatusDetail } from '../domain/invoices/figures.ts'

/** What people read for the statuses of the API: on the page, the PDF and the dashboard. */
export const statusKeys = {
  draft: 'open',
  sent: 'open',
  partly_paid: 'partlyPaid',
  paid: 'beingConfirmed',
  settled: 'paid',
  completed: 'paid',
  expired: 'overdue',
  void: 'voided',
  credited: 'credited',
} as const satisfies Readonly<Record<StatusDetail, string>>
