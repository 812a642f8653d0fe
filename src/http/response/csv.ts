import { stringify } from 'csv-stringify/sync'
import type { Answer } from '../operation.ts'

/** Null is an empty cell. */
export type Rows = readonly (readonly (string | number | bigint | null)[])[]

// The most specific range counts.
const jsonRanges = ['application/json', 'application/*', '*/*']

/** Whether `Accept` prefers CSV to JSON: by weight, then by order. */
export function wantsCsv(request: Request): boolean {
  const wishes = (request.headers.get('accept') ?? '').toLowerCase().split(',').map(wishOf)
  const named = (range: string) => wishes.findIndex(({ type }) => type === range)
  const csvAt = named('text/csv')
  const csvWeight = wishes[csvAt]?.weight ?? 0
  const jsonAt = jsonRanges.map(named).find((at) => at >= 0) ?? -1
  const jsonWeight = wishes[jsonAt]?.weight ?? 0
  return csvWeight > jsonWeight || (csvWeight > 0 && csvWeight === jsonWeight && csvAt < jsonAt)
}

/** A media range with its weight from 0 to 1; 1 where there is none that can be read. */
function wishOf(text: string): { readonly type: string; readonly weight: number } {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim())
  const [, weight = '1'] = parameters.join(';').match(weightLook) ?? []
  return { type, weight: Number(weight) }
}

const weightLook = /(?:^|;)q=(0(?:\.\d*)?|1(?:\.0*)?)(?:;|$)/

/**
 * A table as the file `name`.csv, sent page by page. A failure of the first page is answered like
 * any other. A later one, or `ended`, cuts the connection: a part must not be taken for the whole.
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
      // Changes nothing once everything has been sent.
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
  // Not the default with a `record_delimiter`; without it, a line break ends the record.
  quote_record_delimiter: true,
  cast: { string: harmless },
}

// A program that separates by semicolons, as a German Excel does, or by tabs ignores our quotes and
// may see several cells in one, so a formula may start after any separator.
const formulaStart = /^(?=[\t\r])|(?<=^|[;\t\r\n])(?="*[=+\-@＝＋－＠])/g

/** Puts an apostrophe before what a spreadsheet could run as a formula, such as a buyer's name. */
function harmless(text: string): string {
  return text.replaceAll(formulaStart, "'")
}

/** CSV by RFC 4180. */
function bytesOf(rows: Rows): Uint8Array {
  return encoder.encode(stringify([...rows], format))
}
