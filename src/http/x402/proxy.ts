import { Elysia } from 'elysia'
import type { Invoices } from '../../actors/invoices.ts'
import type { Prepared, Purchases } from '../../actors/purchases.ts'
import type { Renderer } from '../../documents/render.ts'
import { DomainError } from '../../domain/error.ts'
import type { Invoice } from '../../domain/invoice.ts'
import { isSame, offerOf, type Token } from '../../domain/x402-demand.ts'
import type { Proof } from '../../domain/x402-proof.ts'
import type { Egress } from '../egress.ts'
import type { Answer, Call, Operations } from '../operation.ts'
import { proxyDocs } from './proxy-answers.ts'
import { wantsMultipart } from './proxy-headers.ts'
import { type Order, orderOf, paymentOf, readable } from './proxy-request.ts'
import { beginningOf, inTwoParts, passed, unpaid } from './proxy-results.ts'
import { forwardFree, forwardPaid, isUnsent, refusalOf, toldBy } from './proxy-upstream.ts'

type Purchase = Prepared['purchase']

/** What the proxy stands on. */
export type ProxyParts = {
  readonly purchases: Purchases
  readonly invoices: Pick<Invoices, 'get'>
  readonly documents: Renderer
  readonly egress: Pick<Egress, 'forward'>
  /** USDC on the chains that invoices may name. */
  readonly tokens: readonly Token[]
  /** Whether the chain has seen the payment by now; false where it cannot be asked. */
  readonly isTaken: (purchase: Purchase) => Promise<boolean>
  publicUrl(): string
  readonly log: { warn(line: object, message: string): void }
}

const route = '/api/x402/proxy'
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const
/** How long an answer may be silent: as long as Bun lets it. */
const silenceSeconds = 255

/**
 * `/api/x402/proxy`: contract §11. Any request to any URL; where that asks for money, there is an invoice. `operation` takes keys alone: what
 * goes out and may cost money must not hang on a cookie, which a browser sends by itself.
 */
export function proxyRoutes(operation: Operations, parts: ProxyParts) {
  const options = {
    scope: 'invoices:write' as const,
    isBodyRaw: true as const,
    maxSeconds: silenceSeconds,
  }
  const app = new Elysia()
  for (const method of methods) {
    const docs = method !== 'HEAD' && { docs: proxyDocs(method) }
    const handle = operation({ ...options, ...docs }, (call) => {
      const order = orderOf(call.request)
      const proof = paymentOf(call.request.headers, parts.tokens)
      return proof ? pay(call, order, proof, parts) : ask(call, order, parts)
    })
    app.route(method, route, handle, { parse: 'none' })
  }
  return app
}

async function ask(call: Call, order: Order, parts: ProxyParts): Promise<Answer> {
  const response = await forwardFree(parts.egress, order, call.request).catch((error) => {
    throw refusalOf(error)
  })
  return response.status === 402 ? demanded(call, order, response, parts) : passed(response)
}

/** The upstream's 402, with an invoice for it: the one that a refused payment was for, if it still asks for the same. */
async function demanded(
  { principal }: Call,
  order: Order,
  response: Response,
  { purchases, tokens }: ProxyParts,
  refused?: Invoice,
): Promise<Answer> {
  const body = await beginningOf(response)
  const offer = offerOf({ header: response.headers.get('payment-required'), body }, tokens)
  const [demand] = offer.demands
  if (!demand) {
    const message = 'The upstream asks for a payment that is not in USDC on a supported chain'
    throw new DomainError('upstream_failed', message)
  }
  const description = readable(offer.description ?? '', 4_000)
  const invoice =
    refused && isSame(demand, dueOf(refused))
      ? refused
      : await purchases.quote(principal.accountId, order.resource, {
          ...order,
          demand,
          description,
        })
  return unpaid(response, body, invoice)
}

function dueOf({ terms }: Invoice) {
  return { chain: terms.chain, payTo: terms.payTo, usdcBase: terms.dueUsdcBase }
}

