import { type Static, Type } from '@sinclair/typebox'
import { sharedFields } from '../invoice-fields.ts'
import { email, line, minorAmount, prose } from '../validation.ts'

/** The body of `POST /api/invoices`. */
export const CreateInvoice = Type.Object({
  amount: minorAmount(),
  ...sharedFields,
  description: Type.Optional(prose(4_000)),
  buyer: Type.Object(
    {
      companyName: line(256),
      email: email(),
      address: Type.Optional(prose(500)),
      vat: Type.Optional(line(64)),
    },
    { description: 'must be an object with companyName and email' },
  ),
  seller: Type.Object(
    {
      name: line(256),
      wallet: line(64),
      address: Type.Optional(prose(500)),
      vat: Type.Optional(line(64)),
    },
    { description: 'must be an object with name and wallet' },
  ),
})
export type CreateInvoice = Static<typeof CreateInvoice>
