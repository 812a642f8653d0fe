import { DomainError, hasReason, withFacts } from '../../domain/error.ts'
import * as Mandates from '../../domain/mandates/binding.ts'
import type { Attempt } from '../../domain/purchases/attempt.ts'
import { invoiceRequest, type Order } from '../../domain/purchases/order.ts'
import { type Purchase, quote } from '../../domain/purchases/purchase.ts'
import { findBindable } from '../../storage/mandates/bindings.ts'
import type { Sql } from '../../storage/postgres/db.ts'
import type { Invoices } from '../invoices.ts'
import { type createPurchaseBudgets, oncePerKey } from './budgets.ts'
import { execute } from './execute.ts'
import { type Start, start, startNew } from './start.ts'

/**
 * A purchase whose payment may be forwarded now or, if `isRepeat`, was accepted before. If
 * `isInDoubt`, an earlier attempt, or the payer's own transfer, may already have paid: only the
 * chain can rule that out.
 */
export type Prepared = {
  readonly purchase: Purchase
  readonly isRepeat: boolean
  readonly isInDoubt: boolean
}

export type PrepareParts = {
  readonly sql: Sql
  readonly invoices: Invoices
  readonly budget: ReturnType<typeof createPurchaseBudgets>
  readonly now: () => Date
}

/** Prepares a payment with an invoice of its own, always the same one while it can be paid. */
export async function prepareAnew(
  parts: PrepareParts,
  attempt: Attempt,
  order: Order,
): Promise<Prepared> {
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

async function createFor(
  invoices: Invoices,
  { accountId, resource, payment }: Attempt,
  { order, nth }: { readonly order: Order; readonly nth: number },
) {
  const { mandateId } = order
  // The invoice of an attempt that died counts against that attempt's mandate: an attempt under
  // another mandate must not get it.
  const subject = mandateId === null ? resource : `${resource}\n${mandateId}`
  const idempotency = oncePerKey(nth === 1 ? payment.key : `${payment.key} ${nth}`, subject)
  return createInvoice(invoices, accountId, order, idempotency).catch((error) => {
    // Callers have sent a payment and know of no idempotency key.
    if (hasReason(error, 'idempotency_in_progress')) throw busy()
    if (hasReason(error, 'idempotency_key_reused')) throw elsewhere()
    throw error
  })
}

export async function createInvoice(
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

/** What is prepared by the outcome of a start. Errors: as of `prepare`. */
export async function prepared(parts: PrepareParts, started: Start): Promise<Prepared> {
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

async function hold(
  parts: PrepareParts,
  { purchase, isInDoubt }: Extract<Start, { kind: 'started' }>,
) {
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
    const suspend = { kind: 'suspend', txHash, isAnswered: false } as const
    await execute(sql, purchase, isInDoubt ? suspend : { kind: 'refuse' })
    throw isInDoubt ? pendingAllTheSame(error, purchase) : error
  }
}

/** Refuses a purchase whose mandate has ended since its invoice was created. */
async function requireActive(sql: Sql, { accountId, mandateId }: Purchase): Promise<void> {
  if (mandateId !== null) Mandates.requireActive(await findBindable(sql, accountId, mandateId))
}

/** Marks a refusal as `pending`: the payment may already have been taken. */
function pendingAllTheSame(error: unknown, { invoiceId }: Purchase): unknown {
  return error instanceof DomainError ? withFacts(error, { invoiceId, payment: 'pending' }) : error
}

function elsewhere(): DomainError {
  return new DomainError(
    'invalid_state',
    'This payment was made for something else or under another mandate, or its invoice is void',
  )
}

export function busy(): DomainError {
  const message = 'This payment is being forwarded'
  return new DomainError('idempotency_in_progress', message, { retryAfterSeconds: 1 })
}
