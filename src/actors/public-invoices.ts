import type { Invoice } from '../domain/invoices/invoice.ts'
import type { PaymentRequest } from '../domain/invoices/request.ts'
import { toAmount, usdcScale } from '../domain/money/money.ts'
import { addressKey, type Network } from '../domain/network.ts'
import { candidateOf, clockSkewMs, type Incoming } from '../domain/settlement/candidate.ts'
import { match } from '../domain/settlement/matching.ts'
import { load } from '../storage/invoices/invoices.ts'
import type { Sql } from '../storage/postgres/db.ts'
import { candidateQueryOf, candidates } from '../storage/settlement/candidates.ts'
import * as Transfers from '../storage/settlement/transfers.ts'

export type PublicInvoices = ReturnType<typeof createPublicInvoices>

/** Invoices for the payment page, readable by anybody who knows the id. */
export function createPublicInvoices(parts: {
  readonly sql: Sql
  readonly now: () => Date
  readonly paymentUri: (chain: Network, payment: PaymentRequest) => string
}) {
  const { sql, now } = parts

  function find(id: string): Promise<Invoice | undefined> {
    return load(sql, id)
  }

  /** Whether a transfer of the due amount is held: it also fits another account's invoice. */
  function isAmbiguouslyPaid({ terms, createdAt }: Invoice): Promise<boolean> {
    return Transfers.isAmbiguouslyPaid(sql, {
      chain: terms.chain,
      payTo: terms.payTo,
      usdcBase: terms.dueUsdcBase,
      // Block times are whole seconds.
      since: new Date(Date.parse(createdAt) - clockSkewMs - 1_000),
    })
  }

  /**
   * Whether a transfer of the due amount, made now without the reference, would be credited to an
   * invoice of this account.
   */
  async function isRecognisedByAmount({ accountId, terms }: Invoice): Promise<boolean> {
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

  /** The URI that a wallet opens to pay this much for the invoice. */
  function paymentUri({ terms }: Invoice, usdcBase: bigint): string {
    const amountDue = toAmount(usdcBase, usdcScale)
    return parts.paymentUri(terms.chain, { ...terms, dueUsdcBase: usdcBase, amountDue })
  }

  return { find, isAmbiguouslyPaid, isRecognisedByAmount, paymentUri }
}
