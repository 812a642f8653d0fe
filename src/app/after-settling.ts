import type { Invoices } from '../actors/invoices.ts'
import type { Queues } from '../queues/queues.ts'

/**
 * Returns what must follow when transfers have settled invoices: cached copies are dropped, and the
 * queues for events and anchors are woken.
 */
export function afterSettling({ invoices, queues }: { invoices: Invoices; queues: Queues }) {
  return (invoiceIds: readonly string[]) => {
    invoices.forget(invoiceIds)
    queues.wake('outbox')
    queues.wake('anchor')
  }
}
