import { DomainError, hasReason, withFacts } from '../../domain/error.ts'
import type { Invoice } from '../../domain/invoices/invoice.ts'
import * as Mandates from '../../domain/mandates/binding.ts'
import type { Attempt } from '../../domain/purchases/attempt.ts'
import { invoiceRequest, type Order } from '../../domain/purchases/order.ts'
import { isAbandoned, type Purchase, quote } from '../../domain/purchases/purchase.ts'
import { findBindable } from '../../storage/mandates/bindings.ts'
import type { Sql } from '../../storage/postgres/db.ts'
import { findNamed } from '../../storage/purchases/attempts.ts'
import { commit } from '../../storage/purchases/purchases.ts'
import type { Invoices } from '../invoices.ts'
import { type createPurchaseBudgets, oncePerKey } from './budgets.ts'
import { execute } from './execute.ts'
import { type Start, type Superseded, start, startNew, supersede } from './start.ts'
import type { createVoiding } from './voiding.ts'

/**
 * A purchase whose payment may be forwarded now or, if `isRepeat`, was accepted before. If
 * `isInDoubt`, an earlier attempt, or a transfer the payer made directly, may already have paid:
 * only the chain can rule that out.
 */
export type Prepared = {
  readonly purchase: Purchase
  readonly isRepeat: boolean
  readonly isInDoubt: boolean
}

type Parts = {
  readonly sql: Sql
  readonly invoices: Invoices
  readonly budget: ReturnType<typeof createPurchaseBudgets>
  readonly voiding: ReturnType<typeof createVoiding>
  readonly now: () => Date
}

/** Copies are refused within milliseconds, seconds where the machine is busy. */
const tryAgainMs = 25
const mostTries = 40

