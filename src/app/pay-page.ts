import { paymentUri, registry } from '../chain/registry.ts'
import type { Invoice } from '../domain/invoice.ts'
import { candidateOf, clockSkewMs, match } from '../domain/matching.ts'
import { toAmount, usdcScale } from '../domain/money.ts'
import { addressKey } from '../domain/network.ts'
import type { PublicInvoices } from '../http/pages/payable.ts'
import { candidates } from '../storage/candidates.ts'
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
    isRecognisedByAmount: (invoice) => isRecognisedByAmount(sql, invoice),
    paymentUri: ({ terms }, usdcBase) =>
      paymentUri(registry[terms.chain], {
        ...terms,
        dueUsdcBase: usdcBase,
        amountDue: toAmount(usdcBase, usdcScale),
      }),
  }
}

async function isRecognisedByAmount(sql: Sql, { accountId, terms }: Invoice): Promise<boolean> {
  const { chain, dueUsdcBase: usdcBase } = terms
  const to = addressKey(terms.payTo)
  const transfer = { from: '', blockTimeMs: Date.now() }
  const nothing = { named: [], addresses: [], txHashes: [] }
  const amounts = [{ to, usdcBase, transfers: [transfer] }]
  const found = await candidates(sql, chain, { ...nothing, amounts })
  const due = found.map(({ invoice }) => candidateOf(invoice))
  const incoming = { ...transfer, to, usdcBase, key: '', txHash: '', namedInvoiceIds: [] }
  const paid = match(chain, [incoming], due).flatMap((one) =>
    'invoiceId' in one ? [one.invoiceId] : [],
  )
  return due.some((one) => one.accountId === accountId && paid.includes(one.invoiceId))
}
