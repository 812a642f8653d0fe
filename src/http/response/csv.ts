import { stringify } from 'csv-stringify/sync'
import type { Answer } from '../operation.ts'

/** Rows of a table; null is an empty cell. */
export type Rows = readonly (readonly (string | number | bigint | null)[])[]

// The most specific media range counts, so these are in that order.
const jsonRanges = ['application/json', 'application/*', '*/*']

/**
 * Whether the caller prefers CSV to JSON: the type with the higher weight in `Accept` wins, and of
 * two with the same weight the one named first.
 */
export function wantsCsv(request: Request): boolean {
  const wishes = (request.headers.get('accept') ?? '').toLowerCase().split(',').map(wishOf)
  const named = (range: string) => wishes.findIndex(({ type }) => type === range)
  const csvAt = named('text/csv')
  const csvWeight = wishes[csvAt]?.weight ?? 0
  const jsonAt = jsonRanges.map(named).find((at) => at >= 0) ?? -1
  const jsonWeight = wishes[jsonAt]?.weight ?? 0
  return csvWeight > jsonWeight || (csvWeight > 0 && csvWeight === jsonWeight && csvAt < jsonAt)
}

/**
 * A media range of `Accept` with its weight from 0 to 1; the weight is 1 where none is given, or
 * none that can be read.
 */
function wishOf(text: string): { readonly type: string; readonly weight: number } {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim())
  const [, weight = '1'] = parameters.join(';').match(weightLook) ?? []
  return { type, weight: Number(weight) }
}

const weightLook = /(?:^|;)q=(0(?:\.\d*)?|1(?:\.0*)?)(?:;|$)/

/**
 * A table as the file `name`.csv. Each page is sent before the next is asked for. An error before
 * the first page is answered like any other. A later error breaks the connection off, as `ended`
 * does: a part must not be taken for the whole.
 */
export async function csvAnswer(
  name: string,
  header: readonly string[],
  pages: AsyncGenerator<Rows, void>,
  ended?: AbortSignal,
): Promise<Answer> {
  const first = await pages.next()
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(bytesOf([header, ...(first.value ?? [])]))
      // Of what has been sent as a whole, or nobody reads any more, it changes nothing.
      ended?.addEventListener('abort', () => controller.error(new Error('cut off')))
    },
    async pull(controller) {
      const { done, value } = await pages.next()
      if (done) controller.close()
      else controller.enqueue(bytesOf(value))
    },
    async cancel() {
      await pages.return()
    },
  })
  return { status: 200, body, headers: headersOf(name) }
}

function headersOf(name: string): Readonly<Record<string, string>> {
  return {
    'content-type': 'text/csv; charset=utf-8; header=present',
    'content-disposition': `attachment; filename="${name}.csv"`,
  }
}

const encoder = new TextEncoder()

const format = {
  record_delimiter: '\r\n',
  // Not the default with a `record_delimiter`: a description with a line break would become two
  // lines.
  quote_record_delimiter: true,
  cast: { string: harmless },
}

// A program that separates cells by semicolons, as a German Excel does, or by tabs ignores our
// quotes. One of our cells may be several there, so a formula may start after any separator.
const formulaStart = /^(?=[\t\r])|(?<=^|[;\t\r\n])(?="*[=+\-@＝＋－＠])/g

/**
 * The text with an apostrophe before anything that a spreadsheet could take for the start of a
 * formula. Without it, a buyer's name could run as one.
 */
function harmless(text: string): string {
  return text.replaceAll(formulaStart, "'")
}

/** Rows as CSV by RFC 4180, in UTF-8. */
function bytesOf(rows: Rows): Uint8Array {
  return encoder.encode(stringify([...rows], format))
}
