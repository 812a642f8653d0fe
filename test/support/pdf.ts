import { inflateSync } from 'node:zlib'
import type { Job } from '../../src/documents/pdf/pdf.tsx'
import { createRenderer, startThread } from '../../src/documents/pdf/render.ts'
import type { TestApp } from './app.ts'
import { eventually } from './wait.ts'

/** Expects what pdfkit writes: objects in plain text, streams deflated or not. */
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

/** The first PDF loads all drawing libraries, which can take longer than a request may. */
export async function drawnOnce(app: TestApp, invoiceId: string): Promise<void> {
  const path = `/api/invoices/${invoiceId}/pdf`
  await eventually(async () => (await app.send('GET', path)).status === 200, 50_000)
}

let thread: Worker | undefined

/** Shared by all renderers of a process: a new thread works for seconds until it is warm. */
export function lentThread(): Worker {
  if (thread) return thread
  thread = startThread()
  thread.terminate = () => {}
  return thread
}

const renderer = createRenderer({
  maxWaiting: 64,
  maxWaitingPerAccount: 64,
  maxWaitMs: 60_000,
  deadlineMs: 60_000,
  startThread: lentThread,
})

export function draw(job: Job): Promise<Uint8Array> {
  return renderer.render(job, { accountId: 'acc' })
}
