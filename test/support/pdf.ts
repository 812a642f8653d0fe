import { inflateSync } from 'node:zlib'
import type { TestApp } from './app.ts'
import { eventually } from './wait.ts'

/**
 * The parts of a PDF that tests check. It expects the form pdfkit writes: objects in plain text,
 * streams deflated or not.
 */
export function inspectPdf(bytes: Uint8Array) {
  const text = Buffer.from(bytes).toString('latin1')
  const fonts = Array.from(text.matchAll(/\/BaseFont \/(\S+)/g), ([, name]) => name ?? '')
  return {
    isPdf: text.startsWith('%PDF-1.7') && text.trimEnd().endsWith('%%EOF'),
    pages: text.match(/\/Type \/Page\b(?!s)/g)?.length ?? 0,
    fonts: [...new Set(fonts)],
    embeddedFonts: text.match(/\/FontFile2 /g)?.length ?? 0,
    links: Array.from(text.matchAll(/\/URI \(([^)]*)\)/g), ([, url]) => url),
    metadata: /<x:xmpmeta[\s\S]*<\/x:xmpmeta>/.exec(text)?.[0] ?? '',
    /** The attached file as text; null if there is none. */
    attachment: attachmentOf(bytes, text),
  }
}

function attachmentOf(bytes: Uint8Array, text: string): string | null {
  const start = text.indexOf('/Type /EmbeddedFile')
  if (start < 0) return null
  const from = text.indexOf('stream\n', start) + 'stream\n'.length
  const length = Number(/\/Length (\d+)/.exec(text.slice(start, from))?.[1])
  return inflateSync(bytes.subarray(from, from + length)).toString()
}

/**
 * Resolves once the service has drawn this invoice. For its first PDF it loads all its drawing
 * libraries, which on a busy machine can take longer than one request may.
 */
export async function drawnOnce(app: TestApp, invoiceId: string): Promise<void> {
  const path = `/api/invoices/${invoiceId}/pdf`
  await eventually(async () => (await app.send('GET', path)).status === 200, 50_000)
}
