import type { Invoices } from '../../actors/invoices.ts'
import type { Purchases } from '../../actors/purchases/purchases.ts'
import type { Renderer } from '../../documents/pdf/render.ts'
import { DomainError } from '../../domain/error.ts'
import { sha256Hex } from '../../domain/hash.ts'
import type { ReadTransfer } from '../../domain/x402/forwarded-payment.ts'
import { offerOf, type Token } from '../../domain/x402/requirements.ts'
import type { Egress } from '../egress/egress.ts'
import type { Answer, Call } from '../operation.ts'
import { readable } from '../request/header-text.ts'
import type { Taxes } from '../shared/invoice-fields.ts'
import { paymentIn } from './proxy-headers.ts'
import type { Order } from './proxy-request.ts'
import { beginningOf, unpaid } from './proxy-results.ts'

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

/** A 402 of the upstream, and the payments that it offers to accept. */
export type Demanded = {
  readonly response: Response
  readonly body: string
  readonly demandSha256: string | null
  readonly offer: ReturnType<typeof offerOf>
}

export async function demandIn(response: Response, { tokens }: ProxyParts): Promise<Demanded> {
  const { bytes, isWhole } = await beginningOf(response)
  const header = response.headers.get('payment-required')
  const body = bytes.toString('utf8')
  const demand = header === null ? bytes : Buffer.from(header, 'latin1')
  const demandSha256 = header !== null || isWhole ? `0x${sha256Hex(demand)}` : null
  return { response, body, demandSha256, offer: offerOf({ header, body }, tokens) }
}

/**
 * The upstream's 402 with an invoice for it. `refusal`: why the upstream did not take a payment.
 * Errors: `upstream_unsupported`, those of a quote.
 */
export async function demanded(
  { principal }: Call,
  order: Order,
  { response, body, demandSha256, offer }: Demanded,
  { purchases }: ProxyParts,
  refusal: string | null = null,
): Promise<Answer> {
  const [requirements] = offer.accepts
  if (!requirements) throw unsupported(response, offer)
  const invoice = await purchases.quote(principal.accountId, order.resource, {
    ...order,
    requirements,
    demandSha256,
    description: descriptionIn(offer),
  })
  return unpaid(response, body, invoice, refusal)
}

const mostNamed = 20

function unsupported({ headers }: Response, { options }: Demanded['offer']): DomainError {
  const short = (text: string | null) => readable(text ?? '', 128)
  const offered = options.slice(0, mostNamed).map(({ scheme, network, asset, name }) => ({
    scheme: short(scheme),
    network: short(network),
    asset: short(asset),
    name: short(name),
  }))
  const message =
    'The upstream takes no payment that the proxy can make: it pays by the scheme exact, with USDC on a supported chain, through the token itself'
  return new DomainError('upstream_unsupported', message, {
    details: { offered },
    headers: paymentIn(headers),
  })
}

export function errorIn({ error }: Demanded['offer']): string | null {
  return readable(error ?? '', 500)
}

export function descriptionIn({ description }: Demanded['offer']): string | null {
  return readable(description ?? '', 4_000)
}
