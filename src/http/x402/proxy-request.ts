import { createHash } from 'node:crypto'
import { DomainError, invalidField } from '../../domain/error.ts'
import { isUuid } from '../../domain/id.ts'
import type { Party } from '../../domain/invoice.ts'
import { plainText } from '../../domain/json-text.ts'
import type { Purchase as Wanted } from '../../domain/purchase.ts'
import type { Token } from '../../domain/x402-demand.ts'
import { type Proof, proofOf } from '../../domain/x402-proof.ts'
import { taxedCountry } from '../invoice-fields.ts'
import { readBody } from '../json.ts'
import { queryOf } from '../operation.ts'
import { emailLook } from '../validation.ts'

/** What a request to the proxy wants, before it is known what that costs. */
export type Order = Omit<Wanted, 'demand' | 'description'> & {
  /** Names what is wanted: the same method and URL are the same. */
  readonly resource: string
  /** The invoice that the caller says it pays. */
  readonly invoiceId: string | null
}

/** Reads query and headers. Errors: `invalid_request` naming the parameter or header. What describes the buyer is never refused. */
export function orderOf({ method, url: text, headers }: Request): Order {
  const url = targetOf(queryOf(text))
  return {
    method,
    url,
    resource: createHash('sha256').update(`${method} ${url.href}`).digest('hex'),
    invoiceId: invoiceIdOf(headers.get('x-invoice-id')),
    buyer: buyerOf(headers),
    poNumber: readable(textOf(headers.get('x-invoice-po-number')), 64),
    country: countryOf(headers.get('x-invoice-country')),
    agentId: agentIdOf(headers.get('x-agent-id')),
  }
}

const proofHeaders = ['PAYMENT-SIGNATURE', 'X-PAYMENT'] as const

/** The payment that a request carries, or null. Errors: `invalid_request` naming the header. */
export function paymentOf(headers: Headers, tokens: readonly Token[]): Proof | null {
  const [name, ...others] = proofHeaders.filter((one) => headers.has(one))
  if (!name) return null
  if (others.length > 0) throw invalidField(name, `cannot be sent together with ${others[0]}`)
  return proofOf(jsonIn(headers.get(name) ?? '', name), name, tokens)
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

function countryOf(header: string | null): string | null {
  return header === null ? null : taxedCountry('X-Invoice-Country', header)
}

function agentIdOf(header: string | null): string | null {
  if (header === null) return null
  const agentId = readable(textOf(header), 257)
  if (agentId === null || agentId.length > 256)
    throw invalidField('X-Agent-Id', 'must be a text of 1 to 256 characters')
  return agentId
}

function buyerOf(headers: Headers): Party {
  const text = (name: string, maxLength: number) =>
    readable(textOf(headers.get(`x-invoice-${name}`)), maxLength)
  const contact = text('contact-email', 254)
  return {
    name: text('company-name', 256),
    vat: text('company-vat', 64),
    address: text('company-address', 500),
    email: contact !== null && emailLook.test(contact) ? contact : null,
  }
}

// Controls, and what turns the direction of the text around it.
const unreadable = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu

/** Text as people read it, cut to `maxLength` characters; null for none. */
export function readable(text: string, maxLength: number): string | null {
  if (text === '') return null
  const plain = text.toWellFormed().replace(unreadable, ' ').trim()
  return plain === '' ? null : [...plain].slice(0, maxLength).join('').trim()
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Headers come as Latin-1, byte for byte, whatever they were written in; who cannot send more than that writes `%C5%81`. */
function textOf(header: string | null): string {
  if (header === null) return ''
  try {
    return decodeURIComponent(utf8.decode(Buffer.from(header, 'latin1')))
  } catch {
    return utf8Of(header)
  }
}

function utf8Of(text: string): string {
  try {
    return utf8.decode(Buffer.from(text, 'latin1'))
  } catch {
    return text
  }
}
