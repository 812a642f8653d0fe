import type { Invoices } from '../../actors/invoices.ts'
import type { Purchases } from '../../actors/purchases/purchases.ts'
import type { Renderer } from '../../documents/pdf/render.ts'
import { DomainError } from '../../domain/error.ts'
import type { ReadTransfer } from '../../domain/x402/forwarded-payment.ts'
import { offerOf, type Token } from '../../domain/x402/requirements.ts'
import type { Egress } from '../egress/egress.ts'
import type { Answer, Call } from '../operation.ts'
import { readable } from '../request/header-text.ts'
import type { Order } from './proxy-request.ts'
import { beginningOf, unpaid } from './proxy-results.ts'

export type ProxyParts = {
  readonly purchases: Purchases
  readonly invoices: Pick<Invoices, 'get'>
  readonly documents: Pick<Renderer, 'render'>
  readonly egress: Pick<Egress, 'forward'>
  /** USDC on the chains that invoices may name. */
  readonly tokens: readonly Token[]
  readonly readTransfer: ReadTransfer
  publicUrl(): string
  readonly log: { warn(line: object, message: string): void }
}

/** A 402 of the upstream, and the payments that it offers to accept. */
export type Demanded = {
  readonly response: Response
  readonly body: string
  readonly offer: ReturnType<typeof offerOf>
}

export async function demandIn(response: Response, { tokens }: ProxyParts): Promise<Demanded> {
  const body = await beginningOf(response)
  const offer = offerOf({ header: response.headers.get('payment-required'), body }, tokens)
  return { response, body, offer }
}

/** The upstream's 402 with an invoice for it. Errors: `upstream_failed`, those of a quote. */
export async function demanded(
  { principal }: Call,
  order: Order,
  { response, body, offer }: Demanded,
  { purchases }: ProxyParts,
): Promise<Answer> {
  const [requirements] = offer.accepts
  if (!requirements) {
    const message = 'The upstream asks for a payment that is not in USDC on a supported chain'
    throw new DomainError('upstream_failed', message)
  }
  const invoice = await purchases.quote(principal.accountId, order.resource, {
    ...order,
    requirements,
    description: descriptionIn(offer),
  })
  return unpaid(response, body, invoice)
}

export function errorIn({ error }: Demanded['offer']): string | null {
  return readable(error ?? '', 500)
}

export function descriptionIn({ description }: Demanded['offer']): string | null {
  return readable(description ?? '', 4_000)
}
