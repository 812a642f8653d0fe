import type { TSchema } from '@sinclair/typebox'
import type { Order } from '../../actors/paywall/order.ts'
import { findPayload } from '../../domain/x402/payload.ts'
import { type Body, readBody } from '../request/json.ts'
import { bodyWithoutNulls } from '../request/null-members.ts'
import { check } from '../request/validation.ts'
import {
  InvoiceOrder,
  invoiceOrder,
  type OrderParts,
  type PaidParts,
  type Sale,
  SettleOrder,
  sell,
  settleOrder,
} from '../shared/paid-orders.ts'

export type PaidEndpoints = ReturnType<typeof paidEndpoints>

/**
 * The x402 endpoints for the paid tools: the same orders, behind the same paywall. `json` is a body
 * as in REST, whose payment is ignored; `payment` is text as in `x_payment`. Errors: those of REST.
 */
export function paidEndpoints(parts: Pick<OrderParts, 'invoices'> & { readonly x402: PaidParts }) {
  const orders: OrderParts = { ...parts.x402, invoices: parts.invoices }

  function buy(order: Order, bodyPayment: string | undefined): Promise<Sale> {
    const payload = findPayload({ paymentSignature: null, xPayment: null, bodyPayment })
    return sell(parts.x402.paywall, order, payload)
  }

  return {
    createInvoice: async (json: string, payment: string | undefined) =>
      buy(await invoiceOrder(orders, bodyOf(InvoiceOrder, json)), payment),
    settleInvoice: async (json: string, payment: string | undefined) =>
      buy(await settleOrder(orders, bodyOf(SettleOrder, json)), payment),
  }
}

function bodyOf(schema: TSchema, json: string): Body {
  const body = bodyWithoutNulls(schema, readBody(Buffer.from(json)))
  check(schema, body.value)
  return body
}
