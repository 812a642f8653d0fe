import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { Claims } from '../../actors/claims/claims.ts'
import type { Claimed } from '../../actors/claims/credits.ts'
import { invalidField } from '../../domain/error.ts'
import { dueUsdcBase, receivedUsdcBase } from '../../domain/invoices/balance.ts'
import { statusOf } from '../../domain/invoices/figures.ts'
import { unpacked } from '../../domain/json-text.ts'
import { toAmount, usdcScale } from '../../domain/money/money.ts'
import type { Proof } from '../../domain/settlement/claim.ts'
import { type Operations, unparsed } from '../operation.ts'
import { check, line, meant } from '../request/validation.ts'
import { ok } from '../response/envelope.ts'
import * as Docs from './claim-docs.ts'

const proofFields = {
  txHash: meant(
    line(128),
    'The transaction of the transfer: its hash, or its signature on Solana.',
  ),
  signature: meant(
    line(16_384),
    'The signature of the five lines by `payer`; of a contract wallet, as EIP-1271 or EIP-6492 has it.',
  ),
  payer: meant(line(64), 'The wallet that sent the transfer and signs for it.'),
}
const ProofBody = Type.Object(proofFields)
const WrappedProof = Type.Object({ x_payment: ProofBody })

/** The proof itself, or the same in `x_payment`: as an object, as JSON text or as base64 of it. */
const ClaimInvoice = Type.Object({
  ...Type.Partial(ProofBody).properties,
  x_payment: Type.Optional(
    Type.Unknown({
      anyOf: [ProofBody, Type.String()],
      description: 'The same three members, as an object or as base64 of its JSON.',
    }),
  ),
})

const route = '/v1/public/invoices/:id/claim'

/**
 * The route to claim that a transfer, signed for by its payer, pays an invoice (contract §5, rule
 * 2).
 */
export function claimRoutes(operation: Operations, claims: Pick<Claims, 'claim'>) {
  return new Elysia().post(
    route,
    operation(
      { scope: null, body: ClaimInvoice, docs: Docs.claimInvoice },
      async ({ params, body }) => {
        const proof = proofOf(body.value)
        const claimed = await claims.claim(params.id ?? '', proof)
        return ok(claimJson(claimed, proof), claimed.status === 'pending' ? 202 : 200)
      },
    ),
    unparsed,
  )
}

function proofOf(body: Readonly<Record<string, unknown>>): Proof {
  if (body.x_payment === undefined) {
    check(ProofBody, body)
    return body
  }
  const wrapped = { x_payment: unpacked(body.x_payment) }
  if (wrapped.x_payment === undefined)
    throw invalidField('x_payment', 'must be an object, or base64 of its JSON')
  check(WrappedProof, wrapped)
  return wrapped.x_payment
}

function claimJson({ status, invoice }: Claimed, { txHash }: Proof): string {
  return JSON.stringify({
    invoiceId: invoice.id,
    txHash,
    status,
    invoiceStatus: statusOf(invoice.state, 'v1'),
    amountDue: toAmount(dueUsdcBase(invoice), usdcScale),
    amountReceived: toAmount(receivedUsdcBase(invoice), usdcScale),
  })
}
