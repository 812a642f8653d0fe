import { Type } from '@sinclair/typebox'
import { networks } from '../../domain/network.ts'
import { pricesUsdcBase } from '../../domain/x402/pricing.ts'
import { like, nullable, oneOf, uuid } from '../openapi/doc-schemas.ts'
import * as Example from '../openapi/examples.ts'
import type { Docs } from '../operation.ts'
import { paymentHeaderFields } from './payment-headers.ts'

/** What `/openapi.json` says about what is sold without a key. */

const PaymentRequired = Type.Object(
  {
    x402Version: Type.Literal(1),
    error: Type.String({ examples: ['Payment required'] }),
    accepts: Type.Array(
      Type.Object({
        scheme: Type.Literal('exact'),
        network: like('base'),
        maxAmountRequired: Type.String({
          description: 'In base units of the asset.',
          examples: ['10000'],
        }),
        asset: Type.String(),
        payTo: Type.String(),
        maxTimeoutSeconds: Type.Integer(),
        resource: Type.String(),
        description: Type.String(),
        mimeType: Type.String(),
        extra: Type.Record(Type.String(), Type.Unknown()),
      }),
    ),
    details: Type.Optional(
      Type.Unknown({ description: 'What is wrong with the body; correct it before you pay.' }),
    ),
  },
  {
    $id: 'PaymentRequired',
    description:
      'What must be paid, as x402 v1 has it. The header `PAYMENT-REQUIRED` says it as v2 does, on all networks.',
  },
)

const SettlementPending = Type.Object(
  {
    success: Type.Literal(false),
    status: Type.Literal('settlement_pending'),
    network: oneOf(networks),
    txHash: nullable(Type.String()),
    message: Type.String(),
  },
  { $id: 'SettlementPending' },
)

const described =
  'Without a payment the answer is 402, whatever is sent, with `PAYMENT-REQUIRED` for clients of x402 v2 and a body for those of v1; send the same request again with `PAYMENT-SIGNATURE`, `X-PAYMENT` or ' +
  '`x_payment`. A payment buys one thing once, and the same request with the same payment gets the first answer again. A payment is one that ' +
  'x402 clients sign, or `{txHash, signature, payer}` for a transfer of the price made within the last hour: there the payer signs (EIP-191 on ' +
  'EVM chains, ed25519 on Solana) five lines, each ended by a line feed: `Quittance payment statement v1`, `I made this transfer, and it ' +
  'pays:`, `Resource: <resource.url of the 402>`, `Chain: <its name, such as base>`, `Transaction: <hash, in lower case on EVM chains>`. ' +
  'While it is not known yet whether it was paid, as where no node has that transfer in a block, the answer is 202: send the same request again ' +
  'after `Retry-After`, and do not pay anew. ' +
  'A payment may have an id of yours, `extensions["payment-identifier"].info.id` (16 to 128 letters, digits, hyphens or underscores): whatever else ' +
  'you sign with the same wallet and id buys nothing more, and the same order gets the first answer.'

const headers = Type.Object(paymentHeaderFields)

const answerHeaders = {
  200: ['PAYMENT-RESPONSE', 'X-PAYMENT-RESPONSE'],
  202: ['Retry-After'],
  402: ['PAYMENT-REQUIRED'],
}

export const buyInvoice: Docs = {
  summary: 'Create an invoice of the operator for 0.01 USDC',
  description:
    'The invoice belongs to the account of the service itself: what is paid for it goes to the operator’s wallet, whoever `issuer` names, and never to ' +
    `who bought it. To be paid yourself you need an account, which the operator creates: see \`POST /v1/invoices\`. ${described}`,
  headers,
  answerHeaders,
  priceUsdcBase: pricesUsdcBase.invoice,
  exampleBody: { recipient: 'Ada Example', amount: 12.5, currency: 'USDC' },
  exampleAnswer: {
    success: true,
    capability: 'invoice',
    result: { id: Example.id, status: 'PENDING', amount: 12.5, currency: 'USDC' },
  },
  answers: {
    200: Type.Object({
      success: Type.Literal(true),
      capability: Type.Literal('invoice'),
      result: Type.Object({ id: uuid }, { description: 'As of `POST /v1/invoices`.' }),
    }),
    202: SettlementPending,
    402: PaymentRequired,
  },
  refusals: [
    'invalid_request',
    'invalid_amount',
    'payment_reused',
    'idempotency_in_progress',
    'unavailable',
  ],
}

export const buySettlement: Docs = {
  summary: 'Learn whether an invoice is settled, for 0.005 USDC',
  description: described,
  headers,
  answerHeaders,
  priceUsdcBase: pricesUsdcBase.settlement,
  exampleBody: { invoice_id: Example.id },
  exampleAnswer: {
    success: true,
    capability: 'settle',
    result: { invoiceId: Example.id, status: 'SETTLED', settled: true, txHash: Example.txHash },
  },
  answers: {
    200: Type.Object({
      success: Type.Literal(true),
      capability: Type.Literal('settle'),
      result: Type.Object({
        invoiceId: uuid,
        status: Type.String(),
        settled: Type.Boolean(),
        txHash: nullable(Type.String()),
      }),
    }),
    202: SettlementPending,
    402: PaymentRequired,
  },
  refusals: [
    'invalid_request',
    'not_found',
    'payment_reused',
    'idempotency_in_progress',
    'unavailable',
  ],
}
