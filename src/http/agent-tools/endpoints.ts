import type { TSchema } from '@sinclair/typebox'
import type { Order } from '../../actors/paywall/order.ts'
import { findPayload } from '../../domain/x402/payload.ts'
import { settlementResponse } from '../../domain/x402/settlement.ts'
import { type Body, readBody } from '../request/json.ts'
import { bodyWithoutNulls } from '../request/null-members.ts'
import { check } from '../request/validation.ts'
import {
  InvoiceOrder,
  invoiceOrder,
  type OrderParts,
  type PaidParts,
  SettleOrder,
  sell,
  settleOrder,
} from '../shared/paid-orders.ts'
import type { PaidEndpoints, Sale } from './paid.ts'

/** The x402 endpoints for the paid tools: the same orders, behind the same paywall. */
export function paidEndpoints(
  parts: Pick<OrderParts, 'invoices'> & { readonly x402: PaidParts },
): PaidEndpoints {
  const orders: OrderParts = { ...parts.x402, invoices: parts.invoices }
  return {
    createInvoice: async (json, payment) =>
      saleOf(invoiceOrder(orders, bodyOf(InvoiceOrder, json)), payment),
    settleInvoice: async (json, payment) =>
      saleOf(await settleOrder(orders, bodyOf(SettleOrder, json)), payment),
  }

  async function saleOf(order: Order, bodyPayment: string | undefined): Promise<Sale> {
    const payload = findPayload({ paymentSignature: null, xPayment: null, bodyPayment })
    const sale = await sell(parts.x402.paywall, order, payload)
    if (!('payment' in sale)) return sale
    const { kind, answer, payment } = sale
    return { kind, answer, settlement: settlementResponse(payment) }
  }
}

function bodyOf(schema: TSchema, json: string): Body {
  const body = bodyWithoutNulls(schema, readBody(Buffer.from(json)))
  check(schema, body.value)
  return body
}
