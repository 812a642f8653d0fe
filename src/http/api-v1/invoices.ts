import { Type } from '@sinclair/typebox'
import { toSummary } from '../../domain/invoices/view.ts'
import type { Operations } from '../operation.ts'
import { minorAmount } from '../request/validation.ts'
import { bare } from '../response/envelope.ts'
import { getMinorInvoice, listMinorInvoices } from '../shared/invoice-docs.ts'
import { flatFields, flatRequest } from '../shared/invoice-fields.ts'
import { type InvoiceParts, invoiceRoutes as routesOf } from '../shared/invoice-routes.ts'
import { amountFields } from '../shared/line-fields.ts'
import * as Docs from './docs.ts'

const CreateInvoice = Type.Object({ ...amountFields('api', minorAmount()), ...flatFields('api') })

/** The flat form in minor units; answers have the form of those of `/api/invoices`. */
export function invoiceRoutes(operation: Operations, parts: InvoiceParts) {
  return routesOf(operation, parts, {
    route: '/api/v1/invoices',
    form: 'api',
    body: CreateInvoice,
    docs: { create: Docs.createInvoice, get: getMinorInvoice, list: listMinorInvoices },
    request: (body, taxes) => flatRequest('api', body, taxes),
    envelope: bare,
    item: toSummary,
  })
}
