import { isTransfer, type Prepared } from '../../actors/purchases.ts'
import { DomainError, withFacts } from '../../domain/error.ts'
import { type ForwardedPayment, requirementsPaid } from '../../domain/x402/forwarded-payment.ts'
import type { Answer, Call } from '../operation.ts'
import { type Demanded, demanded, demandIn, descriptionIn, errorIn } from './proxy-demand.ts'
import { linksIn, paymentIn, wantsMultipart } from './proxy-headers.ts'
import type { Attempt, ProxyParts, Purchase } from './proxy-parts.ts'
import type { Order } from './proxy-request.ts'
import { inTwoParts, passed } from './proxy-results.ts'
import {
  type Forwarded,
  forwardFree,
  forwardPaid,
  isUnsent,
  refusalOf,
  toldBy,
} from './proxy-upstream.ts'

/**
 * Sends a request on with its payment, for an invoice and within a budget. Errors: those of
 * `Purchases`, and of the upstream.
 */
export async function pay(
  call: Call,
  forwarded: Forwarded,
  payment: ForwardedPayment,
  parts: ProxyParts,
): Promise<Answer> {
  const { accountId } = call.principal
  const { resource, agentId, mandateId, invoiceId } = forwarded.order
  const attempt = { accountId, resource, payment, agentId, mandateId, invoiceId }
  const prepared = await parts.purchases.prepare(attempt)
  if (prepared === 'spent') return readUnpaid(call, forwarded, parts)
  return prepared
    ? payPrepared(call, forwarded, prepared, parts)
    : payUnasked(call, forwarded, attempt, parts)
}

/**
 * Answers a request with a payment that has bought another resource. Clients follow a redirect to
 * what they have bought with all headers of the request that bought it, so what costs nothing is
 * answered to those that read.
 */
async function readUnpaid(
  call: Call,
  forwarded: Forwarded,
  { egress }: ProxyParts,
): Promise<Answer> {
  const { request } = call
  if (request.method === 'GET' || request.method === 'HEAD') {
    const response = await forwardFree(egress, forwarded).catch((error) => {
      throw refusalOf(error)
    })
    if (response.status !== 402) return passed(request, response)
    await response.body?.cancel()
  }
  throw new DomainError('invalid_state', 'This payment has bought another resource')
}

/**
 * Handles a payment for which we have no invoice. The upstream is first asked without the payment:
 * a free resource is not paid for, and a demand that the payment does not meet is invoiced as if
 * there were no payment.
 */
async function payUnasked(
  call: Call,
  forwarded: Forwarded,
  attempt: Attempt,
  parts: ProxyParts,
): Promise<Answer> {
  const { body } = forwarded
  const { payment } = attempt
  const isTold = payment.requirements !== null || payment.transfer !== null
  if (!isTold || body instanceof ReadableStream) {
    const message =
      'No invoice waits for this payment of this resource: ask for it without one first'
    throw new DomainError('not_found', message)
  }
  const response = await forwardFree(parts.egress, forwarded).catch((error) => {
    throw refusalOf(error, { payment: 'not_taken' })
  })
  if (response.status !== 402) return passed(call.request, response)
  const asked = await demandIn(response, parts)
  const { agentId, mandateId } = await parts.purchases.boundBy(attempt)
  const order = { ...forwarded.order, agentId, mandateId }
  const requirements = requirementsPaid(payment, asked.offer.accepts)
  if (!requirements) return demanded(call, order, asked, parts)
  const wanted = { ...order, requirements, description: descriptionIn(asked.offer) }
  const prepared = await parts.purchases.prepareNew(
    { ...attempt, agentId, mandateId, payment: { ...payment, requirements } },
    wanted,
  )
  return payPrepared(call, forwarded, prepared, parts)
}

async function payPrepared(
  call: Call,
  forwarded: Forwarded,
  prepared: Prepared,
  parts: ProxyParts,
): Promise<Answer> {
  const { purchase } = prepared
  const response = await forwardPaid(parts.egress, forwarded).catch((error) =>
    unanswered(error, prepared, parts),
  )
  if (prepared.isRepeat) return repeated(call, purchase, response, parts)
  if (response.ok) return delivered(call, purchase, response, parts)
  return undelivered(call, forwarded.order, prepared, response, parts)
}

async function unanswered(
  error: unknown,
  { purchase, isRepeat, isInDoubt }: Prepared,
  parts: ProxyParts,
): Promise<never> {
  const { purchases } = parts
  const { invoiceId } = purchase
  if (isRepeat) throw refusalOf(error, { invoiceId })
  if (isUnsent(error) && !isInDoubt) {
    await purchases.refuse(purchase).catch(unnoted(purchase, parts))
    throw refusalOf(error, { invoiceId, payment: 'not_taken' })
  }
  await purchases.suspend(purchase, purchase.txHash).catch(unnoted(purchase, parts))
  throw refusalOf(error, { invoiceId, payment: 'pending' })
}

/** Answers with the paid resource. From here on, no failure of ours may keep it from the caller. */
async function delivered(
  call: Call,
  purchase: Purchase,
  response: Response,
  parts: ProxyParts,
): Promise<Answer> {
  const { success, txHash } = toldBy(response, purchase.requirements.network)
  const noted =
    success === false
      ? parts.purchases.suspend(purchase, purchase.txHash ?? txHash)
      : parts.purchases.accept(purchase, namedFor(purchase, txHash))
  await noted.catch(unnoted(purchase, parts))
  return withDocument(call, purchase, response, parts)
}

/**
 * The transaction by which a payment that was taken is looked up: the one named now, as an earlier
 * one may have been replaced. A transfer that was made before is in its own, whatever is said.
 */
