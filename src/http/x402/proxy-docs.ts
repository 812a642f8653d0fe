import { Type } from '@sinclair/typebox'
import type { Docs } from '../operation.ts'
import { minorInvoice } from '../shared/invoice-docs.ts'
import { optionalHeader, paymentHeaderFields } from './payment-headers.ts'

const description =
  'Sends the request on to `url` and answers what comes back, byte for byte. Where that is a 402 of x402, an invoice is made of it: `X-Invoice-Id` ' +
  'names it, the body holds it as `invoice`, and the upstream’s own headers say how to pay. The same request with `PAYMENT-SIGNATURE` or ' +
  '`X-PAYMENT` is sent on within the budget of `X-Agent-Id`; what is bought comes with `X-Invoice-Id`, `X-Receipt-Id` once there is one, and ' +
  'a `Link` to the PDF, or with `Accept: multipart/mixed` with the PDF itself as a second part. `X-Invoice-Country`, ' +
  '`X-Invoice-Company-Name`, `-Company-VAT`, `-Company-Address`, `-Contact-Email` and `X-Invoice-PO-Number` go onto the invoice and its documents, and no further. ' +
  'A payment that is signed anew under the same id of x402’s `payment-identifier` is a retry: the first is sent again. ' +
  'An `Idempotency-Key` names one purchase for 24 hours. ' +
  'With `X-Mandate-Id` what is bought counts against that mandate: send it with the payment as well. An invoice that nobody pays ends ' +
  '`failed` after 24 hours.'

const UpstreamDemand = Type.Object(
  {
    error: Type.Unknown({ description: 'As the upstream has it, else as our own errors are.' }),
    invoice: minorInvoice,
  },
  {
    $id: 'UpstreamDemand',
    additionalProperties: true,
    description:
      'What the upstream demands: the members of its own body, and beside them `invoice`.',
  },
)

const headers = Type.Object({
  'X-Agent-Id': optionalHeader('The agent whose budget pays.'),
  'X-Mandate-Id': optionalHeader('The mandate that it is bought under.'),
  ...paymentHeaderFields,
  'X-Invoice-Id': optionalHeader('With a payment: the invoice that it pays.'),
  'Idempotency-Key': optionalHeader('Names the purchase: repeats get what it has bought.'),
  'X-Invoice-Country': optionalHeader('The country whose VAT is recorded: ISO 3166, two letters.'),
  'X-Invoice-Company-Name': optionalHeader(
    'The buyer, as documents show it. Like the others, it may be percent-encoded.',
  ),
  'X-Invoice-Company-VAT': optionalHeader('The VAT registration number of the buyer.'),
  'X-Invoice-Company-Address': optionalHeader('The postal address of the buyer.'),
  'X-Invoice-Contact-Email': optionalHeader('The e-mail address of the buyer.'),
  'X-Invoice-PO-Number': optionalHeader('The buyer’s own number of the order.'),
})

const bodied = ['POST', 'PUT', 'PATCH', 'DELETE']

/** What `/openapi.json` says about the proxy for this method. */
export function proxyDocs(method: string): Docs {
  return {
    summary: `Send a request on, and pay for it: ${method}`,
    description,
    query: Type.Object({
      url: Type.String({
        description:
          'Absolute, percent-encoded. The line and the headers of a request may have 16 KiB together; more is 431 without a body.',
        maxLength: 8_192,
        examples: ['https://api.example.com/report'],
      }),
    }),
    headers,
    answers: {
      200: Type.String({ contentMediaType: 'application/octet-stream' }),
      402: UpstreamDemand,
    },
    answerHeaders: {
      200: [
        'PAYMENT-RESPONSE',
        'X-PAYMENT-RESPONSE',
        'X-Invoice-Id',
        'X-Invoice-Warnings',
        'X-Receipt-Id',
        'Link',
      ],
      402: ['PAYMENT-REQUIRED', 'X-Invoice-Id'],
    },
    passesOn: true,
    passesBodyOn: bodied.includes(method),
    refusals: [
      'budget_exceeded',
      'agent_mismatch',
      'mandate_not_active',
      'mandate_currency_mismatch',
      'mandate_limit_exceeded',
      'idempotency_in_progress',
      'idempotency_key_reused',
      'payload_too_large',
      'invalid_state',
      'not_found',
      'overloaded',
      'upstream_failed',
      'upstream_timeout',
      'upstream_unsupported',
      'unavailable',
    ],
  }
}
