import type { Attempt, Outcome, Prepared } from '../../actors/purchases/forwarding.ts'
import { DomainError, withFacts } from '../../domain/error.ts'
import type { Delivery, KeptAnswer } from '../../domain/purchases/delivery.ts'
import type { Purchase } from '../../domain/purchases/purchase.ts'
import { requirementsPaid } from '../../domain/x402/forwarded-payment.ts'
import type { Answer, Call } from '../operation.ts'
import { languageFor } from '../response/language.ts'
import { withheld, witnessed } from './proxy-delivery.ts'
import { type Demanded, demanded, demandIn, type ProxyParts } from './proxy-demand.ts'
import { linksIn, paymentIn, towardsCaller, wantsMultipart } from './proxy-headers.ts'
import type { SentPayment } from './proxy-request.ts'
import { inTwoParts, passed, warned } from './proxy-results.ts'
import {
  type Forwarded,
  forwardFree,
  forwardPaid,
  isUnsent,
  refusalOf,
  saidBy,
} from './proxy-upstream.ts'

/** Sends a request on with its payment. Errors: those of `Purchases`, and of the upstream. */
export async function pay(
  call: Call,
  forwarded: Forwarded,
  sent: SentPayment,
  parts: ProxyParts,
): Promise<Answer> {
  const { accountId } = call.principal
  const attempt = { ...forwarded.order, ...sent, accountId }
  const prepared = await parts.purchases.claim(attempt)
  if (prepared === 'spent') return readUnpaid(call, forwarded, parts)
  return prepared
    ? payPrepared(call, forwarded, prepared, parts)
    : payUnasked(call, forwarded, attempt, parts)
}

/** Sends the first payment of a purchase again, in place of an ask or of another payment. */
export async function sendAgain(
  call: Call,
  forwarded: Forwarded,
  purchase: Purchase,
  parts: ProxyParts,
): Promise<Answer> {
  const prepared = await parts.purchases.sendAgain(purchase, forwarded.order.agentId)
  return payPrepared(call, forwarded, prepared, parts)
}

/**
 * Clients follow a redirect to what they bought with the payment still in their headers: a payment
 * that has bought another resource may read what is free.
 */
async function readUnpaid(
  call: Call,
  forwarded: Forwarded,
  { egress }: ProxyParts,
): Promise<Answer> {
  const { request } = call
  if (request.method === 'GET' || request.method === 'HEAD') {
    const response = await forwardFree(egress, forwarded)
    if (response.status !== 402) return passed(request, response)
    await response.body?.cancel()
  }
  throw boughtAnother()
}

function boughtAnother(): DomainError {
  return new DomainError('invalid_state', 'This payment has bought another resource')
}

/**
 * Handles a payment without a quote: asks the upstream for its price first. A free resource is not
 * paid for, and a price that the payment does not meet is quoted.
 */
async function payUnasked(
  call: Call,
  forwarded: Forwarded,
  attempt: Attempt,
  parts: ProxyParts,
): Promise<Answer> {
  const { payment } = attempt
  const response = await forwardFree(parts.egress, forwarded, { payment: 'not_taken' })
  if (response.status !== 402) return passed(call.request, response)
  const asked = await demandIn(response, parts)
  const quoted = await demanded(call, forwarded.order, asked, parts)
  const accepts = asked.offer?.accepts ?? []
  if (payment.made === null && !requirementsPaid(payment, accepts)) return quoted
  const prepared = await parts.purchases.claim(attempt)
  if (prepared === 'spent') throw boughtAnother()
  return prepared ? payPrepared(call, forwarded, prepared, parts) : quoted
}

async function payPrepared(
  call: Call,
  forwarded: Forwarded,
  prepared: Prepared,
  parts: ProxyParts,
): Promise<Answer> {
  const { purchase, isRepeat } = prepared
  const response = await forwardPaid(parts.egress, forwarded, purchase).catch((error) =>
    unanswered(error, prepared, parts),
  )
  if (isRepeat) return repeated(call, forwarded, { prepared, response }, parts)
  const answer = { isOk: response.ok, ...saidBy(response, purchase.option.network) }
  const outcome = await parts.purchases.answered(prepared, answer)
  // From here on, no failure of ours may withhold what was paid for.
  if (response.ok || (outcome === 'taken' && isDelivery(response)))
    return withDocument(call, forwarded, { prepared, response }, parts)
  const { errorReason } = answer
  return undelivered(call, forwarded, { prepared, outcome, response, errorReason }, parts)
}

async function unanswered(
  error: unknown,
  prepared: Prepared,
  { purchases }: ProxyParts,
): Promise<never> {
  const { invoiceId } = prepared.purchase
  if (prepared.isRepeat) throw refusalOf(error, { invoiceId })
  const payment = await purchases.unanswered(prepared, isUnsent(error))
  throw refusalOf(error, { invoiceId, payment })
}

/** Official servers take the payment for all but errors, so for redirects, too. */
function isDelivery({ status }: Response): boolean {
  return status < 400
}

type Answered = { readonly prepared: Prepared; readonly response: Response }

type Undelivered = Answered & {
  readonly outcome: Outcome
  /** As the upstream names it. */
  readonly errorReason: string | null
}

