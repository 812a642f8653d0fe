import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { CreditNotes } from '../../actors/credit-notes/credit-notes.ts'
import type { Invoices } from '../../actors/invoices.ts'
import { languages } from '../../documents/words/language.ts'
import type { Invoice } from '../../domain/invoices/invoice.ts'
import { presented } from '../../domain/invoices/seller.ts'
import type { Docs, Operations, Options } from '../operation.ts'
import {
  creditNoteFile,
  creditNotePdf,
  invoiceFile,
  invoicePdf,
  type PdfParts,
  pdfSeconds,
} from '../shared/document-file.ts'
import { xmlAnswer, xmlDescription, xmlFormatOf, xmlQuery } from '../shared/xml-file.ts'

const warned =
  '`X-Document-Warnings` lists what a tax office or an EN 16931 validator may reject: `seller_name_missing`, ' +
  '`seller_address_missing`, `seller_country_missing` (the country comes from the VAT id, or else from `taxCountry`, which does not apply to the ' +
  'seller of a purchase), `seller_vat_format`, and the same for the buyer; `seller_vat_missing`; `seller_id_missing` (neither a VAT id nor a ' +
  'wallet identifies the seller); `tax_currency_missing` (VAT is charged but not stated in the currency of its country); ' +
  '`exemption_reason_missing` (a seller with a VAT id charges no VAT, and the documents give no legal reason); `tax_not_charged` (for a purchase: ' +
  'the tax is only recorded, and nobody has charged or paid it); `peppol_national_rules` (with `format=peppol`: the network has rules of the seller’s ' +
  'country that ask for more than this API knows). None of these refuses the document.'

const inside = 'with the same as EN 16931 XML inside (Factur-X)'
const language = `in the first language of \`Accept-Language\` that it speaks (${languages.join(', ')}), else in that of \`taxCountry\`, else in English`

function pdf(summary: string, description: string): Options {
  const docs: Docs = {
    summary,
    description: `${description}${language}; ${inside}. ${warned}`,
    answers: { 200: Type.String({ contentMediaType: 'application/pdf' }) },
    cacheable: true,
    refusals: ['overloaded'],
  }
  return { scope: 'invoices:read', maxSeconds: pdfSeconds, docs }
}

function xml(summary: string, description = ''): Options {
  const docs: Docs = {
    summary,
    description: `${description}${xmlDescription} ${warned}`,
    query: xmlQuery,
    answers: { 200: Type.String({ contentMediaType: 'application/xml' }) },
    cacheable: true,
    refusals: ['invalid_state'],
  }
  return { scope: 'invoices:read', docs }
}

export type DocumentParts = PdfParts & {
  readonly invoices: Invoices
  readonly creditNotes: CreditNotes
}

/** `/api/invoices/:id/pdf` and `/xml` (contract §4), in any state, and those of credit notes. */
export function documentRoutes(operation: Operations, parts: DocumentParts) {
  const { invoices, publicInvoices } = parts

  async function owned(accountId: string, id = ''): Promise<Invoice> {
    return publicInvoices.asOwned(await invoices.get(accountId, id))
  }

  async function withSeller(stored: Invoice): Promise<Invoice> {
    return presented(stored, await publicInvoices.profileOf(stored))
  }

  async function credited(accountId: string, id = '') {
    const { note } = await parts.creditNotes.get(accountId, id)
    return { note, invoice: await owned(accountId, note.invoiceId) }
  }

  return new Elysia()
    .get(
      '/api/invoices/:id/pdf',
      operation(
        pdf('An invoice as a PDF', 'In any state; '),
        async ({ principal: { accountId }, params, request }) => {
          const invoice = await owned(accountId, params.id)
          return invoicePdf(parts, invoice, request, accountId)
        },
      ),
    )
    .get(
      '/api/invoices/:id/xml',
      operation(xml('An invoice as EN 16931 XML'), async ({ principal, params, request }) => {
        const format = xmlFormatOf(request)
        const stored = await owned(principal.accountId, params.id)
        return xmlAnswer(request, format, invoiceFile(await withSeller(stored)))
      }),
    )
    .get(
      '/api/credit-notes/:id/pdf',
      operation(
        pdf('A credit note as a PDF', 'It names the invoice that it credits; '),
        async ({ principal, params, request }) => {
          const { note, invoice } = await credited(principal.accountId, params.id)
          return creditNotePdf(parts, note, invoice, request)
        },
      ),
    )
    .get(
      '/api/credit-notes/:id/xml',
      operation(
        xml('A credit note as EN 16931 XML', 'Type 381, in UBL a `CreditNote`: '),
        async ({ principal, params, request }) => {
          const format = xmlFormatOf(request)
          const { note, invoice } = await credited(principal.accountId, params.id)
          return xmlAnswer(request, format, creditNoteFile(note, await withSeller(invoice)))
        },
      ),
    )
}
