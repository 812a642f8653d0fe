import layout, { type DocumentNode, type SafeDocumentNode } from '@react-pdf/layout'
import draw from '@react-pdf/render'
import { Font, pdf } from '@react-pdf/renderer'
import PDFDocument from 'pdfkit'
import { facturX } from '../xml/factur-x.ts'
import { familiesFor, registerFonts, spell } from './fonts.ts'
import type { InvoiceDocument } from './invoice-document.ts'
import { InvoicePdf } from './invoice-pdf.tsx'

export type Job = {
  readonly document: InvoiceDocument
  readonly xml: string
  /** A PNG. */
  readonly logo?: Uint8Array | null
}

// Not awaited here: a worker misses messages that are sent while its modules load.
const fonts = registerFonts()

// Their types declare less than react-pdf itself relies on.
const layOut = layout as (node: DocumentNode, fonts: typeof Font) => Promise<SafeDocumentNode>
const drawOn = draw as unknown as (output: PDFKit.PDFDocument, pages: SafeDocumentNode) => void

/**
 * A PDF/A-3b with Factur-X embedded. The same job always gives the same bytes. Blocks the thread
 * for tens of milliseconds.
 */
export async function pdfOf({ document, xml, logo }: Job): Promise<Uint8Array<ArrayBuffer>> {
  await fonts
  const text = JSON.stringify(document)
  const families = await familiesFor(text)
  const props = { document: spelled(text, families), families, logo: logo ?? null }
  const { container } = pdf(<InvoicePdf {...props} />)
  const pages = await layOut(container.document, Font)
  const at = new Date(document.updatedAt)
  // As react-pdf's `toBuffer` does, which cannot attach a file.
  const output = new PDFDocument({
    subset: 'PDF/A-3b',
    pdfVersion: '1.7',
    lang: document.language,
    displayTitle: true,
    autoFirstPage: false,
    info: {
      // pdfkit does not escape this in its XML; neither a number nor the word needs escaping.
      Title: document.title,
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

function spelled(text: string, families: readonly string[]): InvoiceDocument {
  return JSON.parse(text, (_, value) =>
    typeof value === 'string' ? spell(value, families) : value,
  )
}
