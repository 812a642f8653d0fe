import type { Invoices } from './invoices.ts'

type Payloads = {
  deliver: { readonly webhookIds: readonly string[] }
  expiry:
    | { readonly invoiceId: string }
    | { readonly accountId: string; readonly mandateId: string }
}

/** The background queues, as far as actors use them. A lost job is found again by the sweep. */
export type Jobs = {
  /** Makes a job of this queue start soon. */
  wake(queue: 'outbox' | 'anchor'): void
  add<Name extends keyof Payloads>(
    queue: Name,
    payload: Payloads[Name],
    options?: { readonly jobId?: string; readonly delayMs?: number },
  ): Promise<boolean>
}

const maxExpiryDelayMs = 86_400_000

/**
 * Schedules the expiry of the invoice or mandate `id` at `expiresAt` (ISO 8601) plus `graceMs`.
 * What expires in more than a day is left to the sweep: a job that sleeps for months may be lost.
 */
export function expireLater(
  jobs: Jobs,
  now: Date,
  id: string,
  expiresAt: string,
  payload: Payloads['expiry'],
  graceMs = 0,
): void {
  const delayMs = Date.parse(expiresAt) - now.getTime() + graceMs
  if (delayMs > maxExpiryDelayMs) return
  void jobs.add('expiry', payload, { jobId: `expiry-${id}`, delayMs })
}

/**
 * Returns what must follow when transfers have settled invoices: cached copies are dropped, and the
 * queues for events and anchors are woken.
 */
export function afterSettling({
  invoices,
  jobs,
}: {
  invoices: Pick<Invoices, 'forget'>
  jobs: Jobs
}) {
  return (invoiceIds: readonly string[]) => {
    invoices.forget(invoiceIds)
    jobs.wake('outbox')
    jobs.wake('anchor')
  }
}
