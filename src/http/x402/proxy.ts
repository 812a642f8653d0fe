import { Elysia } from 'elysia'
import type { Invoices } from '../../actors/invoices.ts'
import type { Purchases } from '../../actors/purchases.ts'
import { jobOf } from '../../documents/invoice-job.ts'
import type { Renderer } from '../../documents/render.ts'
import { DomainError } from '../../domain/error.ts'
import type { Invoice } from '../../domain/invoice.ts'
import { toJson } from '../../domain/invoice-view.ts'
import { isObject, isSame, offerOf, plainText, type Token } from '../../domain/x402-demand.ts'
import type { Proof } from '../../domain/x402-proof.ts'
import { type Egress, EgressError } from '../egress.ts'
import type { Answer, Call, Operations } from '../operation.ts'
import { multipart } from './multipart.ts'
import { proxyDocs } from './proxy-answers.ts'
import { towardsCaller, towardsUpstream, wantsMultipart } from './proxy-headers.ts'
import { type Order, orderOf, paymentOf, readable } from './proxy-request.ts'

type Bought = Awaited<ReturnType<Purchases['begin']>>['purchase']

/** What the proxy stands on. */
export type ProxyParts = {
  readonly purchases: Purchases
  readonly invoices: Pick<Invoices, 'get'>
  readonly documents: Renderer
  readonly egress: Pick<Egress, 'forward'>
  /** USDC on the chains that invoices may name. */
  readonly tokens: readonly Token[]
  /** Whether the chain has seen the payment by now; false where it cannot be asked. */
  readonly isTaken: (purchase: Bought) => Promise<boolean>
  readonly publicUrl: string
  readonly log: { warn(line: object, message: string): void }
}

const route = '/api/x402/proxy'
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const
/** How long an upstream may take for the headers of its answer; what is held of a budget is held for longer. */
const upstreamLimitMs = 30_000
/** How long an answer may be silent: as long as Bun lets it. */
const silenceSeconds = 255
const mostUnpaidBytes = 262_144

/** `/api/x402/proxy`: contract §11. Any request to any URL; where that asks for money, there is an invoice. */
export function proxyRoutes(operation: Operations, parts: ProxyParts) {
  const options = {
    scope: 'invoices:write' as const,
    isBodyRaw: true as const,
    maxSeconds: silenceSeconds,
  }
  const app = new Elysia()
  for (const method of methods) {
    const docs = method !== 'HEAD' && { docs: proxyDocs(method) }
    const handle = operation({ ...options, ...docs }, (call) => proxied(call, parts))
    app.route(method, route, handle, { parse: 'none' })
  }
  return app
}

async function proxied(call: Call, parts: ProxyParts): Promise<Answer> {
  const order = orderOf(call.request)
  const proof = paymentOf(call.request.headers, parts.tokens)
  return proof ? pay(call, order, proof, parts) : ask(call, order, parts)
}

async function ask(call: Call, order: Order, parts: ProxyParts): Promise<Answer> {
  const response = await forward(call, order, parts, call.request.signal).catch((error) => {
    throw refusalOf(error, {})
  })
  return response.status === 402 ? demanded(call, order, response, parts) : passed(response)
}

/** The upstream's 402, with an invoice for it. */
async function demanded(
  { principal }: Call,
  order: Order,
  response: Response,
  { purchases, tokens }: ProxyParts,
  refused?: Invoice,
): Promise<Answer> {
  const body = await beginning(response)
  const offer = offerOf({ header: response.headers.get('payment-required'), body }, tokens)
  const [demand] = offer.demands
  if (!demand) {
    const message = 'The upstream asks for a payment that is not in USDC on a supported chain'
    throw new DomainError('upstream_failed', message)
  }
  const description = readable(offer.description ?? '', 4_000)
  const isStillAsked = refused && isSame(demand, dueOf(refused))
  const invoice = isStillAsked
    ? refused
    : await purchases.quote(principal.accountId, order.resource, { ...order, demand, description })
  return {
    status: 402,
    body: withInvoice(body, invoice),
    headers: {
      ...towardsCaller(response.headers),
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'x-invoice-id': invoice.id,
    },
  }
}

