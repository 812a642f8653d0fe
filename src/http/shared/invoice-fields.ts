import { type Static, Type } from '@sinclair/typebox'
import { addressIn } from '../../domain/address.ts'
import { invalidField } from '../../domain/error.ts'
import { dayOf, parseDeadline } from '../../domain/instant.ts'
import type { Request as InvoiceRequest } from '../../domain/invoices/request.ts'
import type { Form, Party } from '../../domain/invoices/terms.ts'
import { requireRates, type TaxTable } from '../../domain/money/tax-rates.ts'
import { invoiceChains } from '../../domain/network.ts'
import type { Body } from '../request/json.ts'
import {
  choice,
  country as countryCode,
  email,
  line,
  meant,
  optional,
  prose,
} from '../request/validation.ts'
import { amountIn } from './line-fields.ts'

/** What requests of all invoice families share, but amount and lines (line-fields.ts). */

const aboutCurrency =
  'The currency of the amount: an ISO 4217 code such as `EUR`, or `USDC`. Other currencies than the dollar are converted at a rate fixed at creation.'

export function currency() {
  return meant(line(16), aboutCurrency)
}

/** Fields of every family but amount, which each reads in its own unit, and currency. */
export const sharedFields = {
  chain: optional(choice(invoiceChains), 'The chain to pay on. Default: `base`.'),
  taxCountry: optional(
    line(64),
    'The country whose standard VAT is added to the amount: an ISO 3166 code of two letters such as `DE`, one of `GET /api/v1/tax/rates`. Without it there is no tax.',
  ),
  country: optional(line(64), 'The same as `taxCountry`; if both are sent they must be equal.'),
  agentId: optional(
    line(256),
    'The agent it is created for, by a name of your choice such as `agent-7`: lists can be filtered by it. No budget is charged.',
  ),
  mandateId: optional(
    line(256),
    'The mandate it is created under, such as `mnd_01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21`: a mandate of the account that both parties have signed, with enough left for the total.',
  ),
  dueAt: optional(
    line(64),
    'When payment is due: an ISO 8601 date such as `2026-06-01`, meaning its end (`23:59:59.999Z`), or a timestamp with Z or an offset. It must be in the future.',
  ),
  payer: optional(
    line(64),
    'The wallet on `chain` that is expected to pay: a transfer from it of exactly the amount due pays this invoice even without a reference.',
  ),
  buyerReference: optional(
    line(256),
    'The buyer’s own mark of its order or department, which its books ask for.',
  ),
  metadata: optional(
    Type.Record(Type.String(), Type.Unknown(), { description: 'must be an object' }),
    'Your own data: a JSON object of at most 4 KiB, returned as it was sent.',
  ),
}

type Role = 'buyer' | 'seller'

const unless = { buyer: '', seller: ' Default: that of the account’s profile.' }

export function name(role: Role) {
  return meant(line(256), `The name of the ${role}, as documents show it.${unless[role]}`)
}

export function buyerEmail() {
  return meant(
    email(),
    'The e-mail address of the buyer, as documents show it. Nothing is sent to it.',
  )
}

export function address(role: Role) {
  return optional(
    prose(500),
    `The postal address of the ${role}, the country last, in several lines.${unless[role]}`,
  )
}

export function vat(role: Role) {
  return optional(
    line(64),
    `The VAT registration number of the ${role}, such as \`DE123456789\`.${unless[role]}`,
  )
}

export function country(role: Role) {
  return optional(
    countryCode(),
    `The country of the ${role}: an ISO 3166 code of two letters such as \`DE\`. With \`lines\` it is required, unless ${known[role]} the VAT id says it.`,
  )
}

const known = { buyer: '', seller: 'the profile or ' }

export function purpose() {
  return optional(prose(4_000), 'What the invoice is for, as documents show it.')
}

/** The currency of the flat form where none is sent: of minor units, and of decimals. */
const usual: Readonly<Record<Form, string>> = { api: 'USD', v1: 'USDC' }

/** Fields of the flat form, that of `/api/v1` and `/v1`, without the currency. */
const flat = {
  ...sharedFields,
  customerName: name('buyer'),
  customerEmail: buyerEmail(),
  buyerVat: vat('buyer'),
  buyerAddress: address('buyer'),
  buyerCountry: country('buyer'),
  sellerName: Type.Optional(name('seller')),
  sellerVat: vat('seller'),
  sellerAddress: address('seller'),
  sellerCountry: country('seller'),
  serviceDescription: purpose(),
}

