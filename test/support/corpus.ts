/** `unit` repeated `times` times. If `numbered`, `%d` becomes the index of the copy, from 0. */
type Generated = {
  readonly prefix: string
  readonly unit: string
  readonly times: number
  readonly numbered?: boolean
  readonly mid?: string
  readonly unit2?: string
  readonly times2?: number
  readonly suffix: string
}

export type Case = {
  readonly id: string
  /** Or `RAW tcp` for raw bytes on a socket. */
  readonly surface: string
  /** The credential that is added; with `explicit` only `headers` count. */
  readonly auth: 'api' | 'v1' | 'jwt' | 'none' | 'explicit'
  readonly headers?: Readonly<Record<string, string>>
  readonly headers_gen?: Readonly<Record<string, Generated>>
  readonly body: string | null
  readonly body_b64?: string
  readonly body_gen?: Generated
  readonly raw?: string
  readonly raw_gen?: Generated
  readonly raw_slow?: object
  readonly expect_status: number | readonly number[] | null
  readonly also_ok?: readonly number[]
  readonly expect_code: string | number | readonly (string | number)[] | null
  readonly why: string
  /** `prod`: only under `NODE_ENV=production`. */
  readonly profile?: 'prod' | 'always'
  /** What must hold if the input is accepted, in words. */
  readonly then?: string
}

export async function readCorpus(): Promise<readonly Case[]> {
  const text = await Bun.file(new URL('../corpus/bad-inputs.jsonl', import.meta.url)).text()
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Case)
}

export type Values = Readonly<Record<string, string>>

/** Replaces each `{{NAME}}`. Throws on a name without a value, so no case is sent incomplete. */
export function fill(text: string, values: Values): string {
  return text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const value = values[name]
    if (value === undefined) throw new Error(`the corpus needs a value for ${name}`)
    return value
  })
}

export function bodyOf(sent: Case, values: Values): Uint8Array<ArrayBuffer> | null {
  if (sent.body_b64 !== undefined) return Uint8Array.fromBase64(sent.body_b64)
  const text = sent.body_gen ? generate(sent.body_gen) : sent.body
  return text === null ? null : new TextEncoder().encode(fill(text, values))
}

export function headersOf({ headers = {}, headers_gen = {} }: Case, values: Values) {
  const given = Object.entries(headers).map(([name, text]) => [name, fill(text, values)])
  const generated = Object.entries(headers_gen).map(([name, from]) => [name, generate(from)])
  return Object.fromEntries([...given, ...generated]) as Record<string, string>
}

export function rawOf({ raw, raw_gen, raw_slow }: Case): string {
  if (raw_slow) return halfABody
  return raw_gen ? generate(raw_gen) : (raw ?? '')
}

const halfABody =
  'POST /api/v1/tax/calculate HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n' +
  'Content-Length: 40\r\n\r\n{"amount":1000,'

function generate(from: Generated): string {
  const { prefix, unit, times, numbered, mid = '', unit2 = '', times2 = 0, suffix } = from
  const units = numbered
    ? Array.from({ length: times }, (_, n) => unit.replace('%d', `${n}`)).join('')
    : unit.repeat(times)
  return prefix + units + mid + unit2.repeat(times2) + suffix
}
