import { stringify } from 'csv-stringify/sync'
import type { Answer } from '../operation.ts'
import { streamed } from './streamed.ts'

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

/** A table as the file `name`.csv, sent page by page as `streamed` is. */
export function csvAnswer(
  name: string,
  header: readonly string[],
  pages: AsyncGenerator<Rows, void>,
  ended?: AbortSignal,
): Promise<Answer> {
  return streamed(csvHeaders(name), textOf([header]), texts(pages), ended)
}

async function* texts(pages: AsyncGenerator<Rows, void>): AsyncGenerator<string, void> {
  for await (const rows of pages) yield textOf(rows)
}

export function csvHeaders(name: string): Readonly<Record<string, string>> {
  return {
    'content-type': 'text/csv; charset=utf-8; header=present',
    'content-disposition': `attachment; filename="${name}.csv"`,
  }
}

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
function textOf(rows: Rows): string {
  return stringify([...rows], format)
}
