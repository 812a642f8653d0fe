import { emailLook } from '../../domain/email.ts'
import { DomainError, invalidField } from '../../domain/error.ts'
import { hashOf, sha256Hex } from '../../domain/hash.ts'
import { isUuid } from '../../domain/id.ts'
import type { Party } from '../../domain/invoices/terms.ts'
import { plainText } from '../../domain/json-text.ts'
import type { Order as Wanted } from '../../domain/purchases/order.ts'
import {
  type ForwardedPayment,
  type ReadTransfer,
  readForwarded,
} from '../../domain/x402/forwarded-payment.ts'
import { paymentIdIn } from '../../domain/x402/payment-identifier.ts'
import type { Token } from '../../domain/x402/requirements.ts'
import { wholeBody } from '../request/body.ts'
import { readable, textOf } from '../request/header-text.ts'
import { keyIn } from '../request/idempotency.ts'
import { readBody } from '../request/json.ts'
import { queryOf } from '../request/request-url.ts'
import { agentIdIn } from '../shared/agent-id.ts'
import { type Taxes, taxedCountry } from '../shared/invoice-fields.ts'

export type Order = Omit<Wanted, 'options' | 'description' | 'demandSha256'> & {
  /** The invoice that the caller says it pays. */
  readonly invoiceId: string | null
  readonly idempotencyKey: string | null
  /** What was left out of what describes the buyer. */
  readonly warnings: readonly string[]
}

export type Body = Uint8Array<ArrayBuffer> | null

const mostBytes = 10_485_760

/** The body, to send on and to hash. Errors: `invalid_request`, `payload_too_large`. */
export async function bodyIn(request: Request): Promise<Body> {
  const isBodyless = request.method === 'GET' || request.method === 'HEAD' || request.body === null
  return isBodyless ? null : wholeBody(request, mostBytes)
}

/** Errors: `invalid_request`. Headers that describe the buyer are never refused. */
export function orderOf({ method, url: text, headers }: Request, body: Body, taxes: Taxes): Order {
  const url = targetOf(queryOf(text))
  const { buyer, warnings } = buyerOf(headers)
  return {
    method,
    url,
    resource: hashOf(`${method} ${url.href}\n${sha256Hex(body ?? '')}`),
    invoiceId: invoiceIdOf(headers.get('x-invoice-id')),
    idempotencyKey: keyIn(headers),
    buyer,
    warnings,
    poNumber: readable(textOf(headers.get('x-invoice-po-number')), 64),
    country: countryOf(headers.get('x-invoice-country'), taxes),
    agentId: agentIdIn(headers.get('x-agent-id')),
    mandateId: mandateIdIn(headers.get('x-mandate-id')),
  }
}

const proofHeaders = ['PAYMENT-SIGNATURE', 'X-PAYMENT'] as const

/** A payment, its `payment-identifier`, and the header that holds it: name, a space, value. */
export type SentPayment = {
  readonly payment: ForwardedPayment
  readonly paymentId: string | null
  readonly header: string
}

/** The payment that a request carries; null if there is none. Errors: `invalid_request`. */
export function paymentOf(
  headers: Headers,
  tokens: readonly Token[],
  readTransfer: ReadTransfer,
): SentPayment | null {
  const [name, ...others] = proofHeaders.filter((one) => headers.has(one))
  if (!name) return null
  if (others.length > 0) throw invalidField(name, `cannot be sent together with ${others[0]}`)
  const header = headers.get(name) ?? ''
  const value = jsonIn(header, name)
  const paymentId = name === 'PAYMENT-SIGNATURE' ? paymentIdIn(value, name) : null
  const payment = readForwarded(value, name, tokens, readTransfer)
  return { payment, paymentId, header: `${name.toLowerCase()} ${header}` }
}

function jsonIn(header: string, name: string) {
  try {
    return readBody(Buffer.from(plainText(header))).value
  } catch (error) {
    if (error instanceof DomainError)
      throw invalidField(name, 'must be a JSON object, as it is or in base64')
    throw error
  }
}

function targetOf(query: URLSearchParams): URL {
  const [text, ...more] = query.getAll('url')
  const others = [...query.keys()].filter((name) => name !== 'url')
  if (text === undefined) throw invalidField('url', 'is required')
  if (more.length > 0) throw invalidField('url', 'must be given once')
  if (others.length > 0)
    throw invalidField('url', `must be percent-encoded: ${others[0]} stands behind it`)
  const url = URL.parse(text)
  if (!url) throw invalidField('url', 'must be an absolute URL')
  url.hash = ''
  return url
}

function invoiceIdOf(header: string | null): string | null {
  if (header === null || isUuid(header)) return header
  throw invalidField('X-Invoice-Id', 'must be the id of an invoice')
}

function mandateIdIn(header: string | null): string | null {
  if (header === null || /^[\x21-\x7e]{1,256}$/.test(header)) return header
  throw invalidField('X-Mandate-Id', 'must be the id of a mandate')
}

function countryOf(header: string | null, taxes: Taxes): string | null {
  return header === null ? null : taxedCountry('X-Invoice-Country', header, taxes)
}

function buyerOf(headers: Headers): { readonly buyer: Party; readonly warnings: string[] } {
  const text = (name: string, maxLength: number) =>
    readable(textOf(headers.get(`x-invoice-${name}`)), maxLength)
  const contact = text('contact-email', 254)
  const isEmail = contact === null || emailLook.test(contact)
  const buyer = {
    name: text('company-name', 256),
    vat: text('company-vat', 64),
    address: text('company-address', 500),
    email: isEmail ? contact : null,
  }
  return { buyer, warnings: isEmail ? [] : ['X-Invoice-Contact-Email is no e-mail address'] }
}
