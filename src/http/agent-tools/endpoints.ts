import type { TSchema } from '@sinclair/typebox'
import { type Payment, readProof } from '../../domain/x402.ts'
import { type Body, readBody } from '../json.ts'
import {
  InvoiceOrder,
  invoiceOrder,
  type Order,
  type OrderParts,
  type PaidParts,
  SettleOrder,
  settleOrder,
} from '../paid-orders.ts'
import { check } from '../validation.ts'
import type { PaidEndpoints, Purchase } from './paid.ts'

/** The x402 endpoints as the paid tools call them: the same orders, behind the same paywall. */
export function paidEndpoints(
  parts: Pick<OrderParts, 'invoices'> & { readonly x402: PaidParts },
): PaidEndpoints {
  const orders: OrderParts = { ...parts.x402, invoices: parts.invoices }
  return {
    createInvoice: async (json, proof) =>
      sell(invoiceOrder(orders, bodyOf(InvoiceOrder, json)), proof),
    settleInvoice: async (json, proof) =>
      sell(await settleOrder(orders, bodyOf(SettleOrder, json)), proof),
  }

  async function sell(order: Order, bodyPayment: string | undefined): Promise<Purchase> {
    const { paywall } = parts.x402
    const { resource, requestHash, deliver } = order
    const proof = readProof({ paymentSignature: null, xPayment: null, bodyPayment })
    if (proof === null) return { kind: 'unpaid', demand: paywall.demand(resource) }
    const admission = await paywall.admit(resource, proof, requestHash, deliver)
    if (!('payment' in admission)) return admission
    const { kind, answer, payment } = admission
    return { kind, answer, settlement: settlementOf(payment) }
  }

  function settlementOf({ txHash: transaction, network, payer }: Payment): object {
    return { success: true, transaction, network: parts.x402.caip2Of(network), payer }
  }
}

function bodyOf(schema: TSchema, json: string): Body {
  const body = readBody(Buffer.from(json))
  check(schema, body.value)
  return body
}
