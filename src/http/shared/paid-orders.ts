import { createHash } from 'node:crypto'
import { type Static, type TObject, Type } from '@sinclair/typebox'
import type { Accepts } from '../../actors/acceptance.ts'
import type { FxOf } from '../../actors/exchange-rates.ts'
import type { Invoices } from '../../actors/invoices.ts'
import type { Order, PaymentOutcome } from '../../actors/paywall/order.ts'
import type { Paywall } from '../../actors/paywall/paywall.ts'
import { serviceAccountId } from '../../domain/accounts/account.ts'
import { canonical, type Json } from '../../domain/canonical.ts'
import { DomainError } from '../../domain/error.ts'
import { hashOf } from '../../domain/hash.ts'
import { derivedUuid } from '../../domain/id.ts'
import { dayOf } from '../../domain/instant.ts'
import { statusOf } from '../../domain/invoices/figures.ts'
import type { Invoice } from '../../domain/invoices/invoice.ts'
import { fromRequest, type Request as InvoiceRequest } from '../../domain/invoices/request.ts'
import { toJson } from '../../domain/invoices/view.ts'
import { type InvoiceChain, invoiceChains } from '../../domain/network.ts'
import type { PaymentPayload, UnreadablePayload } from '../../domain/x402/payload.ts'
import type { PaymentRequired, Resource } from '../../domain/x402/payment-required.ts'
import { pricesUsdcBase } from '../../domain/x402/pricing.ts'
import type { Body } from '../request/json.ts'
import { refusingNull } from '../request/null-members.ts'
import { email, line, meant, optional, prose } from '../request/validation.ts'
import { party, type Taxes } from './invoice-fields.ts'

export type OrderParts = {
  readonly invoices: Invoices
  publicUrl(): string
  readonly fxOf: FxOf
  readonly taxes: Taxes
  readonly accepts: Accepts
  /** Where a bought invoice can be paid: it names the first of them that invoices may name. */
  readonly chains: readonly string[]
  /** The secrets of the ids of bought invoices, 32 bytes each; the first is that of new ones. */
  readonly idKeys: readonly Uint8Array[]
  /** An invoice of any account. */
  find(id: string): Promise<Invoice | undefined>
}

export type PaidParts = Omit<OrderParts, 'invoices'> & {
  readonly paywall: Paywall
}

/** `unpaid`: no payment was sent. */
export type Sale = PaymentOutcome | { readonly kind: 'unpaid'; readonly required: PaymentRequired }

export const invoicePath = '/api/x402/invoice'
export const settlePath = '/api/x402/settle'

export const mostPaymentChars = 16_384

/** A payment in the body, for callers that cannot set headers. */
const x_payment = optional(
  Type.Union(
    [Type.String({ maxLength: mostPaymentChars }), Type.Object({}, { additionalProperties: true })],
    { description: 'must be an x402 payment: an object, its JSON, or base64 of that' },
  ),
  'The payment, where it is in no header: an object, its JSON, or base64 of that.',
)

export const InvoiceOrder = Type.Object({
  issuer: optional(
    line(256),
    'The name shown as the seller. Whatever it is, the operator is paid.',
  ),
  recipient: optional(line(256), 'The payer.'),
  email: optional(email(), 'The e-mail address of the payer.'),
  amount: Type.Optional(
    refusingNull(
      Type.Unknown({
        type: ['number', 'string'],
        description:
          'a decimal amount with at most 6 places, as a number or a string; 0.01 where it is left out',
      }),
    ),
  ),
  currency: optional(line(16), 'An ISO 4217 code, or USDC, the default.'),
  description: optional(prose(4_000), 'What it is for.'),
  x_payment,
})

export const SettleOrder = Type.Object({
  invoice_id: meant(
    Type.String({
      pattern: '^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$',
      description: 'must be the id of an invoice',
    }),
    'The id of an invoice, of whichever account: a UUID.',
  ),
  x_payment,
})

export function invoiceResource(origin: string): Resource {
  const priceUsdcBase = pricesUsdcBase.invoice
  return { url: origin + invoicePath, description: 'One invoice', priceUsdcBase }
}

export function settlementResource(origin: string): Resource {
  const description = 'The settlement state of one invoice'
  return { url: origin + settlePath, description, priceUsdcBase: pricesUsdcBase.settlement }
}

