import { DomainError } from '../../domain/error.ts'
import { cheapest, invoiceRequest, type Order } from '../../domain/purchases/order.ts'
import { answers, quote } from '../../domain/purchases/purchase.ts'
import type { PaymentRequirements } from '../../domain/x402/requirements.ts'
import { createBatcher } from '../../scheduling/batcher.ts'
import { isRefusal, type Sql, uniqueViolation } from '../../storage/postgres/db.ts'
import { type Asker, findQuotes } from '../../storage/purchases/purchases.ts'
import type { FxOf } from '../exchange-rates.ts'
import type { Show } from '../invoice-cache.ts'
import type { Invoices } from '../invoices.ts'
import { untilWon } from '../races.ts'
import { roomFor } from './room.ts'

type Parts = {
  readonly sql: Sql
  readonly invoices: Pick<Invoices, 'read' | 'create'>
  readonly fxOf: FxOf
  readonly now: () => Date
  readonly newId: () => string
}

export type Quoted = { readonly id: string; readonly text: string }

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
  const quotes = createBatcher({
    maxFlushes: 2,
    flush: (askers: readonly Asker[]) => findQuotes(sql, askers),
  })

  /** The invoice that answers an ask, and its text by `show`. Errors: as of `roomFor`. */
  async function ask(accountId: string, order: Order, show: Show): Promise<Quoted> {
    const asker = { ...order, accountId }
    const { mandateHash } = await roomFor(parts, asker, cheapest(order.options))

    /** Undefined: a copy of this ask has just made the quote. */
    async function attempt(): Promise<Quoted | undefined> {
      const open = await quotes.submit(accountId, asker)
      if (open && answers(open, order.options)) {
        const { invoiceId: id } = open
        return { id, text: await invoices.read(accountId, id, () => show) }
      }
      const id = newId()
      const request = invoiceRequest(order, order.options[0] as PaymentRequirements, mandateHash)
      const purchase = quote({ ...asker, invoiceId: id }, now())
      const stored = { purchase, replaces: open?.invoiceId ?? null }
      try {
        const { invoice } = await invoices.create(accountId, request, null, id, stored)
        return { id, text: show(invoice) }
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
