import layout, { type DocumentNode } from '@react-pdf/layout'
import draw from '@react-pdf/render'
import { Font, pdf } from '@react-pdf/renderer'
import PDFDocument from 'pdfkit'
import { createElement } from 'react'
import { facturX } from './factur-x.ts'
import { registerFonts } from './fonts.ts'
import type { InvoiceDocument } from './invoice-document.ts'
import { InvoicePdf } from './invoice-pdf.tsx'

/** What a PDF is made from: what people read, and the same invoice as CII XML for their programs. */
export type Job = { readonly document: InvoiceDocument; readonly xml: string }

registerFonts()

/**
 * The bytes of a hybrid invoice (PDF/A-3b with Factur-X inside); the same job, the same bytes. Takes tens of milliseconds in which the
 * thread does nothing else.
 */
export async function pdfOf({ document, xml }: Job): Promise<Uint8Array<ArrayBuffer>> {
  const { container } = pdf(createElement(InvoicePdf, { document }))
  const node = container.document as DocumentNode
  const pages = await layout(node, Font)
  const at = new Date(document.updatedAt)
  // The steps that react-pdf's own `toBuffer` takes: it has no place to attach a file.
  const output = new PDFDocument({
    subset: 'PDF/A-3b',
    pdfVersion: '1.7',
    lang: 'en',
    displayTitle: true,
    autoFirstPage: false,
    info: {
      // Figures only: pdfkit writes it into the XML of its metadata as it is.
      Title: `Invoice ${document.number}`,
      Creator: 'Quittance',
      Producer: 'Quittance',
      CreationDate: new Date(document.createdAt),
      ModDate: at,
    },
  })
  output.file(Buffer.from(xml), { ...facturX.file, creationDate: at, modifiedDate: at })
  output.appendXML(facturX.metadata)
  const chunks: Uint8Array[] = []
  output.on('data', (chunk: Uint8Array) => chunks.push(chunk))
  const ended = new Promise((resolve, reject) => output.on('end', resolve).on('error', reject))
  draw(output, pages)
  await ended
  return new Uint8Array(Buffer.concat(chunks))
}