async function undelivered(
  call: Call,
  forwarded: Forwarded,
  answer: Undelivered,
  parts: ProxyParts,
): Promise<Answer> {
  const { prepared, outcome, response, errorReason } = answer
  if (response.status !== 402 && outcome !== 'taken')
    return passedOn(call, forwarded, answer, parts)
  noteIn(parts, prepared)(withheld(response))
  if (outcome !== 'failed') {
    await response.body?.cancel()
    throw failed(answer, outcome)
  }
  // The upstream may still use the first payment, so its new demand gets a quote of its own.
  const asked = await demandIn(response, parts)
  if (!asked.offer) throw failed(answer, 'refused', asked)
  const { agentId, mandateId } = prepared.purchase
  const anew = { ...forwarded.order, agentId, mandateId }
  return demanded(call, anew, asked, parts, errorReason).catch((error) => {
    throw unquoted(error, answer, asked, parts)
  })
}

/** The upstream's new demand was not quoted; the refusal says that the first may yet be taken. */
function unquoted(
  error: unknown,
  answer: Undelivered,
  asked: Demanded,
  { log }: ProxyParts,
): DomainError {
  const { invoiceId } = answer.prepared.purchase
  if (!(error instanceof DomainError)) {
    log.warn({ err: error, invoiceId }, 'what an upstream demands anew was not quoted')
    return failed(answer, 'pending')
  }
  // Who reads requirements pays them.
  const { 'payment-required': _, ...said } = paymentIn(answer.response.headers)
  return withFacts(error, factsOf(answer, 'pending', asked), { ...said, 'x-invoice-id': invoiceId })
}

function failed(answer: Undelivered, why: keyof typeof failures, asked?: Demanded): DomainError {
  const { prepared, response } = answer
  return new DomainError('upstream_failed', failures[why], {
    details: factsOf(answer, why === 'refused' ? 'pending' : why, asked),
    headers: { ...paymentIn(response.headers), 'x-invoice-id': prepared.purchase.invoiceId },
  })
}

function factsOf(
  { prepared, response, errorReason }: Undelivered,
  payment: 'taken' | 'pending',
  asked?: Demanded,
) {
  return {
    invoiceId: prepared.purchase.invoiceId,
    payment,
    upstreamStatus: response.status,
    ...(asked && { upstreamError: asked.error }),
    ...(errorReason !== null && { errorReason }),
  }
}

const failures = {
  taken: 'The upstream took the payment and then failed',
  pending: 'The upstream demands a payment, and may have taken this one',
  refused:
    'The upstream says that it did not take the payment, and demands no other: it may still take this one',
}

/** Answers a payment that was accepted before; the caller is not asked for money again. */
async function repeated(
  call: Call,
  forwarded: Forwarded,
  answer: Answered,
  parts: ProxyParts,
): Promise<Answer> {
  const { prepared, response } = answer
  const { invoiceId } = prepared.purchase
  if (isDelivery(response)) return withDocument(call, forwarded, answer, parts)
  if (response.status !== 402) return passedOn(call, forwarded, answer, parts)
  noteIn(parts, prepared)(withheld(response))
  await response.body?.cancel()
  throw new DomainError('invalid_state', 'This payment has been accepted before: do not pay anew', {
    details: { invoiceId },
    headers: { 'x-invoice-id': invoiceId },
  })
}

function passedOn(
  { request }: Call,
  { order }: Forwarded,
  { prepared, response }: Answered,
  parts: ProxyParts,
  more: Readonly<Record<string, string>> = {},
): Answer {
  const { invoiceId } = prepared.purchase
  const ours = { 'x-invoice-id': invoiceId, ...warned(order.warnings), ...more }
  const { status, headers } = response
  const kept = { status, headers: { ...towardsCaller(headers), ...ours } }
  const note = noteIn(parts, prepared)
  const seen = witnessed(request, response, (delivery, body) =>
    note(delivery, body && response.ok ? { ...kept, body } : null),
  )
  return passed(request, seen, ours)
}

/** Nobody waits for the note. */
function noteIn({ purchases }: ProxyParts, prepared: Prepared) {
  return (delivery: Delivery, kept: KeptAnswer | null = null) =>
    void purchases.delivered(prepared, delivery, kept)
}

async function withDocument(
  call: Call,
  forwarded: Forwarded,
  answered: Answered,
  parts: ProxyParts,
): Promise<Answer> {
  const { principal, request } = call
  const { prepared, response } = answered
  const { invoiceId } = prepared.purchase
  const invoice = await parts.invoices.get(principal.accountId, invoiceId).catch(() => null)
  const receiptId = invoice?.progress.settlement?.receiptId
  const link = `<${parts.publicUrl()}/api/invoices/${invoiceId}/pdf>; rel="invoice"`
  const others = linksIn(response.headers)
  const answer = passedOn(call, forwarded, answered, parts, {
    ...(receiptId && { 'x-receipt-id': receiptId }),
    link: others === null ? link : `${link}, ${others}`,
  })
  const isWanted = invoice !== null && wantsMultipart(request.headers)
  const { signal } = request
  if (!isWanted) return answer
  const language = languageFor(request, invoice)
  return inTwoParts(answer, invoice, { ...parts, signal, language })
}
