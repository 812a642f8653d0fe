import type { Invoices } from './invoices.ts'

type Payloads = {
  deliver: { readonly webhookIds: readonly string[] }
  expiry:
    | { readonly invoiceId: string }
    | { readonly accountId: string; readonly mandateId: string }
}

/** The queues, as actors use them. The sweep does the work of lost jobs. */
export type Jobs = {
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
 * What expires in more than a day is left to the sweep.
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

/** What follows when transfers have settled invoices. */
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
