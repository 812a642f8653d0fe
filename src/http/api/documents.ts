import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { Invoices } from '../../actors/invoices.ts'
import type { PublicInvoices } from '../../actors/public-invoices.ts'
import { edition } from '../../documents/pdf/invoice-document.ts'
import { jobOf, type Renderer } from '../../documents/pdf/render.ts'
import { warningsOf } from '../../documents/warnings.ts'
import { type Language, languages } from '../../documents/words/language.ts'
import { ciiOf } from '../../documents/xml/cii.ts'
import { type EInvoice, eInvoiceOf } from '../../documents/xml/einvoice.ts'
import { ublOf } from '../../documents/xml/ubl.ts'
import { invalidField } from '../../domain/error.ts'
import { numberOf } from '../../domain/invoices/figures.ts'
import type { Invoice } from '../../domain/invoices/invoice.ts'
import type { Answer, Docs, Operations } from '../operation.ts'
import { queryOf } from '../request/request-url.ts'
import { isKnown } from '../response/etag.ts'
import { inLanguage, languageFor } from '../response/language.ts'

const warned =
  '`X-Document-Warnings` lists what a tax office or an EN 16931 validator may reject: `seller_name_missing`, ' +
  '`seller_address_missing`, `seller_country_missing` (the country comes from the VAT id, or else from `taxCountry`, which does not apply to the ' +
  'seller of a purchase), `seller_vat_format`, and the same for the buyer; `seller_vat_missing`; `seller_id_missing` (neither a VAT id nor a ' +
  'wallet identifies the seller); `tax_currency_missing` (VAT is charged but not stated in the currency of its country); ' +
  '`exemption_reason_missing` (a seller with a VAT id charges no VAT, and the documents give no legal reason); `tax_not_charged` (for a purchase: ' +
  'the tax is only recorded, and nobody has charged or paid it). None of these refuses the document.'

const pdfDocs: Docs = {
  summary: 'An invoice as a PDF',
  description: `In any state; in the first language of \`Accept-Language\` that it speaks (${languages.join(', ')}), else in that of \`taxCountry\`, else in English; with the invoice as EN 16931 XML inside (Factur-X). ${warned}`,
  answers: { 200: Type.String({ contentMediaType: 'application/pdf' }) },
  cacheable: true,
  refusals: ['overloaded'],
}

/** Longer than the renderer takes before it gives up. */
const pdfSeconds = 20

const xmlDocs: Docs = {
  summary: 'An invoice as EN 16931 XML',
  description: `UBL 2.1, or UN/CEFACT CII D16B. ${warned}`,
  query: Type.Object({
    format: Type.Optional(
      Type.Union([Type.Literal('ubl'), Type.Literal('cii')], { default: 'ubl' }),
    ),
  }),
  answers: { 200: Type.String({ contentMediaType: 'application/xml' }) },
  cacheable: true,
}

const syntaxes = { ubl: ublOf, cii: ciiOf }

export type DocumentParts = {
  readonly invoices: Invoices
  readonly publicInvoices: Pick<PublicInvoices, 'ask' | 'paymentUri'>
  readonly documents: Renderer
}

/** `/api/invoices/:id/pdf` and `/xml` (contract §4), for invoices in any state. */
export function documentRoutes(operation: Operations, parts: DocumentParts) {
  const { invoices, publicInvoices, documents } = parts
  return new Elysia()
    .get(
      '/api/invoices/:id/pdf',
      operation(
        { scope: 'invoices:read', maxSeconds: pdfSeconds, docs: pdfDocs },
        async ({ principal, params, request }) => {
          const invoice = await invoices.get(principal.accountId, params.id ?? '')
          const language = languageFor(request, invoice)
          const caller = { accountId: principal.accountId, signal: request.signal }
          const { usdcBase, needsReference } = await publicInvoices.ask(invoice)
          const uri = needsReference ? null : publicInvoices.paymentUri(invoice, usdcBase)
          const asked = { usdcBase, needsReference, uri }
          return answer(request, invoice, {
            extension: 'pdf',
            askedBase: usdcBase,
            language,
            contentType: 'application/pdf',
            make: (eInvoice) =>
              documents.render(jobOf(invoice, language, { eInvoice, asked }), caller),
          })
        },
      ),
    )
    .get(
      '/api/invoices/:id/xml',
      operation(
        { scope: 'invoices:read', docs: xmlDocs },
        async ({ principal, params, request }) => {
          const syntax = syntaxOf(request)
          const invoice = await invoices.get(principal.accountId, params.id ?? '')
          return answer(request, invoice, {
            extension: `${syntax}.xml`,
            contentType: 'application/xml',
            make: syntaxes[syntax],
          })
        },
      ),
    )
}

type FileForm = {
  readonly extension: string
  readonly language?: Language
  readonly askedBase?: bigint
  readonly contentType: string
  readonly make: (eInvoice: EInvoice) => Answer['body'] | Promise<Answer['body']>
}

/** The invoice as a file; 304 where the caller has this version of it. */
async function answer(
  request: Request,
  invoice: Invoice,
  { extension, language, askedBase, contentType, make }: FileForm,
): Promise<Answer> {
  const variant = [edition, language, askedBase, extension].filter((part) => part !== undefined)
  const etag = `"${[invoice.id, invoice.version, ...variant].join('-')}"`
  const eInvoice = eInvoiceOf(invoice)
  const warnings = warningsOf(invoice, eInvoice)
  const headers = {
    etag,
    'cache-control': 'private, no-cache',
    ...(language && inLanguage(language)),
    ...(warnings.length > 0 && { 'x-document-warnings': warnings.join(', ') }),
  }
  if (isKnown(request, etag)) return { status: 304, body: null, headers }
  const body = await make(eInvoice)
  const disposition = `inline; filename="${numberOf(invoice, 'api')}.${extension}"`
  return {
    status: 200,
    body,
    headers: { ...headers, 'content-type': contentType, 'content-disposition': disposition },
  }
}

function syntaxOf(request: Request): keyof typeof syntaxes {
  const [format = 'ubl', ...more] = queryOf(request.url).getAll('format')
  if (more.length === 0 && (format === 'ubl' || format === 'cii')) return format
  throw invalidField('format', 'must be one of ubl, cii')
}
