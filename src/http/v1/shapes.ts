import { type Static, Type } from '@sinclair/typebox'
import { flatFields } from '../shared/invoice-fields.ts'

/**
 * The body of `POST /v1/invoices`. The amount is read from its source text (`domain/money.ts`), so
 * its schema documents and checks nothing.
 */
export const CreateInvoice = Type.Object({
  amount: Type.Unknown({
    type: ['number', 'string'],
    description: 'a decimal amount with at most 6 places, as a number or a string',
  }),
  ...flatFields,
})
export type CreateInvoice = Static<typeof CreateInvoice>
