import type { PublicInvoices } from '../../actors/public-invoices.ts'
import { edition } from '../../documents/pdf/invoice-document.ts'
import { jobOf, type Renderer } from '../../documents/pdf/render.ts'
import { warningsOf } from '../../documents/warnings.ts'
import { type EInvoice, eInvoiceOf } from '../../documents/xml/einvoice.ts'
import { sha256Hex } from '../../domain/hash.ts'
import { numberOf } from '../../domain/invoices/figures.ts'
import type { Invoice } from '../../domain/invoices/invoice.ts'
import { presented } from '../../domain/invoices/seller.ts'
import type { Answer } from '../operation.ts'
import { isKnown } from '../response/etag.ts'
import { inLanguage, languageFor } from '../response/language.ts'

export type PdfParts = {
  readonly publicInvoices: PublicInvoices
  readonly documents: Renderer
}

/** Longer than the renderer takes before it gives up. */
export const pdfSeconds = 20

/** The PDF of an invoice in the language of the request. `owner` waits in line for it. */
export async function invoicePdf(
  { publicInvoices, documents }: PdfParts,
  stored: Invoice,
  request: Request,
  owner: string,
): Promise<Answer> {
  const profile = await publicInvoices.profileOf(stored)
  const invoice = presented(stored, profile)
  const language = languageFor(request, invoice)
  const { usdcBase, needsReference } = await publicInvoices.ask(invoice)
  const uri = needsReference ? null : publicInvoices.paymentUri(invoice, usdcBase)
  const asked = { usdcBase, needsReference, uri }
  const { logoHash } = profile
  const ofNow = invoice === stored ? [] : [invoice.terms.seller]
  const look = sha256Hex(JSON.stringify([logoHash, ...ofNow])).slice(0, 16)
  return fileAnswer(request, invoice, {
    extension: 'pdf',
    variant: [language, usdcBase, ...(logoHash || ofNow.length > 0 ? [look] : [])],
    headers: inLanguage(language),
    contentType: 'application/pdf',
    make: async (eInvoice) => {
      const logo = logoHash && (await publicInvoices.logoOf(invoice))
      const job = jobOf(invoice, language, { eInvoice, asked, logo: logo || null })
      return documents.render(job, { accountId: owner, signal: request.signal })
    },
  })
}

type FileForm = {
  readonly extension: string
  /** What else decides its content. */
  readonly variant?: readonly (string | bigint)[]
  readonly headers?: Readonly<Record<string, string>>
  readonly contentType: string
  /** Warnings that only this form has. */
  readonly warns?: (eInvoice: EInvoice) => readonly string[]
  readonly make: (eInvoice: EInvoice) => Answer['body'] | Promise<Answer['body']>
}

/** The invoice as a file; 304 where the caller has this version of it. */
export async function fileAnswer(
  request: Request,
  invoice: Invoice,
  { extension, variant = [], headers: more = {}, contentType, warns, make }: FileForm,
): Promise<Answer> {
  const etag = `"${[invoice.id, invoice.version, edition, ...variant, extension].join('-')}"`
  const eInvoice = eInvoiceOf(invoice)
  const warnings = [...warningsOf(invoice, eInvoice), ...(warns?.(eInvoice) ?? [])]
  const headers = {
    etag,
    'cache-control': 'private, no-cache',
    ...more,
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