async function pay(call: Call, order: Order, proof: Proof, parts: ProxyParts): Promise<Answer> {
  const { purchases } = parts
  const { accountId } = call.principal
  const { resource, agentId, invoiceId } = order
  const attempt = { accountId, resource, proof, agentId, invoiceId }
  const { purchase, isRepeat } = await purchases.begin(attempt, { ...order, description: null })
  // Nobody aborts it: what has become of the payment must be known.
  const response = await forward(call, order, parts).catch(async (error) => {
    if (isRepeat) throw refusalOf(error, { invoiceId: purchase.invoiceId })
    const isUnsent = !(error instanceof EgressError) || error.fault === 'unreachable'
    await (isUnsent ? purchases.refuse(purchase) : purchases.suspend(purchase))
    const payment = isUnsent ? 'not_taken' : 'pending'
    throw refusalOf(error, { invoiceId: purchase.invoiceId, payment })
  })
  if (isRepeat) return repeated(call, purchase, response, parts)
  if (response.ok) return delivered(call, purchase, response, parts)
  if (response.status !== 402 && proof.txHash !== null) await purchases.suspend(purchase)
  else if (toldOf(response)?.success === true || (await parts.isTaken(purchase)))
    return takenAll(purchase, response, parts)
  else if (response.status === 402) {
    await purchases.refuse(purchase)
    const invoice = await parts.invoices.get(accountId, purchase.invoiceId)
    return demanded(call, order, response, parts, invoice)
  } else await purchases.fail(purchase)
  return passed(response, { 'x-invoice-id': purchase.invoiceId })
}

/** The resource that has been paid for. From here on nothing may fail the caller. */
async function delivered(
  call: Call,
  purchase: Bought,
  response: Response,
  parts: ProxyParts,
): Promise<Answer> {
  const told = toldOf(response)
  const txHash = hashIn(told?.transaction) ?? purchase.txHash
  const payer = typeof told?.payer === 'string' ? told.payer : null
  const noted =
    told?.success === false
      ? parts.purchases.suspend(purchase)
      : parts.purchases.accept(purchase, { txHash, payer })
  await noted.catch((err) =>
    parts.log.warn({ err, invoiceId: purchase.invoiceId }, 'a paid purchase was not noted'),
  )
  return withDocument(call, purchase, response, parts)
}

/** A payment that was accepted before: the upstream may answer once more, but nobody is asked for money again. */
async function repeated(
  call: Call,
  purchase: Bought,
  response: Response,
  parts: ProxyParts,
): Promise<Answer> {
  if (response.ok) return withDocument(call, purchase, response, parts)
  if (response.status !== 402) return passed(response, { 'x-invoice-id': purchase.invoiceId })
  await response.body?.cancel()
  const { invoiceId } = purchase
  throw new DomainError('invalid_state', 'This payment has been used: the invoice is paid', {
    details: { invoiceId },
    headers: { 'x-invoice-id': invoiceId },
  })
}

/** The money is gone and there is nothing for it: the same payment may be sent again. */
async function takenAll(
  purchase: Bought,
  response: Response,
  { purchases }: ProxyParts,
): Promise<never> {
  const { invoiceId } = purchase
  const told = toldOf(response)
  await response.body?.cancel()
  await purchases.accept(purchase, { txHash: hashIn(told?.transaction), payer: null })
  throw new DomainError('upstream_failed', 'The upstream took the payment and then failed', {
    details: { invoiceId, payment: 'taken', upstreamStatus: response.status },
    headers: { 'x-invoice-id': invoiceId },
  })
}

async function withDocument(
  call: Call,
  { invoiceId }: Bought,
  response: Response,
  parts: ProxyParts,
): Promise<Answer> {
  const { invoices, publicUrl } = parts
  const { accountId } = call.principal
  const invoice = await invoices.get(accountId, invoiceId).catch(() => null)
  const receiptId = invoice?.progress.settlement?.receiptId
  const link = `<${publicUrl}/api/invoices/${invoiceId}/pdf>; rel="invoice"`
  const others = response.headers.get('link')
  const answer = passed(response, {
    'x-invoice-id': invoiceId,
    ...(receiptId && { 'x-receipt-id': receiptId }),
    link: others === null ? link : `${others}, ${link}`,
  })
  const isWanted = wantsMultipart(call.request.headers) && response.body !== null
  return invoice && isWanted ? inTwoParts(answer, response, invoice, parts) : answer
}

