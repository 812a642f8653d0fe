import { Type } from '@sinclair/typebox'
import type { DomainError } from '../../domain/error.ts'
import { findPayload } from '../../domain/x402/payload.ts'
import type { PaymentRequired } from '../../domain/x402/payment-required.ts'
import { settlementResponse } from '../../domain/x402/settlement.ts'
import type { Answer } from '../operation.ts'
import { beingSettled, paymentReused, type Sale } from '../shared/paid-orders.ts'
import { nameInVersionOne, versionOne } from './version-one.ts'

export function optionalHeader(description: string) {
  return Type.Optional(Type.String({ description }))
}

export const paymentHeaderFields = {
  'PAYMENT-SIGNATURE': optionalHeader(
    'The payment, as clients of x402 v2 make it: base64 of JSON.',
  ),
  'X-PAYMENT': optionalHeader('The payment, as clients of x402 v1 make it: base64 of JSON.'),
}

/** The payment that a request carries, in a header or as `bodyPayment`; null if it carries none. */
export function payloadIn({ headers }: Request, bodyPayment: unknown) {
  return findPayload({
    paymentSignature: headers.get('payment-signature'),
    xPayment: headers.get('x-payment'),
    bodyPayment,
  })
}

/** The answer to an order. Errors: `payment_reused`, `idempotency_in_progress`. */
export function saleAnswer(sale: Sale, discovery: object): Answer {
  switch (sale.kind) {
    case 'unpaid':
    case 'refused':
      return requiredAnswer(sale.required, discovery)
    case 'conflict':
      throw paymentReused()
    case 'settling':
      throw beingSettled()
    case 'pending': {
      const { network, txHash } = sale
      const message = 'The payment may be on chain; send the same payment again to learn more'
      const pending = { success: false, status: 'settlement_pending', network, txHash, message }
      return {
        status: 202,
        body: JSON.stringify(pending),
        headers: { 'retry-after': '5' },
      }
    }
    default: {
      const { payment, answer } = sale
      const inVersionOne = settlementResponse(payment, nameInVersionOne(payment.network))
      const headers = {
        'payment-response': base64(settlementResponse(payment)),
        'x-payment-response': base64(inVersionOne),
      }
      return { ...answer, headers }
    }
  }
}

/**
 * One answer for both versions: clients of version 2 read the header, those of version 1 the body.
 * `problem` is what is wrong with the order.
 */
export function requiredAnswer(
  required: PaymentRequired,
  discovery: object,
  problem?: DomainError,
): Answer {
  const extensions = { ...required.extensions, ...discovery }
  return {
    status: 402,
    body: JSON.stringify({ ...versionOne(required), details: problem && detailsOf(problem) }),
    headers: { 'payment-required': base64({ ...required, extensions }) },
  }
}

function detailsOf({ message, details }: DomainError): DomainError['details'] {
  return details ?? [{ path: '', message }]
}

function base64(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64')
}
