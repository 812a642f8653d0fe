import { DomainError, hasReason } from '../../domain/error.ts'
import * as Mandates from '../../domain/mandates/binding.ts'
import type { Attempt } from '../../domain/purchases/attempt.ts'
import type { Order } from '../../domain/purchases/order.ts'
import { isAbandoned, type Purchase } from '../../domain/purchases/purchase.ts'
import { findBindable } from '../../storage/mandates/bindings.ts'
import type { Sql } from '../../storage/postgres/db.ts'
import { findNamed } from '../../storage/purchases/attempts.ts'
import { busy, type Prepared, type PrepareParts, prepareAnew, prepared } from './prepared.ts'
import { type Superseded, start, supersede } from './start.ts'
import type { createVoiding } from './voiding.ts'

type Parts = PrepareParts & {
  readonly voiding: Pick<ReturnType<typeof createVoiding>, 'voidAbandoned'>
}

/** Copies are refused within milliseconds, seconds where the machine is busy. */
const tryAgainMs = 25
const mostTries = 40

export function createSuperseding(parts: Parts) {
  const { sql, voiding } = parts

  /** Prepares a payment that its mandate refused, if a superseded quote makes enough room. */
  async function prepareInRoom(attempt: Attempt, order: Order, refusal: DomainError) {
    const given = await supersede(sql, attempt, await lackingBase(attempt, order))
    return prepareAfter(given, attempt, { order, refusal })
  }

  /** Prepares a payment whose new invoice takes the place of the one that the caller names. */
  async function prepareInstead(attempt: Attempt, order: Order): Promise<Prepared> {
    const named = await findNamedQuote(sql, attempt)
    // That attempt may have died before it voided the invoice.
    if (isAbandoned(named)) return prepareAfter({ kind: 'quote', quote: named }, attempt, { order })
    const leastBase = await lackingBase(attempt, order)
    // The mandate refuses it even so, unless a copy of this payment has got its invoice by now.
    if (named.requirements.usdcBase < leastBase)
      return prepareAnew(parts, { ...attempt, invoiceId: null }, order)
    return prepareAfter(await supersede(sql, attempt, leastBase), attempt, { order })
  }

  async function prepareAfter(
    given: Superseded,
    attempt: Attempt,
    { order, refusal = notWaiting() }: { readonly order: Order; readonly refusal?: DomainError },
  ): Promise<Prepared> {
    if (given.kind !== 'quote')
      return preparedCopy(attempt, given.kind === 'busy' ? busy() : refusal)
    await voiding.voidAbandoned(given.quote)
    return prepareInFreedRoom({ ...attempt, invoiceId: null }, order)
  }

  /**
   * Like `prepareAnew`, but outlasts copies of this payment that are still being refused for want
   * of the room that is free by now: if it yielded to them, no copy at all would be forwarded.
   */
  async function prepareInFreedRoom(attempt: Attempt, order: Order): Promise<Prepared> {
    for (let tries = 1; ; tries++) {
      try {
        return await prepareAnew(parts, attempt, order)
      } catch (error) {
        if (!hasReason(error, 'idempotency_in_progress') || tries === mostTries) throw error
        await Bun.sleep(tryAgainMs)
      }
    }
  }

  /** How much the attempt's mandate must get back before it has room; 0 without a mandate. */
  async function lackingBase({ accountId, mandateId }: Attempt, { requirements }: Order) {
    if (mandateId === null) return 0n
    const payment = { currency: 'USDC', amountMicro: requirements.usdcBase }
    return Mandates.lackingMicro(await findBindable(sql, accountId, mandateId), payment)
  }

  /** What a concurrent copy of the payment has got; throws `refusal` if there is none. */
  async function preparedCopy(attempt: Attempt, refusal: DomainError): Promise<Prepared> {
    const started = await start(sql, attempt)
    if (started.kind === 'none') throw refusal
    return prepared(parts, started)
  }

  return { prepareInRoom, prepareInstead }
}

/** The quote that an attempt names. Errors: `not_found`. */
export async function findNamedQuote(sql: Sql, attempt: Attempt): Promise<Purchase> {
  const named = await findNamed(sql, attempt)
  if (!named) throw notWaiting()
  return named
}

function notWaiting(): DomainError {
  const message =
    'This invoice waits for no payment of this resource: instead of X-Invoice-Id, name what the payment counts against, in X-Mandate-Id and X-Agent-Id'
  return new DomainError('not_found', message)
}
