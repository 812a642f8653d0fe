import { Type } from '@sinclair/typebox'
import type { Invoices } from '../../actors/invoices.ts'
import { matchers } from '../../domain/invoices/progress.ts'
import { instant, like, nullable, oneOf, sender } from '../openapi/doc-schemas.ts'
import * as Example from '../openapi/examples.ts'
import type { Answer, Call, Docs } from '../operation.ts'

const txHash = like(Example.txHash)

const Step = Type.Object({
  sequence: Type.Integer({ examples: [1] }),
  type: Type.String({
    description:
      'An event type of webhooks, or `payment.credited`, `payment.confirmed`, `payment.reverted`, `invoice.credited`.',
    examples: ['invoice.created'],
  }),
  createdAt: instant,
  txHash: nullable(txHash),
  reason: nullable(like('voided')),
  creditNote: Type.Optional(like('CN-2026-0001')),
})

const Transfer = Type.Object({
  amount: like('14.875'),
  txHash,
  blockNumber: Type.Integer({ examples: [24_105_337] }),
  blockTime: Type.Optional(instant),
  from: sender,
  matchedBy: oneOf(matchers),
  confirmed: Type.Boolean(),
})

export const timelineDocs: Docs = {
  summary: 'Read what has happened to an invoice',
  description:
    'Its transitions, oldest first (of very many, the last 200), and the USDC transfers that are credited to it now.',
  answers: {
    200: Type.Object(
      { data: Type.Array(Step), transfers: Type.Array(Transfer) },
      { $id: 'InvoiceTimeline' },
    ),
  },
}

/** The timeline of one of the caller's invoices. Errors: `not_found`. */
export async function readTimeline(
  invoices: Pick<Invoices, 'timeline'>,
  { principal, params }: Call,
): Promise<Answer> {
  const timeline = await invoices.timeline(principal.accountId, params.id ?? '')
  return { status: 200, body: JSON.stringify(timeline) }
}