function namedFor(purchase: Purchase, txHash: string | null): string | null {
  if (isTransfer(purchase)) return purchase.txHash ?? txHash
  return txHash ?? purchase.txHash
}

/**
 * Lets the answer go on without a note of what became of the payment: a minute later the purchase
 * is taken up as one of which nobody knows.
 */
function unnoted({ invoiceId }: Purchase, { log }: ProxyParts) {
  return (err: unknown) => log.warn({ err, invoiceId }, 'the outcome of a purchase was not noted')
}

/**
 * Whether an answer may be what was bought: official servers take the payment for all but errors,
 * and so for a redirect to the resource or for one that is still the caller's.
 */
function isDelivery({ status }: Response): boolean {
  return status < 400
}

/**
 * Handles an answer other than a success. Whether the payment was taken all the same is told by the
 * upstream or by the chain.
 */
async function undelivered(
  call: Call,
  order: Order,
  { purchase, isInDoubt }: Prepared,
  response: Response,
  parts: ProxyParts,
): Promise<Answer> {
  const { purchases, isTaken } = parts
  const untold = unnoted(purchase, parts)
  const { success, txHash } = toldBy(response, purchase.requirements.network)
  if (success || (await isTaken(purchase))) {
    await purchases.accept(purchase, namedFor(purchase, txHash)).catch(untold)
    if (isDelivery(response)) return withDocument(call, purchase, response, parts)
    await response.body?.cancel()
    throw failed(purchase, response, 'taken')
  }
  // An upstream that names a transaction has sent it off, whatever it could learn of it.
  const mayBeTaken = isInDoubt || txHash !== null
  // The first one named stays: of a payment that was sent again, a second one fails where the first
  // has succeeded.
  if (mayBeTaken) await purchases.suspend(purchase, purchase.txHash ?? txHash).catch(untold)
  else await purchases.fail(purchase).catch(untold)
  if (response.status === 402 && mayBeTaken) {
    await response.body?.cancel()
    throw failed(purchase, response, 'pending')
  }
  if (response.status === 402) {
    // The upstream has what was signed and may use it until that expires, so what it demands now
    // gets an invoice of its own.
    const asked = await demandIn(response, parts)
    const { agentId, mandateId } = purchase
    return demanded(call, { ...order, agentId, mandateId }, asked, parts).catch((error) => {
      throw uninvoiced(error, purchase, asked, parts)
    })
  }
  return passed(call.request, response, { 'x-invoice-id': purchase.invoiceId })
}

/**
 * The refusal to make an invoice of what the upstream demands now. What it refused was paid for an
 * invoice of its own, and may yet be taken: nobody must read this as if nothing had been paid.
 */
function uninvoiced(
  error: unknown,
  purchase: Purchase,
  asked: Demanded,
  { log }: ProxyParts,
): DomainError {
  const { invoiceId } = purchase
  const { response, offer } = asked
  if (!(error instanceof DomainError)) {
    log.warn({ err: error, invoiceId }, 'what an upstream demands anew was not invoiced')
    return failed(purchase, response, 'pending')
  }
  const facts = {
    invoiceId,
    payment: 'pending',
    upstreamStatus: response.status,
    upstreamError: errorIn(offer),
  }
  return withFacts(error, facts, { ...paymentIn(response.headers), 'x-invoice-id': invoiceId })
}

function failed(
  { invoiceId }: Purchase,
  { status }: Response,
  payment: keyof typeof failures,
): DomainError {
  return new DomainError('upstream_failed', failures[payment], {
    details: { invoiceId, payment, upstreamStatus: status },
    headers: { 'x-invoice-id': invoiceId },
  })
}

const failures = {
  taken: 'The upstream took the payment and then failed',
  pending: 'The upstream demands a payment, and may have taken this one',
}

/**
 * Answers a payment that was accepted before: the upstream may deliver once more, and name the
 * transaction if it had not, but the caller is not asked for money again.
 */
async function repeated(
  call: Call,
  purchase: Purchase,
  response: Response,
  parts: ProxyParts,
): Promise<Answer> {
  const { invoiceId, requirements } = purchase
  const { success, txHash } = toldBy(response, requirements.network)
  // One that failed is a second try at the payment, and not what was accepted.
  if (purchase.txHash === null && txHash !== null && success !== false)
    await parts.purchases.nameTransaction(purchase, txHash).catch(unnoted(purchase, parts))
  if (isDelivery(response)) return withDocument(call, purchase, response, parts)
  if (response.status !== 402) return passed(call.request, response, { 'x-invoice-id': invoiceId })
  await response.body?.cancel()
  throw new DomainError('invalid_state', 'This payment has been accepted before: do not pay anew', {
    details: { invoiceId },
    headers: { 'x-invoice-id': invoiceId },
  })
}

async function withDocument(
  { principal, request }: Call,
  { invoiceId }: Purchase,
  response: Response,
  parts: ProxyParts,
): Promise<Answer> {
  const invoice = await parts.invoices.get(principal.accountId, invoiceId).catch(() => null)
  const receiptId = invoice?.progress.settlement?.receiptId
  const link = `<${parts.publicUrl()}/api/invoices/${invoiceId}/pdf>; rel="invoice"`
  const others = linksIn(response.headers)
  const answer = passed(request, response, {
    'x-invoice-id': invoiceId,
    ...(receiptId && { 'x-receipt-id': receiptId }),
    link: others === null ? link : `${link}, ${others}`,
  })
  const isWanted = invoice !== null && wantsMultipart(request.headers)
  const { signal } = request
  return isWanted ? inTwoParts(answer, invoice, { ...parts, signal }) : answer
}