async function pay(call: Call, order: Order, proof: Proof, parts: ProxyParts): Promise<Answer> {
  const { accountId } = call.principal
  const { resource, agentId, invoiceId } = order
  const attempt = { accountId, resource, proof, agentId, invoiceId }
  const prepared = await parts.purchases.prepare(attempt, { ...order, description: null })
  const response = await forwardPaid(parts.egress, order, call.request).catch((error) =>
    unanswered(error, prepared, parts),
  )
  const { purchase } = prepared
  if (prepared.isRepeat) return repeated(call, purchase, response, parts)
  if (response.ok) return delivered(call, purchase, response, parts)
  return undelivered(call, order, purchase, response, parts)
}

async function unanswered(
  error: unknown,
  { purchase, isRepeat }: Prepared,
  { purchases }: ProxyParts,
): Promise<never> {
  const { invoiceId } = purchase
  if (isRepeat) throw refusalOf(error, { invoiceId })
  if (isUnsent(error)) {
    await purchases.refuse(purchase)
    throw refusalOf(error, { invoiceId, payment: 'not_taken' })
  }
  await purchases.suspend(purchase)
  throw refusalOf(error, { invoiceId, payment: 'pending' })
}

/** The resource that has been paid for. From here on nothing may fail the caller. */
async function delivered(
  call: Call,
  purchase: Purchase,
  response: Response,
  parts: ProxyParts,
): Promise<Answer> {
  const { success, txHash, payer } = toldBy(response)
  const noted =
    success === false
      ? parts.purchases.suspend(purchase)
      : parts.purchases.accept(purchase, { txHash: txHash ?? purchase.txHash, payer })
  await noted.catch((err) =>
    parts.log.warn({ err, invoiceId: purchase.invoiceId }, 'a paid purchase was not noted'),
  )
  return withDocument(call, purchase, response, parts)
}

/** No resource: whether the payment was taken all the same, the upstream says or the chain. */
async function undelivered(
  call: Call,
  order: Order,
  purchase: Purchase,
  response: Response,
  parts: ProxyParts,
): Promise<Answer> {
  const { purchases, invoices, isTaken } = parts
  const { success, txHash } = toldBy(response)
  if (success || (await isTaken(purchase))) {
    await response.body?.cancel()
    await purchases.accept(purchase, { txHash, payer: null })
    throw taken(purchase, response)
  }
  if (response.status === 402) {
    await purchases.refuse(purchase)
    const invoice = await invoices.get(purchase.accountId, purchase.invoiceId)
    return demanded(call, order, response, parts, invoice)
  }
  // A transfer that was made before has been made, whatever fails now.
  await (purchase.txHash === null ? purchases.fail(purchase) : purchases.suspend(purchase))
  return passed(response, { 'x-invoice-id': purchase.invoiceId })
}

function taken({ invoiceId }: Purchase, { status }: Response): DomainError {
  return new DomainError('upstream_failed', 'The upstream took the payment and then failed', {
    details: { invoiceId, payment: 'taken', upstreamStatus: status },
    headers: { 'x-invoice-id': invoiceId },
  })
}

/** A payment that was accepted before: the upstream may answer once more, but nobody is asked for money again. */
async function repeated(
  call: Call,
  purchase: Purchase,
  response: Response,
  parts: ProxyParts,
): Promise<Answer> {
  const { invoiceId } = purchase
  if (response.ok) return withDocument(call, purchase, response, parts)
  if (response.status !== 402) return passed(response, { 'x-invoice-id': invoiceId })
  await response.body?.cancel()
  throw new DomainError('invalid_state', 'This payment has been used: the invoice is paid', {
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
  const others = response.headers.get('link')
  const answer = passed(response, {
    'x-invoice-id': invoiceId,
    ...(receiptId && { 'x-receipt-id': receiptId }),
    link: others === null ? link : `${others}, ${link}`,
  })
  const isWanted = invoice !== null && response.body !== null && wantsMultipart(request.headers)
  return isWanted ? inTwoParts(answer, response.body, invoice, parts) : answer
}