function inTwoParts(
  answer: Answer,
  { body }: Response,
  invoice: Invoice,
  { documents, log }: ProxyParts,
): Answer {
  // Drawn while the resource is on its way; without it the resource is still worth having.
  const drawn = documents.render(jobOf(invoice)).catch((err) => {
    log.warn({ err, invoiceId: invoice.id }, 'a paid resource goes without its document')
    return null
  })
  const {
    'content-encoding': _,
    'content-type': contentType = '',
    ...headers
  } = answer.headers ?? {}
  async function* parts() {
    yield { name: 'resource', contentType, body: body as ReadableStream<Uint8Array> }
    const pdf = await drawn
    if (pdf) yield { name: 'invoice', contentType: 'application/pdf', body: [pdf] }
  }
  const boundary = `quittance-${crypto.randomUUID()}`
  return {
    status: answer.status,
    body: multipart(boundary, parts()),
    headers: { ...headers, 'content-type': `multipart/mixed; boundary=${boundary}` },
  }
}

function forward(
  { request }: Call,
  { url, method }: Order,
  { egress }: ProxyParts,
  signal?: AbortSignal,
): Promise<Response> {
  const isBodyless = method === 'GET' || method === 'HEAD'
  return egress.forward(url.href, {
    method,
    headers: towardsUpstream(request.headers),
    body: isBodyless ? null : request.body,
    isOnce: !isBodyless || signal === undefined,
    timeoutMs: upstreamLimitMs,
    ...(signal && { signal }),
  })
}

/** An answer as it came, and as its bytes come. */
function passed({ status, headers, body }: Response, more: Record<string, string> = {}): Answer {
  const kept = towardsCaller(headers)
  const contentType = kept['content-type'] ?? 'application/octet-stream'
  return { status, body, headers: { ...kept, 'content-type': contentType, ...more } }
}

function refusalOf(error: unknown, details: Record<string, string>): unknown {
  if (!(error instanceof EgressError)) return error
  const reason = error.fault === 'timeout' ? 'upstream_timeout' : 'upstream_failed'
  const { invoiceId } = details
  return new DomainError(reason, `The upstream did not answer: ${error.message}`, {
    ...(invoiceId !== undefined && { details, headers: { 'x-invoice-id': invoiceId } }),
  })
}

/** What the upstream says of the settlement, in base64 or as plain JSON. */
function toldOf({ headers }: Response) {
  const header = headers.get('payment-response') ?? headers.get('x-payment-response')
  if (header === null) return null
  try {
    const told: unknown = JSON.parse(plainText(header))
    return isObject(told) ? told : null
  } catch {
    return null
  }
}

function hashIn(transaction: unknown): string | null {
  if (typeof transaction !== 'string') return null
  if (/^0x[0-9a-fA-F]{64}$/.test(transaction)) return transaction.toLowerCase()
  return /^[1-9A-HJ-NP-Za-km-z]{64,88}$/.test(transaction) ? transaction : null
}

function dueOf({ terms }: Invoice) {
  return { chain: terms.chain, payTo: terms.payTo, usdcBase: terms.dueUsdcBase }
}

/** A 402's body, for clients that look for its members there, and the invoice beside them. */
function withInvoice(body: string, invoice: Invoice): string {
  const message = 'The resource must be paid for: see invoice'
  const error = { code: 'PAYMENT_REQUIRED', message, status: 402 }
  const { invoice: _, ...members } = { error, ...objectIn(body) } as Record<string, unknown>
  return `${JSON.stringify(members).slice(0, -1)},"invoice":${toJson(invoice, 'api')}}`
}

function objectIn(body: string): object {
  try {
    const value: unknown = JSON.parse(body)
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}

async function beginning({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body ?? []) {
    chunks.push(chunk)
    length += chunk.length
    if (length > mostUnpaidBytes) break
  }
  return Buffer.concat(chunks).toString('utf8')
}