export function flatFields(form: Form) {
  const currency = meant(line(16), `${aboutCurrency} Default: \`${usual[form]}\`.`)
  return { currency: Type.Optional(currency), ...flat }
}

const Shared = Type.Object(sharedFields)
const Flat = Type.Object({ ...flat, currency: Type.Optional(currency()) })

type SharedRequest = Omit<InvoiceRequest, 'form' | 'buyer' | 'seller' | 'description' | 'currency'>

/** The tax rates, and the time that says which of them apply. */
export type Taxes = { readonly taxTable: TaxTable; readonly now: () => Date }

/** The shared fields of a body that fits its schema. Errors: `invalid_request`. */
export function sharedRequest(body: Body, taxes: Taxes): SharedRequest {
  const value = body.value as Static<typeof Shared>
  const { chain = 'base' } = value
  return {
    ...amountIn(body),
    ...(value.buyerReference !== undefined && { buyerReference: value.buyerReference }),
    chain,
    country: taxCountryOf(value, taxes),
    agentId: value.agentId ?? null,
    mandateId: value.mandateId ?? null,
    payer: value.payer === undefined ? null : addressIn('payer', chain, value.payer),
    dueAt: dueAtOf(value.dueAt),
    metadata: metadataOf(body),
  }
}

/** A request in the flat form. Errors: `invalid_request`. */
export function flatRequest(form: Form, body: Body, taxes: Taxes): InvoiceRequest {
  const value = body.value as Static<typeof Flat>
  return {
    form,
    currency: value.currency ?? usual[form],
    ...sharedRequest(body, taxes),
    buyer: {
      ...party(value.customerName, value.customerEmail, value.buyerAddress, value.buyerVat),
      ...countryOf(value.buyerCountry),
    },
    seller: {
      ...party(value.sellerName, undefined, value.sellerAddress, value.sellerVat),
      ...countryOf(value.sellerCountry),
      wallet: null,
    },
    description: value.serviceDescription ?? null,
  }
}

export function party(name?: string, email?: string, address?: string, vat?: string): Party {
  return { name: name ?? null, email: email ?? null, address: address ?? null, vat: vat ?? null }
}

/** The country of a party, if it has one. */
export function countryOf(code: string | undefined): Pick<Party, 'country'> {
  return code === undefined ? {} : { country: code.toUpperCase() }
}

/**
 * A country code in upper case. Errors: `invalid_request` unless it is two ASCII letters; the upper
 * case of some others is ASCII, too.
 */
export function upperCase(path: string, code: string): string {
  if (!/^[A-Za-z]{2}$/.test(code))
    throw invalidField(path, 'must be an ISO 3166 code of two letters')
  return code.toUpperCase()
}

function taxCountryOf(
  value: { taxCountry?: string; country?: string },
  taxes: Taxes,
): string | null {
  const taxCountry = value.taxCountry && taxedCountry('taxCountry', value.taxCountry, taxes)
  const country = value.country && taxedCountry('country', value.country, taxes)
  if (taxCountry !== undefined && country !== undefined && taxCountry !== country) {
    throw invalidField('taxCountry', 'differs from country, which means the same')
  }
  return taxCountry ?? country ?? null
}

/** The code of a country that has tax rates now, in upper case. Errors: `invalid_request`. */
export function taxedCountry(path: string, code: string, { taxTable, now }: Taxes): string {
  return requireRates(taxTable, upperCase(path, code), dayOf(now()), path).country
}

function dueAtOf(dueAt: string | undefined): string | null {
  if (dueAt === undefined) return null
  const instant = parseDeadline(dueAt)
  if (!instant)
    throw invalidField('dueAt', 'must be an ISO 8601 date or timestamp with Z or an offset')
  return instant.toISOString()
}

const maxMetadataBytes = 4_096

function metadataOf(body: Body): string | null {
  const source = body.source('metadata')
  if (source === undefined) return null
  if (Buffer.byteLength(source) > maxMetadataBytes)
    throw invalidField('metadata', 'must not be larger than 4 KiB')
  return source
}
