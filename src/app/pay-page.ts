import { paymentUri, registry } from '../chain/registry.ts'
import type { Invoice } from '../domain/invoices/invoice.ts'
import { toAmount, usdcScale } from '../domain/money/money.ts'
import { addressKey } from '../domain/network.ts'
import { candidateOf, clockSkewMs, type Incoming, match } from '../domain/settlement/matching.ts'
import type { PublicInvoices } from '../http/pages/payable.ts'
import { candidateQueryOf } from '../queues/watching/attribution.ts'
import { loadMany } from '../storage/invoices/invoices.ts'
import type { Sql } from '../storage/postgres/db.ts'
import { candidates } from '../storage/settlement/candidates.ts'
import { isAmbiguouslyPaid } from '../storage/settlement/transfers.ts'
import { now } from './clock.ts'

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
    isRecognisedByAmount: (invoice) => isRecognisedByAmount(sql, invoice),
    paymentUri: ({ terms }, usdcBase) =>
      paymentUri(registry[terms.chain], {
        ...terms,
        dueUsdcBase: usdcBase,
        amountDue: toAmount(usdcBase, usdcScale),
      }),
  }
}

/** Whether what is due, sent now and without the reference, would be credited to its account. */
async function isRecognisedByAmount(sql: Sql, { accountId, terms }: Invoice): Promise<boolean> {
  const transfer: Incoming = {
    key: '',
    txHash: '',
    from: '',
    to: addressKey(terms.payTo),
    usdcBase: terms.dueUsdcBase,
    blockTimeMs: now().getTime(),
    namedInvoiceIds: [],
  }
  const found = await candidates(sql, terms.chain, candidateQueryOf([transfer]))
  const due = found.map(({ invoice }) => candidateOf(invoice))
  const credited = match(terms.chain, [transfer], due).map((one) =>
    'invoiceId' in one ? one.invoiceId : null,
  )
  return due.some((one) => one.accountId === accountId && credited.includes(one.invoiceId))
}
