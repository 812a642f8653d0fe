import { type Static, Type } from '@sinclair/typebox'
import type { Answer } from '../operation.ts'
import { email, line, prose } from '../validation.ts'

/** `POST /v1/invoices`. The amount is read from its source text (`domain/money.ts`), so it has no type here. */
export const CreateInvoice = Type.Object({
  amount: Type.Unknown({
    description: 'a decimal amount with at most 6 places, as a number or a string',
  }),
  currency: line(16),
  customerName: line(256),
  customerEmail: email(),
  buyerVat: Type.Optional(line(64)),
  buyerAddress: Type.Optional(prose(500)),
  sellerName: Type.Optional(line(256)),
  sellerVat: Type.Optional(line(64)),
  sellerAddress: Type.Optional(prose(500)),
  serviceDescription: Type.Optional(prose(4_000)),
  chain: Type.Optional(line(32)),
  taxCountry: Type.Optional(line(64)),
  country: Type.Optional(line(64)),
  agentId: Type.Optional(line(256)),
  mandateId: Type.Optional(line(256)),
  dueAt: Type.Optional(line(64)),
  payer: Type.Optional(line(64)),
  metadata: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), { description: 'must be an object' }),
  ),
})
export type CreateInvoice = Static<typeof CreateInvoice>

/** The `/v1` wrapper around JSON text. */
export function wrap(json: string): string {
  return `{"success":true,"data":${json}}`
}

export function ok(json: string, status = 200): Answer {
  return { status, body: wrap(json) }
}