/** Orders an invoice of the service's own account. Errors: those of creating an invoice. */
export async function invoiceOrder(parts: OrderParts, body: Body): Promise<Order> {
  const { invoices, publicUrl, fxOf, taxes, accepts } = parts
  const answer = (invoice: Invoice) => {
    const shown = toJson(invoice, request.form, accepts(invoice.terms.chain))
    return { status: 200, body: resultOf('invoice', shown) }
  }
  const request = requestOf(body, parts.chains)
  // Refuses now what would be refused after the payment.
  const fx = await fxOf(request.currency)
  const rates = { day: dayOf(taxes.now()), fx, taxTable: taxes.taxTable }
  fromRequest(request, nowhere, rates)
  return {
    resource: invoiceResource(publicUrl()),
    requestHash: requestHashOf(invoicePath, InvoiceOrder, body),
    async deliver({ key, claimedAt }) {
      // Derived from the payment, so a delivery repeated after a crash answers the same invoice,
      // also when the idempotency key has expired. Payments are public and ids are not, hence the
      // secret.
      const ids = parts.idKeys.map((idKey) => derivedUuid(idKey, key, claimedAt))
      const made = (await Promise.all(ids.map(parts.find))).find((invoice) => invoice !== undefined)
      if (made) return answer(made)
      // Of two concurrent deliveries, one creates the invoice.
      const requestHash = createHash('sha256').update(key).digest()
      const idempotency = { route: invoicePath, key, requestHash }
      const { invoice } = await invoices.create(serviceAccountId, request, idempotency, ids[0])
      return answer(invoice)
    },
  }
}

/** Orders the settlement state of an invoice of any account. Errors: `not_found`. */
export async function settleOrder(parts: OrderParts, body: Body): Promise<Order> {
  const { invoice_id: id } = body.value as Static<typeof SettleOrder>
  const known = await parts.find(id)
  if (!known) throw new DomainError('not_found', 'No such invoice')
  return {
    resource: settlementResource(parts.publicUrl()),
    requestHash: requestHashOf(settlePath, SettleOrder, body),
    async deliver() {
      const invoice = (await parts.find(id)) ?? known
      const settled = invoice.state === 'settled' || invoice.state === 'completed'
      const txHash = invoice.progress.settlement?.txHash ?? null
      const { terms } = invoice
      const status = statusOf(invoice.state, terms.form)
      const result = { invoiceId: invoice.id, status, settled, txHash }
      return { status: 200, body: resultOf('settle', JSON.stringify(result)) }
    },
  }
}

export async function sell(
  paywall: Paywall,
  order: Order,
  sent: PaymentPayload | UnreadablePayload | null,
): Promise<Sale> {
  if (sent === null) return { kind: 'unpaid', required: paywall.required(order.resource) }
  return paywall.admit(order, sent)
}

function requestOf(body: Body, chains: readonly string[]): InvoiceRequest {
  const value = body.value as Static<typeof InvoiceOrder>
  return {
    form: 'v1',
    amountSource: body.source('amount') ?? '0.01',
    currency: value.currency ?? 'USDC',
    chain: chainIn(chains),
    country: null,
    buyer: party(value.recipient, value.email),
    seller: { ...party(value.issuer), wallet: null },
    description: value.description ?? null,
    agentId: null,
    mandateId: null,
    payer: null,
    dueAt: null,
    metadata: null,
  }
}

/** Errors: `unavailable` where there is no chain, before any payment is made. */
function chainIn(chains: readonly string[]): InvoiceChain {
  const chain = invoiceChains.find((one) => chains.includes(one))
  if (!chain)
    throw new DomainError(
      'unavailable',
      'No chain is configured on which the invoice could be paid',
    )
  return chain
}

const nowhere = { payTo: '', usdcAddress: '', reference: '' }

function resultOf(capability: string, json: string): string {
  return `{"success":true,"capability":"${capability}","result":${json}}`
}

/** The same for the same order, however it is written and paid. */
function requestHashOf(path: string, { properties }: TObject, { value }: Body): string {
  const { x_payment: _, ...written } = value
  const meant = Object.fromEntries(
    Object.entries(written).filter(([name]) => Object.hasOwn(properties, name)),
  )
  return hashOf(`${path} ${canonical(meant as { [name: string]: Json })}`)
}

/** The refusal of a payment that has already bought something else. */
export function paymentReused(): DomainError {
  return new DomainError(
    'payment_reused',
    'This payment, or its payment-identifier, has bought something else',
  )
}

/** The refusal of a second copy of a payment while the first is being settled. */
export function beingSettled(): DomainError {
  const message = 'This payment is being settled; try again with the same payment'
  return new DomainError('idempotency_in_progress', message, { retryAfterSeconds: 1 })
}
