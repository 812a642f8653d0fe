import { Type } from '@sinclair/typebox'
import { invoice, listQuery, oneOf, page } from '../openapi/doc-schemas.ts'
import type { Docs } from '../operation.ts'
import { wrapped, wrappedMembers } from '../response/envelope.ts'
import { asCsv, creationRefusals } from '../shared/invoice-docs.ts'

/** What `/openapi.json` says about the operations of `/v1`. */

const statuses = ['PENDING', 'SETTLED', 'FAILED']
const decimal = Type.Number({ description: 'In units of the currency.', examples: [14.875] })

const Invoice = invoice('DecimalInvoice', {
  invoiceNumber: Type.Integer({ description: 'Gapless per account and year.', examples: [1] }),
  status: oneOf(statuses),
  amount: Type.Union([Type.Number(), Type.String()], {
    description: 'As it was sent.',
    examples: [12.5],
  }),
  subtotal: decimal,
  taxAmount: decimal,
  total: decimal,
})

export const createInvoice: Docs = {
  summary: 'Create an invoice',
  description: 'The answer says where to pay and how much.',
  exampleBody: {
    amount: 12.5,
    currency: 'USDC',
    chain: 'base',
    customerName: 'Ada Example',
    customerEmail: 'ada@example.com',
    taxCountry: 'DE',
    serviceDescription: 'Work in April',
  },
  answers: { 201: wrapped(Invoice) },
  idempotent: true,
  refusals: creationRefusals,
}

export const getInvoice: Docs = {
  summary: 'Read an invoice',
  answers: { 200: wrapped(Invoice) },
}

export const listInvoices: Docs = {
  summary: 'List invoices, newest first',
  description: asCsv,
  csv: true,
  query: listQuery(statuses),
  answers: { 200: wrappedMembers(page(Invoice)) },
  refusals: ['overloaded'],
}
