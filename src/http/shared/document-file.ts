import type { PublicInvoices } from '../../actors/public-invoices.ts'
import { edition } from '../../documents/pdf/invoice-document.ts'
import { creditJobOf, jobOf, type Renderer } from '../../documents/pdf/render.ts'
import { warningsOf } from '../../documents/warnings.ts'
import type { Language } from '../../documents/words/language.ts'
import { eCreditNoteOf } from '../../documents/xml/credit-note.ts'
import { type EInvoice, eInvoiceOf } from '../../documents/xml/einvoice.ts'
import type { Profile } from '../../domain/accounts/profile.ts'
import * as Notes from '../../domain/credit-notes/credit-note.ts'
import { sha256Hex } from '../../domain/hash.ts'
import { numberOf } from '../../domain/invoices/figures.ts'
import type { Invoice } from '../../domain/invoices/invoice.ts'
import { paymentLink } from '../../domain/invoices/payment-link.ts'
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

/** A document that is sent as a file, in the terms of EN 16931. */
export type Filed = {
  readonly id: string
  readonly version: number
  readonly number: string
  readonly eInvoice: EInvoice
  readonly warnings: readonly string[]
}

export function invoiceFile(invoice: Invoice): Filed {
  const { id, version } = invoice
  const eInvoice = eInvoiceOf(invoice)
  const warnings = warningsOf(invoice, eInvoice)
  return { id, version, number: numberOf(invoice, 'api'), eInvoice, warnings }
}

/** `invoice` is the one that the note credits. */
export function creditNoteFile(note: Notes.CreditNote, invoice: Invoice): Filed {
  const { id, version } = note
  const eInvoice = eCreditNoteOf(note, invoice)
  const warnings = warningsOf(invoice, eInvoice)
  return { id, version, number: Notes.numberOf(note), eInvoice, warnings }
}

/** The PDF of an invoice in the language of the request. `owner` waits in line for it. */
export async function invoicePdf(
  parts: PdfParts,
  stored: Invoice,
  request: Request,
  owner: string,
): Promise<Answer> {
  const { publicInvoices } = parts
  const { invoice, profile, look } = await lookOf(parts, stored)
  const { usdcBase, needsReference } = await publicInvoices.ask(invoice)
  const uri = needsReference ? null : paymentLink(invoice.terms, usdcBase)
  const asked = { usdcBase, needsReference, uri }
  const language = languageFor(request, invoice)
  const file = invoiceFile(invoice)
  return fileAnswer(request, file, {
    ...pdfForm(language, [usdcBase, ...look]),
    make: async () => {
      const logo = await logoOf(parts, invoice, profile)
      const job = jobOf(invoice, language, { ...file, asked, logo })
      return parts.documents.render(job, { accountId: owner, signal: request.signal })
    },
  })
}

/** As `invoicePdf`, of a credit note; `credited` is its invoice. */
export async function creditNotePdf(
  parts: PdfParts,
  note: Notes.CreditNote,
  credited: Invoice,
  request: Request,
): Promise<Answer> {
  const { invoice, profile, look } = await lookOf(parts, credited)
  const language = languageFor(request, invoice)
  const file = creditNoteFile(note, invoice)
  return fileAnswer(request, file, {
    ...pdfForm(language, look),
    make: async () => {
      const logo = await logoOf(parts, invoice, profile)
      const job = creditJobOf(note, invoice, language, { ...file, logo })
      const { accountId } = note
      return parts.documents.render(job, { accountId, signal: request.signal })
    },
  })
}

/** The invoice with the account as it is now, and what of it decides how its PDF looks. */
async function lookOf({ publicInvoices }: PdfParts, stored: Invoice) {
  const profile = await publicInvoices.profileOf(stored)
  const invoice = presented(stored, profile)
  const { logoHash } = profile
  const { isPurchase, buyer, seller } = invoice.terms
  const ofNow = isPurchase ? [buyer] : invoice === stored ? [] : [seller]
  const look = sha256Hex(JSON.stringify([logoHash, ...ofNow])).slice(0, 16)
  return { invoice, profile, look: logoHash || ofNow.length > 0 ? [look] : [] }
}

async function logoOf({ publicInvoices }: PdfParts, invoice: Invoice, { logoHash }: Profile) {
  return (logoHash && (await publicInvoices.logoOf(invoice))) || null
}

function pdfForm(language: Language, look: readonly (string | bigint)[]) {
  return {
    extension: 'pdf',
    variant: [language, ...look],
    headers: inLanguage(language),
    contentType: 'application/pdf',
  }
}

type FileForm = {
  readonly extension: string
  /** What else decides its content. */
  readonly variant?: readonly (string | bigint)[]
  readonly headers?: Readonly<Record<string, string>>
  readonly contentType: string
  readonly make: () => Answer['body'] | Promise<Answer['body']>
}

/** The document as a file; 304 where the caller has this version of it. */
export async function fileAnswer(
  request: Request,
  { id, version, number, warnings }: Filed,
  { extension, variant = [], headers: more = {}, contentType, make }: FileForm,
): Promise<Answer> {
  const etag = `"${[id, version, edition, ...variant, extension].join('-')}"`
  const headers = {
    etag,
    'cache-control': 'private, no-cache',
    ...more,
    ...(warnings.length > 0 && { 'x-document-warnings': warnings.join(', ') }),
  }
  if (isKnown(request, etag)) return { status: 304, body: null, headers }
  const body = await make()
  const disposition = `inline; filename="${number}.${extension}"`
  return {
    status: 200,
    body,
    headers: { ...headers, 'content-type': contentType, 'content-disposition': disposition },
  }
}
