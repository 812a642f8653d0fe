import type { Invoices } from '../../actors/invoices.ts'
import type { Purchases } from '../../actors/purchases/purchases.ts'
import type { Renderer } from '../../documents/pdf/render.ts'
import { DomainError } from '../../domain/error.ts'
import { sha256Hex } from '../../domain/hash.ts'
import type { ReadTransfer } from '../../domain/x402/forwarded-payment.ts'
import { mppOptionsIn } from '../../domain/x402/mpp.ts'
import { type Offer, offerOf, type Token } from '../../domain/x402/requirements.ts'
import type { Egress } from '../egress/egress.ts'
import type { Answer, Call } from '../operation.ts'
import { readable } from '../request/header-text.ts'
import type { Taxes } from '../shared/invoice-fields.ts'
import { paymentIn } from './proxy-headers.ts'
import type { Order } from './proxy-request.ts'
import { beginningOf, type Passable, passed, unpaid } from './proxy-results.ts'
import { objectIn } from './proxy-upstream.ts'

export type ProxyParts = {
  readonly purchases: Purchases
  readonly invoices: Pick<Invoices, 'get'>
  readonly documents: Pick<Renderer, 'render'>
  readonly egress: Pick<Egress, 'forward'>
  /** USDC on the chains that invoices may name. */
  readonly tokens: readonly Token[]
  readonly taxes: Taxes
  readonly readTransfer: ReadTransfer
  publicUrl(): string
  readonly log: { warn(line: object, message: string): void }
}

/** A 402 of the upstream. `offer` null: it is no demand of x402, and `answer` passes it on. */
export type Demanded = {
  readonly response: Response
  readonly body: string
  readonly demandSha256: string | null
  readonly offer: Offer | null
  /** What it says is wrong. */
  readonly error: string | null
  answer(): Passable
}

export async function demandIn(response: Response, { tokens }: ProxyParts): Promise<Demanded> {
  const { bytes, isWhole, whole, leave } = await beginningOf(response)
  const header = response.headers.get('payment-required')
  const body = bytes.toString('utf8')
  const demand = header === null ? bytes : Buffer.from(header, 'latin1')
  const demandSha256 = header !== null || isWhole ? `0x${sha256Hex(demand)}` : null
  const offer = offerOf({ header, body }, tokens)
  if (offer) leave()
  const { status, headers } = response
  const error = offer?.error ?? objectIn(body).error
  const said = typeof error === 'string' ? readable(error, 500) : null
  return {
    response,
    body,
    demandSha256,
    offer,
    error: said,
    answer: () => ({ status, headers, body: whole() }),
  }
}

/**
 * The upstream's 402 with an invoice for it, or as it is where it is no demand of x402. `refusal`:
 * why the upstream did not take a payment. Errors: `upstream_unsupported`, those of an ask.
 */
export async function demanded(
  { request, principal }: Call,
  order: Order,
  asked: Demanded,
  { purchases }: ProxyParts,
  refusal: string | null = null,
): Promise<Answer> {
  const { response, body, offer } = asked
  if (!offer && mppOptionsIn(response.headers.get('www-authenticate')).length === 0)
    return passed(request, asked.answer())
  const invoice = await purchases.ask(principal.accountId, orderOf(order, asked))
  const { warnings } = order
  return unpaid(response, body, invoice, { errorReason: refusal, warnings })
}

/** What is ordered by a demand. Errors: `upstream_unsupported`. */
function orderOf(order: Order, { response, demandSha256, offer }: Demanded) {
  const { accepts = [], description = null } = offer ?? {}
  if (accepts.length === 0) throw unsupported(response, offer)
  return {
    ...order,
    options: accepts,
    demandSha256,
    description: readable(description ?? '', 4_000),
  }
}

const mostNamed = 20

function unsupported({ headers }: Response, offer: Offer | null): DomainError {
  const short = (text: string | null) => readable(text ?? '', 128)
  const challenge = headers.get('www-authenticate')
  const options = (offer?.options ?? []).map(({ scheme, network, asset, name, unsupported }) => ({
    ...{ scheme: short(scheme), network: short(network), asset: short(asset), name: short(name) },
    unsupported,
  }))
  const mpp = mppOptionsIn(challenge).map(({ method, intent, amount, currency }) => ({
    method: short(method),
    intent: short(intent),
    amount: short(amount),
    currency: short(currency),
    unsupported: ['scheme'],
  }))
  const message =
    'The upstream takes no payment that the proxy can make: it pays by the scheme exact, with USDC on a supported chain, through the token itself'
  return new DomainError('upstream_unsupported', message, {
    details: { offered: [...options, ...mpp].slice(0, mostNamed) },
    headers: {
      ...paymentIn(headers),
      ...(challenge !== null && mpp.length > 0 && { 'www-authenticate': challenge }),
    },
  })
}
