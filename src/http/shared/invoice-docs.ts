import { Type } from '@sinclair/typebox'
import type { Reason } from '../../domain/error.ts'
import { statusDetails } from '../../domain/invoices/figures.ts'
import { states } from '../../domain/invoices/invoice.ts'
import {
  counterparty,
  creditedOf,
  currency,
  instant,
  invoice,
  kind,
  listedBuyer,
  listQuery,
  minor,
  oneOf,
  page,
  uuid,
} from '../openapi/doc-schemas.ts'
import type { Docs } from '../operation.ts'

/** What `/openapi.json` says about invoices in both `/api` families. */

const figures = {
  invoiceNumber: Type.String({
    description: 'Gapless per account and year, purchases in a series of their own.',
    examples: ['INV-2026-0001', 'PUR-2026-0001'],
  }),
  status: oneOf(states),
  statusDetail: {
    ...oneOf(statusDetails),
    description:
      'The `status`, more precisely: `partly_paid` is a draft or sent invoice that has received part of the amount, ' +
      '`expired`, `void` or `credited` (whole, with nothing received) a failed one.',
  },
  amount: minor,
}
const tax = Type.Integer({ description: 'In the smallest unit of the currency.', examples: [190] })
const total = Type.Integer({ ...tax, examples: [1_190] })

const { amountCredited } = creditedOf(total)

export const minorInvoice = invoice('Invoice', {
  ...figures,
  subtotal: minor,
  taxAmount: tax,
  tax,
  total,
})

const summary = Type.Object(
  {
    id: uuid,
    ...figures,
    kind,
    currency,
    total,
    amountCredited,
    buyer: listedBuyer,
    counterparty,
    createdAt: instant,
  },
  { $id: 'InvoiceSummary' },
)

export const getMinorInvoice: Docs = {
  summary: 'Read an invoice',
  description:
    'An invoice created in `/v1` may have fractions of the smallest unit: they are rounded.',
  answers: { 200: minorInvoice },
}

/** The reasons why any family may refuse to create an invoice. */
export const creationRefusals: readonly Reason[] = [
  'invalid_amount',
  'mandate_not_active',
  'mandate_currency_mismatch',
  'mandate_limit_exceeded',
]

/** Describes the CSV form of an invoice list, in every family. */
export const asCsv =
  'With `Accept: text/csv` the answer is a file of all matching invoices; `limit`, `page` and `cursor` are ignored. ' +
  'Those that settled in a `period` are listed in the order of settlement, the latest first. ' +
  'Its last column, `overpaidAmount`, is empty unless a settled invoice received more than was due. ' +
  'An apostrophe is put before what a spreadsheet could take for a formula.'

export const listMinorInvoices: Docs = {
  summary: 'List invoices, newest first',
  description: asCsv,
  csv: true,
  query: listQuery(states),
  answers: { 200: Type.Object(page(summary)) },
  refusals: ['overloaded'],
}
