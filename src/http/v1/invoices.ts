import { toJson } from '../../domain/invoices/view.ts'
import type { Operations } from '../operation.ts'
import { wrap, wrapMembers } from '../response/envelope.ts'
import { flatRequest } from '../shared/invoice-fields.ts'
import { type InvoiceParts, invoiceRoutes as routesOf } from '../shared/invoice-routes.ts'
import * as Docs from './docs.ts'
import { CreateInvoice } from './shapes.ts'

/** `/v1/invoices`: decimals and the flat form; answers are wrapped. */
export function invoiceRoutes(operation: Operations, parts: InvoiceParts) {
  return routesOf(operation, parts, {
    route: '/v1/invoices',
    form: 'v1',
    body: CreateInvoice,
    docs: { create: Docs.createInvoice, get: Docs.getInvoice, list: Docs.listInvoices },
    request: (body) => flatRequest('v1', body),
    wrap,
    item: (invoice) => toJson(invoice, 'v1'),
    wrapMembers,
  })
}
