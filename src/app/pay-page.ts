import { paymentUri, registry } from '../chain/registry.ts'
import { toAmount, usdcScale } from '../domain/money.ts'
import type { PublicInvoices } from '../http/pages/payable.ts'
import type { Sql } from '../storage/db.ts'
import { loadMany } from '../storage/invoices.ts'

/** Invoices for the payment page, readable by anybody who knows the id. */
export function publicInvoices(sql: Sql): PublicInvoices {
  return {
    find: async (id) => (await loadMany(sql, [id]))[0],
    paymentUri: ({ terms }, usdcBase) =>
      paymentUri(registry[terms.chain], {
        ...terms,
        dueUsdcBase: usdcBase,
        amountDue: toAmount(usdcBase, usdcScale),
      }),
  }
}
