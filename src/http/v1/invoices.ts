import { Type } from '@sinclair/typebox'
import { toListed } from '../../domain/invoices/view.ts'
import type { Operations } from '../operation.ts'
import { enveloped } from '../response/envelope.ts'
import { flatFields, flatRequest } from '../shared/invoice-fields.ts'
import { type InvoiceParts, invoiceRoutes as routesOf } from '../shared/invoice-routes.ts'
import { amountFields } from '../shared/line-fields.ts'
import * as Docs from './docs.ts'

export const CreateInvoice = Type.Object({
  ...amountFields(
    'v1',
    // Read from its source text: this schema only documents it.
    Type.Unknown({
      type: ['number', 'string'],
      description: 'a decimal amount with at most 6 places, as a number or a string',
    }),
  ),
  ...flatFields('v1'),
})

/** `/v1/invoices`: decimals and the flat form; answers are wrapped. */
export function invoiceRoutes(operation: Operations, parts: InvoiceParts) {
  return routesOf(operation, parts, {
    route: '/v1/invoices',
    form: 'v1',
    body: CreateInvoice,
    docs: { create: Docs.createInvoice, get: Docs.getInvoice, list: Docs.listInvoices },
    request: (body, taxes) => flatRequest('v1', body, taxes),
    envelope: enveloped,
    item: toListed,
  })
}
