import { stringify } from 'csv-stringify/sync'
import type { Answer } from './operation.ts'

/** Lines of a table; null: an empty cell. */
export type Rows = readonly (readonly (string | number | bigint | null)[])[]

/** Whether the caller would rather have CSV: the media type that `Accept` names first decides, unless its weight is 0. */
export function wantsCsv(request: Request): boolean {
  const [first = ''] = (request.headers.get('accept') ?? '').toLowerCase().split(',')
  const [type, ...parameters] = first.split(';').map((part) => part.trim())
  return type === 'text/csv' && !parameters.some((parameter) => unwanted.test(parameter))
}

const unwanted = /^q=0(?:\.0*)?$/

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
  // A cell that begins like a formula gets an apostrophe in front, or a buyer's name could run in its reader's spreadsheet.
  escape_formulas: true,
}

/** RFC 4180. */
function bytesOf(rows: Rows): Uint8Array {
  return encoder.encode(stringify([...rows], format))
}
