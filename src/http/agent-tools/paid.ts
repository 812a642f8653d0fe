import type { CallToolResult, ToolAnnotations } from '@modelcontextprotocol/sdk/types.js'
import { Type } from '@sinclair/typebox'
import { DomainError, invalidField } from '../../domain/error.ts'
import { pricesUsdcBase } from '../../domain/x402/pricing.ts'
import { settlementResponse } from '../../domain/x402/settlement.ts'
import { refusingNull } from '../request/null-members.ts'
import { email, line, meant, optional, prose, uuid } from '../request/validation.ts'
import { beingSettled, mostPaymentChars, paymentReused, type Sale } from '../shared/paid-orders.ts'
import type { PaidEndpoints } from './endpoints.ts'
import { type AgentTool, type Caller, tool, toolResult } from './tool.ts'

const annotations: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: true,
}
const howToPay =
  'Call it first without x_payment: the result is an error whose structuredContent is an x402 payment requirement (price, token, recipient, ' +
  'network, accepts). Pay one entry of accepts, and call again with the same arguments and the payment, base64, in x_payment (or as an ' +
  'object in _meta["x402/payment"]). Without an x402 client send the price to recipient by a plain transfer; the payment is {txHash, signature, ' +
  'payer} within an hour, where payer signed the text "Quittance payment statement v1\\nI made this transfer, and it pays:\\nResource: ' +
  '<resource.url>\\nChain: <such as base>\\nTransaction: <txHash>\\n". One payment buys one result: sent again it brings the same result, ' +
  'never a second charge. On a payment requirement with error, the payment was refused and that says why. On SERVICE_UNAVAILABLE or ' +
  'IDEMPOTENCY_IN_PROGRESS wait and retry with the same payment: you are not charged twice. On PAYMENT_REUSED it bought something else: ' +
  'start again.'
const text = Type.String({ description: 'must be a text' })
const x_payment = optional(
  Type.String({
    maxLength: mostPaymentChars,
    description: `must be a text of at most ${mostPaymentChars} characters`,
  }),
  'The x402 payment, base64. Leave it out to learn the price.',
)
const requirement = ['x402Version', 'accepts']
// A payment is on chain before anything is delivered for it.
const maxSeconds = 60

/** The tool behind `POST /api/x402/invoice`. */
export function createInvoice(endpoints: PaidEndpoints): AgentTool {
  return tool({
    name: 'service_create_invoice',
    title: 'Create an invoice that is paid to the operator',
    description:
      'Create an invoice that somebody pays in USDC to the operator of this service. What is paid for it never goes to you or to issuer: to ' +
      'be paid yourself, ask the operator for an account with your wallet, and create invoices with its key at POST /v1/invoices. ' +
      `Costs 0.01 USDC. ${howToPay} ` +
      'Returns success, capability and result: the invoice with its id (keep it for service_settle_invoice), number, status, amount and ' +
      'where to pay. On INVALID_AMOUNT or INVALID_REQUEST, which cost nothing, correct the argument that the message names.',
    annotations,
    priceUsdcBase: pricesUsdcBase.invoice,
    maxSeconds,
    input: Type.Object({
      issuer: optional(
        line(256),
        'The name shown as the seller. Whatever it is, the operator of this service is paid.',
      ),
      recipient: optional(line(256), 'The payer.'),
      email: optional(email(), 'The e-mail address of the payer.'),
      // The endpoint checks the number.
      amount: optional(
        refusingNull(
          Type.Union([Type.Number(), Type.String()], { description: 'must be a number or a text' }),
        ),
        'How much is due, a decimal such as 12.5 or "12.50" in units of currency. Default 0.01.',
      ),
      currency: optional(text, 'An ISO 4217 code, or USDC, the default.'),
      description: optional(prose(4_000), 'What it is for.'),
      x_payment,
    }),
    output: outputOf('invoice'),
    otherwise: requirement,
    run: ({ x_payment }, caller) => callPaid(endpoints.createInvoice, caller, x_payment),
  })
}

/** The tool behind `POST /api/x402/settle`. */
export function settleInvoice(endpoints: PaidEndpoints): AgentTool {
  return tool({
    name: 'service_settle_invoice',
    title: 'Check whether an invoice is settled',
    description:
      `Check whether an invoice has been paid for good, before you deliver what it is for. Costs 0.005 USDC a check. ${howToPay} ` +
      'Returns success, capability and result: invoiceId, status, settled (true once the payment is confirmed on chain) and txHash. While ' +
      'settled is false wait half a minute or more: each check costs. On NOT_FOUND, which costs nothing, check the id.',
    annotations,
    priceUsdcBase: pricesUsdcBase.settlement,
    maxSeconds,
    input: Type.Object({
      invoice_id: meant(uuid(), 'Id of the invoice, a UUID.'),
      x_payment,
    }),
    output: outputOf('settle'),
    otherwise: requirement,
    run: ({ x_payment }, caller) => callPaid(endpoints.settleInvoice, caller, x_payment),
  })
}

async function callPaid(
  endpoint: PaidEndpoints[keyof PaidEndpoints],
  { payment, argumentsText }: Caller,
  xPayment: string | undefined,
): Promise<CallToolResult> {
  return resultOf(await endpoint(argumentsText(), xPayment ?? paymentIn(payment)))
}

// Metadata may hold the payment as an object.
function paymentIn(payment: unknown): string | undefined {
  const text = typeof payment === 'string' ? payment : JSON.stringify(payment)
  if (text !== undefined && text.length > mostPaymentChars) throw longMetadata()
  return text
}

function longMetadata(): DomainError {
  const problem = `must be a payment of at most ${mostPaymentChars} characters`
  return invalidField('_meta["x402/payment"]', problem)
}

function resultOf(sale: Sale): CallToolResult {
  switch (sale.kind) {
    case 'unpaid':
    case 'refused':
      return { ...toolResult(JSON.stringify(sale.required)), isError: true }
    case 'delivered':
    case 'repeat':
      return {
        ...toolResult(sale.answer.body),
        _meta: { 'x402/payment-response': settlementResponse(sale.payment) },
      }
    case 'conflict':
      throw paymentReused()
    case 'settling':
      throw beingSettled()
    case 'pending':
      throw new DomainError('unavailable', 'The payment is still being settled', {
        retryAfterSeconds: 5,
      })
  }
}

function outputOf(capability: string) {
  return Type.Object({
    success: Type.Literal(true),
    capability: Type.Literal(capability),
    result: Type.Object({}, { additionalProperties: true }),
  })
}
