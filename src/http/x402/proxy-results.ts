import { jobOf, type Renderer } from '../../documents/pdf/render.ts'
import type { Invoice } from '../../domain/invoices/invoice.ts'
import { toJson } from '../../domain/invoices/view.ts'
import type { Answer } from '../operation.ts'
import { multipart } from './multipart.ts'
import { split, towardsCaller } from './proxy-headers.ts'
import { objectIn } from './proxy-upstream.ts'

const bodyless = [204, 205, 304]

/** The upstream's answer unchanged, streamed as its bytes come. */
export function passed(
  { method }: Pick<Request, 'method'>,
  { status, headers, body }: Response,
  more: Readonly<Record<string, string>> = {},
): Answer {
  const isBodyless = method === 'HEAD' || bodyless.includes(status)
  return {
    status,
    body: isBodyless ? null : untyped(headers, body),
    headers: {
      ...towardsCaller(headers),
      ...(isBodyless ? lengthIn(method, headers) : unbuffered(headers)),
      ...more,
    },
  }
}

/**
 * Has a web server before us pass on at once what the upstream made as it went. What has a length
 * was there as a whole: that the web server may take from us faster than a slow caller would.
 */
function unbuffered(headers: Headers): Readonly<Record<string, string>> {
  return headers.has('content-length') ? {} : { 'x-accel-buffering': 'no' }
}

/**
 * The body in a form that Bun sends without a content type where it has none. To a body that has
 * arrived whole Bun would add a type, so a small one is piped through a stream. A longer one is
 * passed on as `fetch` gave it, because what goes through a stream of ours stays in memory until it
 * is collected.
 */
function untyped(headers: Headers, body: ReadableStream<Uint8Array> | null) {
  const isSmall = Number(headers.get('content-length') ?? mostBytes) < mostBytes
  if (body === null || headers.has('content-type') || !isSmall) return body
  return body.pipeThrough(new TransformStream())
}

/**
 * Headers with the length of a body that is not sent. Without any, Bun would announce a length of 0
 * for HEAD.
 */
function lengthIn(method: string, headers: Headers): Readonly<Record<string, string>> {
  const length = headers.get('content-length')
  if (length !== null) return { 'content-length': length }
  return method === 'HEAD' ? { 'transfer-encoding': 'chunked' } : {}
}

/** A 402 whose body keeps the upstream's members, which clients look for, and adds the invoice. */
export function unpaid({ headers }: Response, body: string, invoice: Invoice): Answer {
  const message = 'The resource must be paid for: see invoice'
  const error = { code: 'PAYMENT_REQUIRED', message, status: 402 }
  const { invoice: _, ...members } = { error, ...objectIn(body) } as Record<string, unknown>
  return {
    status: 402,
    body: `${written(members, { error }).slice(0, -1)},"invoice":${toJson(invoice, 'api')}}`,
    headers: {
      ...split(towardsCaller(headers)).others,
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'x-invoice-id': invoice.id,
    },
  }
}

/**
 * An object as JSON; `otherwise` where the object is nested deeper than JavaScript can write,
 * although it could be read.
 */
function written(members: object, otherwise: object): string {
  try {
    return JSON.stringify(members)
  } catch {
    return JSON.stringify(otherwise)
  }
}

type Documents = {
  readonly documents: Pick<Renderer, 'render'>
  /** Aborts with the request that is being answered. */
  readonly signal?: AbortSignal
  readonly log: { warn(line: object, message: string): void }
}

/**
 * The resource followed by the PDF of its invoice, if that can be rendered, as two parts; an answer
 * without a body as it is.
 */
export function inTwoParts(
  answer: Answer,
  invoice: Invoice,
  { documents, signal, log }: Documents,
): Answer {
  const { body } = answer
  if (!(body instanceof ReadableStream)) return answer
  // Rendered while the resource is being sent; if that fails, the resource is sent without it.
  const caller = { accountId: invoice.accountId, ...(signal && { signal }) }
  const drawn = Promise.try(() => documents.render(jobOf(invoice), caller)).catch((err) => {
    log.warn({ err, invoiceId: invoice.id }, 'a paid resource goes without its document')
    return null
  })
  const { ofBody, others } = split(answer.headers ?? {})
  async function* parts(resource: ReadableStream<Uint8Array>) {
    yield { name: 'resource', headers: ofBody, body: resource }
    const pdf = await drawn
    if (pdf) yield { name: 'invoice', headers: { 'content-type': 'application/pdf' }, body: [pdf] }
  }
  const boundary = `quittance-${crypto.randomUUID()}`
  return {
    status: answer.status,
    body: multipart(boundary, parts(body)),
    headers: { ...others, 'content-type': `multipart/mixed; boundary=${boundary}` },
  }
}

const mostBytes = 262_144
const patienceMs = 10_000

/**
 * The beginning of a body, as much as a 402 may need and as arrives in time. It may be cut short,
 * because the headers count even so.
 */
export async function beginningOf({ body }: Response, limitMs = patienceMs): Promise<string> {
  if (body === null) return ''
  const reader = body.getReader()
  const giveUp = () => void reader.cancel().catch(() => {})
  const late = setTimeout(giveUp, limitMs)
  const chunks: Uint8Array[] = []
  for (let length = 0; length <= mostBytes; ) {
    const { value } = await reader.read().catch(() => ({ value: undefined }))
    if (!value) break
    chunks.push(value)
    length += value.length
  }
  clearTimeout(late)
  giveUp()
  return Buffer.concat(chunks).toString('utf8')
}
