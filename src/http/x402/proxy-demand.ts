import type { Invoices } from '../../actors/invoices.ts'
import type { Purchases } from '../../actors/purchases/purchases.ts'
import type { Renderer } from '../../documents/pdf/render.ts'
import { DomainError } from '../../domain/error.ts'
import { sha256Hex } from '../../domain/hash.ts'
import type { Invoice } from '../../domain/invoices/invoice.ts'
import { toJson } from '../../domain/invoices/view.ts'
import type { JsonObject } from '../../domain/json-text.ts'
import type { ReadTransfer } from '../../domain/x402/forwarded-payment.ts'
import { type MppOption, mppOptionsIn } from '../../domain/x402/mpp.ts'
import {
  type Offer,
  type OfferedOption,
  offerOf,
  type Token,
} from '../../domain/x402/requirements.ts'
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

/** A 402 of the upstream. */
export type Demanded = {
  readonly response: Response
  /** Of its body, if that is an object. */
  readonly members: JsonObject
  readonly demandSha256: string | null
  /** Null: it is no demand of x402. */
  readonly offer: Offer | null
  readonly mpp: readonly MppOption[]
  /** What it says is wrong. */
  readonly error: string | null
  /** Passes on what demands nothing. */
  answer(): Passable
}

export async function demandIn(response: Response, { tokens }: ProxyParts): Promise<Demanded> {
  const { bytes, isWhole, whole, leave } = await beginningOf(response)
  const { status, headers } = response
  const header = headers.get('payment-required')
  const body = bytes.toString('utf8')
  const demand = header === null ? bytes : Buffer.from(header, 'latin1')
  const offer = offerOf({ header, body }, tokens)
  const mpp = mppOptionsIn(headers.get('www-authenticate'))
  if (offer || mpp.length > 0) leave()
  const members = objectIn(body)
  const said = offer?.error ?? members.error
  return {
    ...{ response, members, offer, mpp },
    demandSha256: header !== null || isWhole ? `0x${sha256Hex(demand)}` : null,
    error: typeof said === 'string' ? readable(said, 500) : null,
    answer: () => ({ status, headers, body: whole() }),
  }
}

/**
 * The upstream's 402 with an invoice for it, or as it is where it demands nothing. `refusal`: why
 * the upstream did not take a payment. Errors: `upstream_unsupported`, those of an ask.
 */
export async function demanded(
  { request, principal }: Call,
  order: Order,
  asked: Demanded,
  { purchases }: ProxyParts,
  refusal: string | null = null,
): Promise<Answer> {
  const { response, members, demandSha256, offer, mpp } = asked
  const { accepts = [], options = [], description } = offer ?? {}
  if (!offer && mpp.length === 0) return passed(request, asked.answer())
  if (accepts.length === 0) throw unsupported(response, [...options, ...mpp])
  const wanted = {
    ...order,
    options: accepts,
    demandSha256,
    description: readable(description ?? '', 4_000),
  }
  const invoice = await purchases.ask(principal.accountId, wanted, shown)
  const { warnings } = order
  return unpaid(response, members, invoice, { errorReason: refusal, warnings })
}

const shown = (invoice: Invoice) => toJson(invoice, 'api')

const mostNamed = 20

function unsupported(
  { headers }: Response,
  offered: readonly (OfferedOption | MppOption)[],
): DomainError {
  const message =
    'The upstream takes no payment that the proxy can make: it pays by the scheme exact, with USDC on a supported chain, through the token itself'
  const challenge = headers.get('www-authenticate')
  return new DomainError('upstream_unsupported', message, {
    details: { offered: offered.slice(0, mostNamed).map(named) },
    headers: {
      ...paymentIn(headers),
      ...(challenge !== null && { 'www-authenticate': challenge }),
    },
  })
}

function named({ unsupported, ...texts }: OfferedOption | MppOption) {
  const short = Object.entries(texts).map(([name, text]) => [name, readable(text ?? '', 128)])
  return { ...(Object.fromEntries(short) as typeof texts), unsupported }
}
