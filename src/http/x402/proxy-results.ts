import { jobOf } from '../../documents/invoice-job.ts'
import type { Renderer } from '../../documents/render.ts'
import type { Invoice } from '../../domain/invoice.ts'
import { toJson } from '../../domain/invoice-view.ts'
import type { Answer } from '../operation.ts'
import { multipart } from './multipart.ts'
import { towardsCaller } from './proxy-headers.ts'
import { objectIn } from './proxy-upstream.ts'

const bodyless = [204, 205, 304]

/** An answer as it came, and as its bytes come. */
export function passed(
  { status, headers, body }: Response,
  more: Readonly<Record<string, string>> = {},
): Answer {
  const kept = towardsCaller(headers)
  const contentType = kept['content-type'] ?? 'application/octet-stream'
  return {
    status,
    body: bodyless.includes(status) ? null : body,
    headers: { ...kept, 'content-type': contentType, ...more },
  }
}

/** A 402 whose body keeps what clients look for in it, with the invoice beside that. */
export function unpaid({ headers }: Response, body: string, invoice: Invoice): Answer {
  const message = 'The resource must be paid for: see invoice'
  const error = { code: 'PAYMENT_REQUIRED', message, status: 402 }
  const { invoice: _, ...members } = { error, ...objectIn(body) } as Record<string, unknown>
  return {
    status: 402,
    body: `${JSON.stringify(members).slice(0, -1)},"invoice":${toJson(invoice, 'api')}}`,
    headers: {
      ...towardsCaller(headers),
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'x-invoice-id': invoice.id,
    },
  }
}

type Documents = {
  readonly documents: Renderer
  readonly log: { warn(line: object, message: string): void }
}

/** A resource, and behind it, if it can be drawn, the PDF of its invoice. */
export function inTwoParts(
  answer: Answer,
  resource: ReadableStream<Uint8Array>,
  invoice: Invoice,
  { documents, log }: Documents,
): Answer {
  // Drawn while the resource is on its way; without it the resource is still worth having.
  const drawn = documents.render(jobOf(invoice)).catch((err) => {
    log.warn({ err, invoiceId: invoice.id }, 'a paid resource goes without its document')
    return null
  })
  const { 'content-type': contentType = '', ...headers } = answer.headers ?? {}
  async function* parts() {
    yield { name: 'resource', contentType, body: resource }
    const pdf = await drawn
    if (pdf) yield { name: 'invoice', contentType: 'application/pdf', body: [pdf] }
  }
  const boundary = `quittance-${crypto.randomUUID()}`
  return {
    status: answer.status,
    body: multipart(boundary, parts()),
    headers: { ...headers, 'content-type': `multipart/mixed; boundary=${boundary}` },
  }
}

const mostBytes = 262_144

/** As much of a body as a 402 may need. */
export async function beginningOf({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body ?? []) {
    chunks.push(chunk)
    length += chunk.length
    if (length > mostBytes) break
  }
  return Buffer.concat(chunks).toString('utf8')
}
