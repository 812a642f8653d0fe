import { hasReason } from '../../domain/error.ts'
import type { Invoice } from '../../domain/invoices/invoice.ts'
import type { Attempt } from '../../domain/purchases/attempt.ts'
import type { Order } from '../../domain/purchases/order.ts'
import { quote } from '../../domain/purchases/purchase.ts'
import { commit } from '../../storage/purchases/purchases.ts'
import {
  createInvoice,
  type Prepared,
  type PrepareParts,
  prepareAnew,
  prepared,
} from './prepared.ts'
import { start } from './start.ts'
import { createSuperseding, findNamedQuote } from './superseding.ts'
import type { createVoiding } from './voiding.ts'

type Parts = PrepareParts & { readonly voiding: ReturnType<typeof createVoiding> }

/** Invoices for what upstreams ask, and the payments bound to them before they are forwarded. */
export function createPreparing(parts: Parts) {
  const { sql, invoices, now } = parts
  const superseding = createSuperseding(parts)

  /** Creates and sends the invoice for what an upstream asks. Errors: those of a mandate. */
  async function quoteOrder(accountId: string, resource: string, order: Order): Promise<Invoice> {
    const invoiceId = await createInvoice(invoices, accountId, order, null)
    const after = quote({ ...order, invoiceId, accountId, resource }, now())
    await commit(sql, { before: null, after })
    return invoices.execute(invoiceId, { kind: 'send' })
  }

  /**
   * Binds a payment to the invoice that waits for it, and reserves its amount from the agent's
   * budget; null if no invoice waits for it, `spent` if it has bought another resource. Errors:
   * `budget_exceeded`; `mandate_not_active`; `idempotency_in_progress` while the same payment is
   * being forwarded; `invalid_state` for a payment made for something else.
   */
  async function prepare(attempt: Attempt): Promise<Prepared | 'spent' | null> {
    const started = await start(sql, attempt)
    if (started.kind === 'spent') return 'spent'
    return started.kind === 'none' ? null : prepared(parts, started)
  }

  /**
   * The agent and mandate that a new invoice for this payment counts against: those of the attempt
   * or, where it names an invoice, of that one. Errors: `not_found` for an unknown name.
   */
  async function boundBy(attempt: Attempt) {
    if (attempt.invoiceId === null) return attempt
    const named = await findNamedQuote(sql, attempt)
    return { agentId: attempt.agentId ?? named.agentId, mandateId: named.mandateId }
  }

  /**
   * Prepares a payment like `prepare`, but with a new invoice, whose terms are what the payment
   * pays. The same payment always gets the same invoice, unless that was voided, or paid by another
   * payment while this one was refused. An unpaid invoice that was made for another option of the
   * same 402 is superseded: the one that the caller names or, where the mandate has no room for
   * both, one under the same mandate. Errors: `not_found` where the named one cannot be superseded.
   */
  async function prepareNew(attempt: Attempt, order: Order): Promise<Prepared> {
    if (attempt.invoiceId !== null) return superseding.prepareInstead(attempt, order)
    return prepareAnew(parts, attempt, order).catch((error) => {
      if (!hasReason(error, 'mandate_limit_exceeded')) throw error
      return superseding.prepareInRoom(attempt, order, error)
    })
  }

  return { quote: quoteOrder, prepare, boundBy, prepareNew }
}
