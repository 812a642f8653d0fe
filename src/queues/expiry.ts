import * as InvoiceRows from '../storage/invoices/invoices.ts'
import * as MandateRows from '../storage/mandates/mandates.ts'
import { sweepEveryMs, untilDone } from './sweep.ts'
import type { Work, WorkParts } from './work.ts'

/** Each may take a megabyte of memory. */
const mandatesAtOnce = 50

export function expiryWork({ sql, log, invoices, mandates }: WorkParts): Work<'expiry'> {
  async function expire({ id, at }: InvoiceRows.Overdue): Promise<void> {
    await invoices.execute(id, { kind: 'expire', at })
  }

  /** One whose chain is not read up to its due date is left to the sweep. */
  async function expireIfRead(invoiceId: string): Promise<void> {
    const found = await InvoiceRows.findOverdue(sql, invoiceId)
    if (found) await expire(found)
  }

  const limits = {
    limitMs: sweepEveryMs,
    onFault: (err: unknown, failed: number) =>
      log.error({ err, failed }, 'what is overdue could not expire'),
  }
  return {
    process: (what) =>
      'invoiceId' in what
        ? expireIfRead(what.invoiceId)
        : mandates.expire(what.accountId, what.mandateId),
    recoverDue: {
      expiries: untilDone({
        find: (most) => InvoiceRows.overdue(sql, most),
        deal: expire,
        ...limits,
      }),
      mandates: untilDone({
        find: (most) => MandateRows.due(sql, most),
        deal: ({ accountId, id }) => mandates.expire(accountId, id),
        ...limits,
        atOnce: mandatesAtOnce,
      }),
    },
  }
}
