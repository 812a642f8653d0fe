import type { Quoted } from '../../actors/purchases/asking.ts'
import { jobOf, type Renderer } from '../../documents/pdf/render.ts'
import type { Language } from '../../documents/words/language.ts'
import type { Invoice } from '../../domain/invoices/invoice.ts'
import type { JsonObject } from '../../domain/json-text.ts'
import type { Answer } from '../operation.ts'
import { multipart } from './multipart.ts'
import { split, towardsCaller, withoutMppChallenge } from './proxy-headers.ts'

const bodyless = [204, 205, 304]

export type Passable = Pick<Response, 'status' | 'headers' | 'body'>

type Pairs = Readonly<Record<string, string>>

/** The upstream's answer unchanged, streamed as its bytes come. */
export function passed(
  { method }: Pick<Request, 'method'>,
  { status, headers, body }: Passable,
  more: Pairs = {},
): Answer {
  const isBodyless = hasNoBody(method, status)
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

export function hasNoBody(method: string, status: number): boolean {
  return method === 'HEAD' || bodyless.includes(status)
}

/** A web server in front of us must not hold back a stream; what has a length it may buffer. */
function unbuffered(headers: Headers): Pairs {
  return headers.has('content-length') ? {} : { 'x-accel-buffering': 'no' }
}

/**
 * Bun adds a content type to a body that has arrived whole, so a small one without a type is piped
 * through a stream. A longer one is not: in a stream of ours it would stay in memory.
 */
function untyped(headers: Headers, body: ReadableStream<Uint8Array> | null) {
  const isSmall = Number(headers.get('content-length') ?? mostBytes) < mostBytes
  if (body === null || headers.has('content-type') || !isSmall) return body
  return body.pipeThrough(new TransformStream())
}

/** The length of a body that is not sent. Without any, Bun announces 0 for HEAD. */
function lengthIn(method: string, headers: Headers): Pairs {
  const length = headers.get('content-length')
  if (length !== null) return { 'content-length': length }
  return method === 'HEAD' ? { 'transfer-encoding': 'chunked' } : {}
}

/** The upstream's 402 with the invoice added to its body, whose members clients look for. */
export function unpaid(
  { headers }: Response,
  said: JsonObject,
  invoice: Quoted,
  {
    errorReason,
    warnings,
  }: { readonly errorReason: string | null; readonly warnings: readonly string[] },
): Answer {
  const message = 'The resource must be paid for: see invoice'
  const error = { code: 'PAYMENT_REQUIRED', message, status: 402 }
  const { invoice: _, ...members } = {
    error,
    ...said,
    ...(errorReason !== null && { errorReason }),
  } as Record<string, unknown>
  return {
    status: 402,
    body: `${written(members, { error }).slice(0, -1)},"invoice":${invoice.text}}`,
    headers: {
      ...split(withoutMppChallenge(towardsCaller(headers))).others,
      ...warned(warnings),
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'x-invoice-id': invoice.id,
    },
  }
}

/** What was left out of the headers that describe the buyer. */
export function warned(warnings: readonly string[]): Pairs {
  return warnings.length === 0 ? {} : { 'x-invoice-warnings': warnings.join(', ') }
}

/** `otherwise` replaces an object that is nested deeper than JavaScript can write. */
function written(members: object, otherwise: object): string {
  try {
    return JSON.stringify(members)
  } catch {
    return JSON.stringify(otherwise)
  }
}

type Documents = {
  readonly documents: Pick<Renderer, 'render'>
  readonly signal?: AbortSignal
  readonly language: Language
  readonly log: { warn(line: object, message: string): void }
}

/** The resource and, if it can be rendered, the PDF of its invoice, as `multipart/mixed`. */
export function inTwoParts(
  answer: Answer,
  invoice: Invoice,
  { documents, signal, language, log }: Documents,
): Answer {
  const { body } = answer
  if (!(body instanceof ReadableStream)) return answer
  // Rendered while the resource is being sent.
  const caller = { accountId: invoice.accountId, ...(signal && { signal }) }
  const drawn = Promise.try(() => documents.render(jobOf(invoice, language), caller)).catch(
    (err) => {
      log.warn({ err, invoiceId: invoice.id }, 'a paid resource goes without its document')
      return null
    },
  )
  const { ofBody, others } = split(answer.headers ?? {})
  const ofPdf = { 'content-type': 'application/pdf', 'content-language': language }
  async function* parts(resource: ReadableStream<Uint8Array>) {
    yield { name: 'resource', headers: ofBody, body: resource }
    const pdf = await drawn
    if (pdf) yield { name: 'invoice', headers: ofPdf, body: [pdf] }
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
 * The part of a 402's body that arrives in time; its headers count even if it is cut short. `whole`
 * is the body with what follows, and `leave` gives that up.
 */
export async function beginningOf({ body }: Response, limitMs = patienceMs) {
  if (body === null) return { bytes: Buffer.alloc(0), isWhole: true, whole: () => null, leave() {} }
  const reader = body.getReader()
  const leave = () => void reader.cancel().catch(() => {})
  let isWhole = false
  let isLate = false
  const late = setTimeout(() => {
    isLate = true
    leave()
  }, limitMs)
  const chunks: Uint8Array[] = []
  for (let length = 0; length <= mostBytes; ) {
    const { done, value } = await reader.read().catch(() => ({ done: false, value: undefined }))
    isWhole = done && !isLate
    if (!value) break
    chunks.push(value)
    length += value.length
  }
  clearTimeout(late)
  const bytes = Buffer.concat(chunks)
  function whole(): ReadableStream<Uint8Array> {
    return new ReadableStream({
      start: (controller) => controller.enqueue(bytes),
      async pull(controller) {
        const { done, value } = await reader.read()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel: leave,
    })
  }
  return { bytes, isWhole, whole, leave }
}
