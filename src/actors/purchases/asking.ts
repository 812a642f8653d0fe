import { DomainError } from '../../domain/error.ts'
import type { Invoice } from '../../domain/invoices/invoice.ts'
import { cheapest, invoiceRequest, type Order } from '../../domain/purchases/order.ts'
import { answers, quote } from '../../domain/purchases/purchase.ts'
import type { PaymentRequirements } from '../../domain/x402/requirements.ts'
import { isRefusal, type Sql, uniqueViolation } from '../../storage/postgres/db.ts'
import { findQuote } from '../../storage/purchases/purchases.ts'
import type { FxOf } from '../exchange-rates.ts'
import type { Invoices } from '../invoices.ts'
import { untilWon } from '../races.ts'
import { roomFor } from './room.ts'

type Parts = {
  readonly sql: Sql
  readonly invoices: Pick<Invoices, 'get' | 'create'>
  readonly fxOf: FxOf
  readonly now: () => Date
  readonly newId: () => string
}

/**
 * An ask for a price:
 * 1. Is there room for the cheapest option? Else nothing is made.
 * 2. Does an open quote answer it? Then nothing is written.
 * 3. Otherwise a new quote is stored with its invoice. It replaces the one whose offer has changed,
 *    which can still be paid.
 *
 * An ask holds nothing of a budget or a mandate.
 */
export function createAsking(parts: Parts) {
  const { sql, invoices, now, newId } = parts

  /** The invoice that answers an ask. Errors: as of `roomFor`. */
  async function ask(accountId: string, order: Order): Promise<Invoice> {
    const asker = { ...order, accountId }
    const { mandateHash } = await roomFor(parts, asker, cheapest(order.options))
    const request = invoiceRequest(order, order.options[0] as PaymentRequirements, mandateHash)

    /** Undefined: a copy of this ask has just made the quote. */
    async function attempt(): Promise<Invoice | undefined> {
      const open = await findQuote(sql, asker)
      if (open && answers(open, order.options)) return invoices.get(accountId, open.invoiceId)
      const id = newId()
      const purchase = quote({ ...asker, invoiceId: id }, now())
      const stored = { purchase, replaces: open?.invoiceId ?? null }
      try {
        return (await invoices.create(accountId, request, null, id, stored)).invoice
      } catch (error) {
        if (isRefusal(error, uniqueViolation)) return undefined
        throw error
      }
    }
    return untilWon(attempt, () => busy())
  }

  return { ask }
}

export function busy(): DomainError {
  const message = 'The same purchase is under way'
  return new DomainError('idempotency_in_progress', message, { retryAfterSeconds: 1 })
}
