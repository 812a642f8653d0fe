import { stringify } from 'csv-stringify/sync'
import type { Answer } from './operation.ts'

/** Lines of a table; null: an empty cell. */
export type Rows = readonly (readonly (string | number | bigint | null)[])[]

// The most specific one counts.
const jsonRanges = ['application/json', 'application/*', '*/*']

/** Whether the caller would rather have CSV than JSON: what `Accept` gives more weight, and of two of the same weight what it names first. */
export function wantsCsv(request: Request): boolean {
  const wishes = (request.headers.get('accept') ?? '').toLowerCase().split(',').map(wishOf)
  const named = (range: string) => wishes.findIndex(({ type }) => type === range)
  const csvAt = named('text/csv')
  const csvWeight = wishes[csvAt]?.weight ?? 0
  const jsonAt = jsonRanges.map(named).find((at) => at >= 0) ?? -1
  const jsonWeight = wishes[jsonAt]?.weight ?? 0
  return csvWeight > jsonWeight || (csvWeight > 0 && csvWeight === jsonWeight && csvAt < jsonAt)
}

/** A media range of `Accept`; its weight is from 0 to 1, which it is where none that can be read is given. */
function wishOf(text: string): { readonly type: string; readonly weight: number } {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim())
  const [, weight = '1'] = parameters.join(';').match(weightLook) ?? []
  return { type, weight: Number(weight) }
}

const weightLook = /(?:^|;)q=(0(?:\.\d*)?|1(?:\.0*)?)(?:;|$)/

/**
 * A table as the file `name`.csv, each page sent before the next one is asked for. What goes wrong before the first page is answered as
 * any error; later the connection is broken off, so that nobody takes a part for the whole.
 */
export async function csvAnswer(
  name: string,
  header: readonly string[],
  pages: AsyncGenerator<Rows, void>,
): Promise<Answer> {
  const first = await pages.next()
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(bytesOf([header, ...(first.value ?? [])]))
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
  // Off unless it is asked for, once lines end otherwise than by default: a description with a line break would become two lines.
  quote_record_delimiter: true,
  cast: { string: harmless },
}

// Where cells are parted by semicolons, as in a German Excel, or by tabs, our quotes begin nothing: one of ours may be several there.
const formulaStart = /^(?=[\t\r])|(?<=^|[;\t\r\n])(?="*[=+\-@＝＋－＠])/g

/** A text that no spreadsheet takes for a formula: what could begin one gets an apostrophe in front, or a buyer's name could run there. */
function harmless(text: string): string {
  return text.replaceAll(formulaStart, "'")
}

/** RFC 4180. */
function bytesOf(rows: Rows): Uint8Array {
  return encoder.encode(stringify([...rows], format))
}