/** Invoices for what upstreams ask, and the payments bound to them before they are forwarded. */
export function createPreparing(parts: Parts) {
  const { sql, invoices, voiding, now } = parts

  /**
   * Creates the invoice for what an upstream asks; its state is `sent`. Errors: those of a mandate
   * that does not allow it.
   */
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
   * What a new invoice for this payment counts against: what the attempt says and, where it names
   * an invoice, what that one counts against. Errors: `not_found` where the named one is not of
   * this account, resource and mandate.
   */
  async function boundBy(attempt: Attempt) {
    if (attempt.invoiceId === null) return attempt
    const named = await findNamed(sql, attempt)
    if (!named) throw notWaiting()
    return { agentId: attempt.agentId ?? named.agentId, mandateId: named.mandateId }
  }

  /**
   * Prepares a payment like `prepare`, but with an invoice created for it, whose terms are what the
   * payment pays. The same payment always gets the same invoice, unless that is no longer
   * available: it was voided, or another payment took it while this one was refused. An unpaid
   * invoice that was made for another option of the same 402 is superseded: the one that the caller
   * names or, where the mandate has no room for both, one under the same mandate. Nothing is
   * superseded where that would not do. Errors: `not_found` where the named one cannot be
   * superseded.
   */
  async function prepareNew(attempt: Attempt, order: Order): Promise<Prepared> {
    if (attempt.invoiceId !== null) return prepareInstead(attempt, order)
    return prepareAnew(parts, attempt, order).catch((error) => {
      if (!hasReason(error, 'mandate_limit_exceeded')) throw error
      return prepareInRoom(attempt, order, error)
    })
  }

  /**
   * Prepares a payment for which the mandate has no room, where a superseded quote makes enough.
   */
  async function prepareInRoom(attempt: Attempt, order: Order, refusal: DomainError) {
    const given = await supersede(sql, attempt, await lackingBase(attempt, order))
    return prepareAfter(given, attempt, { order, refusal })
  }

  /** Prepares a payment whose new invoice takes the place of the one that the caller names. */
  async function prepareInstead(attempt: Attempt, order: Order): Promise<Prepared> {
    const named = await findNamed(sql, attempt)
    if (!named) throw notWaiting()
    // That attempt may have died before it voided the invoice.
    if (isAbandoned(named)) return prepareAfter({ kind: 'quote', quote: named }, attempt, { order })
    const leastBase = await lackingBase(attempt, order)
    // Refused by the mandate even so, unless a copy of this payment has got its invoice by now.
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
   * Like `prepareAnew`, past copies of this payment that are being refused for want of the room
   * that has been made by now: if it yielded to them, none of all copies would be forwarded.
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

  /** What a concurrent copy of the payment has got meanwhile; throws `refusal` if there is none. */
  async function preparedCopy(attempt: Attempt, refusal: DomainError): Promise<Prepared> {
    const started = await start(sql, attempt)
    if (started.kind === 'none') throw refusal
    return prepared(parts, started)
  }

  return { quote: quoteOrder, prepare, boundBy, prepareNew }
}

async function prepareAnew(parts: Parts, attempt: Attempt, order: Order): Promise<Prepared> {
  const { sql, invoices, now } = parts
  const { accountId, resource } = attempt
  for (let nth = 1; ; nth++) {
    const invoiceId = await createFor(invoices, attempt, { order, nth })
    // Where it cannot be sent any more, a copy of this payment may be what has paid it.
    const started = (await isSent(invoices, invoiceId))
      ? await startNew(sql, quote({ ...order, invoiceId, accountId, resource }, now()), attempt)
      : await start(sql, attempt)
    if (started.kind !== 'none') return prepared(parts, started)
  }
}

/** The nth invoice for this payment. */
async function createFor(
  invoices: Invoices,
  { accountId, resource, payment }: Attempt,
  { order, nth }: { readonly order: Order; readonly nth: number },
) {
  const { mandateId } = order
  // An earlier attempt may have died with its invoice made: it counts against that attempt's
  // mandate, and must not be taken for one under another mandate or under none.
  const subject = mandateId === null ? resource : `${resource}\n${mandateId}`
  const idempotency = oncePerKey(nth === 1 ? payment.key : `${payment.key} ${nth}`, subject)
  return createInvoice(invoices, accountId, order, idempotency).catch((error) => {
    // Translated, since callers have sent a payment and know of no idempotency key.
    if (hasReason(error, 'idempotency_in_progress')) throw busy()
    if (hasReason(error, 'idempotency_key_reused')) throw elsewhere()
    throw error
  })
}

async function createInvoice(
  invoices: Invoices,
  accountId: string,
  order: Order,
  idempotency: ReturnType<typeof oncePerKey> | null,
): Promise<string> {
  const { invoice } = await invoices.create(accountId, invoiceRequest(order), idempotency)
  return invoice.id
}

/** Marks the invoice as sent; false if its state no longer allows that. */
async function isSent(invoices: Invoices, invoiceId: string): Promise<boolean> {
  try {
    await invoices.execute(invoiceId, { kind: 'send' })
    return true
  } catch (error) {
    if (hasReason(error, 'invalid_state')) return false
    throw error
  }
}

async function prepared(parts: Parts, started: Start): Promise<Prepared> {
  switch (started.kind) {
    case 'started':
      return { purchase: await hold(parts, started), isRepeat: false, isInDoubt: started.isInDoubt }
    case 'done':
      return { purchase: started.purchase, isRepeat: true, isInDoubt: false }
    case 'spent':
    case 'elsewhere':
      throw elsewhere()
    default:
      throw busy()
  }
}

async function hold(parts: Parts, { purchase, isInDoubt }: Extract<Start, { kind: 'started' }>) {
  const { sql, budget } = parts
  const { agentId } = purchase
  try {
    const hasNoneToHold = agentId === null || (await budget.isCounted(purchase))
    await requireActive(sql, purchase)
    const held = hasNoneToHold ? purchase : await budget.hold(purchase, agentId)
    if (!held) throw busy()
    return held
  } catch (error) {
    const { txHash } = purchase
    await execute(sql, purchase, isInDoubt ? { kind: 'suspend', txHash } : { kind: 'refuse' })
    throw isInDoubt ? pendingAllTheSame(error, purchase) : error
  }
}

/** Refuses a purchase whose mandate has ended since its invoice was created. */
async function requireActive(sql: Sql, { accountId, mandateId }: Purchase): Promise<void> {
  if (mandateId !== null) Mandates.requireActive(await findBindable(sql, accountId, mandateId))
}

/**
 * A refusal to forward again what may already have been taken, marked as `pending` so that nobody
 * concludes it was not.
 */
function pendingAllTheSame(error: unknown, { invoiceId }: Purchase): unknown {
  return error instanceof DomainError ? withFacts(error, { invoiceId, payment: 'pending' }) : error
}

function elsewhere(): DomainError {
  return new DomainError(
    'invalid_state',
    'This payment was made for something else or under another mandate, or its invoice is void',
  )
}

function notWaiting(): DomainError {
  const message =
    'This invoice waits for no payment of this resource: instead of X-Invoice-Id, name what the payment counts against, in X-Mandate-Id and X-Agent-Id'
  return new DomainError('not_found', message)
}

function busy(): DomainError {
  const message = 'This payment is being forwarded'
  return new DomainError('idempotency_in_progress', message, { retryAfterSeconds: 1 })
}
