import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { Invoices } from '../../actors/invoices.ts'
import { languages } from '../../documents/words/language.ts'
import { ciiOf } from '../../documents/xml/cii.ts'
import type { EInvoice } from '../../documents/xml/einvoice.ts'
import { hasNationalRules, peppolOf } from '../../documents/xml/peppol.ts'
import { ublOf } from '../../documents/xml/ubl.ts'
import { invalidField } from '../../domain/error.ts'
import { presented } from '../../domain/invoices/seller.ts'
import type { Docs, Operations } from '../operation.ts'
import { queryOf } from '../request/request-url.ts'
import { fileAnswer, invoicePdf, type PdfParts, pdfSeconds } from '../shared/invoice-file.ts'

const warned =
  '`X-Document-Warnings` lists what a tax office or an EN 16931 validator may reject: `seller_name_missing`, ' +
  '`seller_address_missing`, `seller_country_missing` (the country comes from the VAT id, or else from `taxCountry`, which does not apply to the ' +
  'seller of a purchase), `seller_vat_format`, and the same for the buyer; `seller_vat_missing`; `seller_id_missing` (neither a VAT id nor a ' +
  'wallet identifies the seller); `tax_currency_missing` (VAT is charged but not stated in the currency of its country); ' +
  '`exemption_reason_missing` (a seller with a VAT id charges no VAT, and the documents give no legal reason); `tax_not_charged` (for a purchase: ' +
  'the tax is only recorded, and nobody has charged or paid it); `peppol_national_rules` (with `format=peppol`: the network has rules of the seller’s ' +
  'country that ask for more than this API knows). None of these refuses the document.'

const pdfDocs: Docs = {
  summary: 'An invoice as a PDF',
  description: `In any state; in the first language of \`Accept-Language\` that it speaks (${languages.join(', ')}), else in that of \`taxCountry\`, else in English; with the invoice as EN 16931 XML inside (Factur-X). ${warned}`,
  answers: { 200: Type.String({ contentMediaType: 'application/pdf' }) },
  cacheable: true,
  refusals: ['overloaded'],
}

const xmlDocs: Docs = {
  summary: 'An invoice as EN 16931 XML',
  description:
    'UBL 2.1, UN/CEFACT CII D16B, or Peppol BIS Billing 3.0, which is UBL with what the network asks for: `buyerReference` (or the order number of ' +
    'a purchase), names and countries of both parties, and their VAT ids, from which the electronic addresses follow. Without one of these: 409, ' +
    `naming each. ${warned}`,
  query: Type.Object({
    format: Type.Optional(
      Type.Union([Type.Literal('ubl'), Type.Literal('cii'), Type.Literal('peppol')], {
        default: 'ubl',
      }),
    ),
  }),
  answers: { 200: Type.String({ contentMediaType: 'application/xml' }) },
  cacheable: true,
  refusals: ['invalid_state'],
}

const syntaxes = {
  ubl: ublOf,
  cii: ciiOf,
  peppol: (invoice: EInvoice) => ublOf(peppolOf(invoice)),
}

const formats = Object.keys(syntaxes) as readonly (keyof typeof syntaxes)[]

export type DocumentParts = PdfParts & { readonly invoices: Invoices }

/** `/api/invoices/:id/pdf` and `/xml` (contract §4), for invoices in any state. */
export function documentRoutes(operation: Operations, parts: DocumentParts) {
  const { invoices, publicInvoices } = parts
  return new Elysia()
    .get(
      '/api/invoices/:id/pdf',
      operation(
        { scope: 'invoices:read', maxSeconds: pdfSeconds, docs: pdfDocs },
        async ({ principal, params, request }) => {
          const { accountId } = principal
          const invoice = await invoices.get(accountId, params.id ?? '')
          return invoicePdf(parts, invoice, request, accountId)
        },
      ),
    )
    .get(
      '/api/invoices/:id/xml',
      operation(
        { scope: 'invoices:read', docs: xmlDocs },
        async ({ principal, params, request }) => {
          const format = formatOf(request)
          const stored = await invoices.get(principal.accountId, params.id ?? '')
          const invoice = presented(stored, await publicInvoices.profileOf(stored))
          return fileAnswer(request, invoice, {
            extension: `${format}.xml`,
            contentType: 'application/xml',
            make: syntaxes[format],
            ...(format === 'peppol' && { warns: nationalWarnings }),
          })
        },
      ),
    )
}

function nationalWarnings(eInvoice: EInvoice): readonly string[] {
  return hasNationalRules(eInvoice) ? ['peppol_national_rules'] : []
}

function formatOf(request: Request): keyof typeof syntaxes {
  const [given = 'ubl', ...more] = queryOf(request.url).getAll('format')
  const format = formats.find((one) => one === given)
  if (format && more.length === 0) return format
  throw invalidField('format', `must be one of ${formats.join(', ')}`)
}
