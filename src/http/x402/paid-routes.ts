import type { TObject } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { Order } from '../../actors/paywall/order.ts'
import { DomainError } from '../../domain/error.ts'
import type { Resource } from '../../domain/x402/payment-required.ts'
import { type Answer, type Call, emptyBody, type Operations } from '../operation.ts'
import { noBytes, readBytes } from '../request/body.ts'
import { type Body, readBody } from '../request/json.ts'
import { bodyWithoutNulls } from '../request/null-members.ts'
import { check } from '../request/validation.ts'
import { rowOf } from '../response/errors.ts'
import {
  InvoiceOrder,
  invoiceOrder,
  invoicePath,
  invoiceResource,
  type OrderParts,
  type PaidParts,
  SettleOrder,
  sell,
  settlementResource,
  settleOrder,
  settlePath,
} from '../shared/paid-orders.ts'
import { discoveryOf } from './discovery.ts'
import * as Docs from './paid-docs.ts'
import { payloadIn, requiredAnswer, saleAnswer } from './payment-headers.ts'

const uncached = { 'cache-control': 'no-store' }
// Settling waits for a block. The body is read here: without a payment it may be anything.
const paid = { scope: null, maxSeconds: 60, headers: uncached, isBodyRaw: true } as const

type Product = {
  readonly schema: TObject
  readonly docs: typeof Docs.buyInvoice
  resource(origin: string): Resource
  order(parts: OrderParts, body: Body): Promise<Order>
}

const products: Readonly<Record<string, Product>> = {
  [invoicePath]: {
    schema: InvoiceOrder,
    docs: Docs.buyInvoice,
    resource: invoiceResource,
    order: invoiceOrder,
  },
  [settlePath]: {
    schema: SettleOrder,
    docs: Docs.buySettlement,
    resource: settlementResource,
    order: settleOrder,
  },
}

/** What anybody can buy for x402 payments. */
export function paidRoutes(
  operation: Operations,
  parts: Pick<OrderParts, 'invoices'> & { readonly x402: PaidParts },
) {
  const { paywall, publicUrl } = parts.x402
  const orders: OrderParts = { ...parts.x402, invoices: parts.invoices }
  const app = new Elysia()

  for (const [path, { schema, docs, resource, order }] of Object.entries(products)) {
    const discovery = discoveryOf(docs, schema)
    const { exampleBody: _, ...bodiless } = docs

    const answer = async ({ request }: Call): Promise<Answer> => {
      let bodyPayment: unknown
      const ordered = await orderIn(request).catch((error: unknown) => {
        if (error instanceof DomainError) return error
        throw error
      })
      // An answer without a body must not cost anything.
      const payload = request.method === 'HEAD' ? null : payloadIn(request, bodyPayment)
      if (!(ordered instanceof DomainError))
        return saleAnswer(await sell(paywall, ordered, payload), discovery)
      if (payload !== null || rowOf(ordered.reason).status >= 500) throw ordered
      return requiredAnswer(paywall.required(resource(publicUrl())), discovery, ordered)

      async function orderIn(sender: Request): Promise<Order> {
        const bytes =
          sender.method === 'GET' ? noBytes : await readBytes(sender, { isBodyOptional: true })
        const sent = bytes.length === 0 ? emptyBody : readBody(bytes)
        bodyPayment = sent.value.x_payment
        const body = bodyWithoutNulls(schema, sent)
        check(schema, body.value)
        return order(orders, body)
      }
    }

    app
      .post(path, operation({ ...paid, docs: { ...docs, body: schema } }, answer), {
        parse: 'none',
      })
      .get(path, operation({ ...paid, docs: bodiless }, answer), { parse: 'none' })
  }

  return app.get(
    '/.well-known/x402',
    operation({ scope: null }, () => ({
      status: 200,
      body: JSON.stringify({
        version: 1,
        x402Version: 2,
        resources: Object.keys(products).map((path) => publicUrl() + path),
      }),
    })),
  )
}
