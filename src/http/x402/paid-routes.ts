import { Elysia } from 'elysia'
import type { Order } from '../../actors/paywall/order.ts'
import type { Answer, Call, Operations } from '../operation.ts'
import { readableAnywhere } from '../response/cross-origin.ts'
import {
  InvoiceOrder,
  invoiceOrder,
  invoicePath,
  type OrderParts,
  type PaidParts,
  SettleOrder,
  sell,
  settleOrder,
  settlePath,
} from '../shared/paid-orders.ts'
import * as Docs from './paid-docs.ts'
import { payloadIn, paymentHeaders, preflight, saleAnswer } from './payment-headers.ts'

// Settling waits for a block.
const paid = { scope: null, maxSeconds: 60, headers: paymentHeaders } as const

/** What anybody can buy for x402 payments. */
export function paidRoutes(
  operation: Operations,
  parts: Pick<OrderParts, 'invoices'> & { readonly x402: PaidParts },
) {
  const orders: OrderParts = { ...parts.x402, invoices: parts.invoices }

  async function answer(order: Order, { request, body }: Call): Promise<Answer> {
    const sale = await sell(parts.x402.paywall, order, payloadIn(request, body.value.x_payment))
    return saleAnswer(sale, request)
  }

  return new Elysia()
    .post(
      invoicePath,
      operation(
        // A request that only asks for the price may leave the body out.
        { ...paid, body: InvoiceOrder, isBodyOptional: true, docs: Docs.buyInvoice },
        (call) => answer(invoiceOrder(orders, call.body), call),
      ),
      { parse: 'none' },
    )
    .post(
      settlePath,
      operation({ ...paid, body: SettleOrder, docs: Docs.buySettlement }, async (call) =>
        answer(await settleOrder(orders, call.body), call),
      ),
      { parse: 'none' },
    )
    .options(
      invoicePath,
      operation({ scope: null }, () => preflight),
    )
    .options(
      settlePath,
      operation({ scope: null }, () => preflight),
    )
    .get(
      '/.well-known/x402',
      operation({ scope: null, headers: readableAnywhere() }, () => ({
        status: 200,
        body: JSON.stringify({
          version: 1,
          x402Version: 2,
          resources: [invoicePath, settlePath].map((path) => parts.x402.publicUrl() + path),
        }),
      })),
    )
}
