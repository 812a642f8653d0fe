import { paymentUri, registry } from '../chain/registry.ts'
import { clockSkewMs } from '../domain/matching.ts'
import { toAmount, usdcScale } from '../domain/money.ts'
import type { PublicInvoices } from '../http/pages/payable.ts'
import type { Sql } from '../storage/db.ts'
import { loadMany } from '../storage/invoices.ts'
import { isAmbiguouslyPaid } from '../storage/transfers.ts'

/** Invoices for the payment page, readable by anybody who knows the id. */
export function publicInvoices(sql: Sql): PublicInvoices {
  return {
    find: async (id) => (await loadMany(sql, [id]))[0],
    isAmbiguouslyPaid: ({ terms, createdAt }) =>
      isAmbiguouslyPaid(sql, {
        chain: terms.chain,
        payTo: terms.payTo,
        usdcBase: terms.dueUsdcBase,
        // Blocks tell whole seconds.
        since: new Date(Date.parse(createdAt) - clockSkewMs - 1_000),
      }),
    paymentUri: ({ terms }, usdcBase) =>
      paymentUri(registry[terms.chain], {
        ...terms,
        dueUsdcBase: usdcBase,
        amountDue: toAmount(usdcBase, usdcScale),
      }),
  }
}
