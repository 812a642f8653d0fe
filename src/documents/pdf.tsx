import layout, { type DocumentNode, type SafeDocumentNode } from '@react-pdf/layout'
import draw from '@react-pdf/render'
import { Font, pdf } from '@react-pdf/renderer'
import PDFDocument from 'pdfkit'
import { facturX } from './factur-x.ts'
import { registerFonts, spell } from './fonts.ts'
import type { InvoiceDocument } from './invoice-document.ts'
import { InvoicePdf } from './invoice-pdf.tsx'

/** What a PDF is made from: what people read, and the same invoice as CII XML for their programs. */
export type Job = { readonly document: InvoiceDocument; readonly xml: string }

// Not awaited here: a thread that waits while its modules load hears nothing of what it is sent meanwhile.
const fonts = registerFonts()

// Both steps say less about themselves than react-pdf relies on.
const layOut = layout as (node: DocumentNode, fonts: typeof Font) => Promise<SafeDocumentNode>
const drawOn = draw as unknown as (output: PDFKit.PDFDocument, pages: SafeDocumentNode) => void

/**
 * The bytes of a hybrid invoice (PDF/A-3b with Factur-X inside); the same job, the same bytes. Takes tens of milliseconds in which the
 * thread does nothing else.
 */
export async function pdfOf({ document, xml }: Job): Promise<Uint8Array<ArrayBuffer>> {
  await fonts
  const { container } = pdf(<InvoicePdf document={spelled(document)} />)
  const pages = await layOut(container.document, Font)
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
  drawOn(output, pages)
  await ended
  return new Uint8Array(Buffer.concat(chunks))
}

function spelled(document: InvoiceDocument): InvoiceDocument {
  const text = JSON.stringify(document)
  return JSON.parse(text, (_, value) => (typeof value === 'string' ? spell(value) : value))
}
