import { Type } from '@sinclair/typebox'

/** A header that may be left out. */
export function optionalHeader(description: string) {
  return Type.Optional(Type.String({ description }))
}

/** The headers in which clients of x402 send a payment. */
export const paymentHeaderFields = {
  'PAYMENT-SIGNATURE': optionalHeader(
    'The payment, as clients of x402 v2 make it: base64 of JSON.',
  ),
  'X-PAYMENT': optionalHeader('The payment, as clients of x402 v1 make it: base64 of JSON.'),
}
