import { distance } from 'fastest-levenshtein'

export type Env = Readonly<Record<string, string | undefined>>

export type Typo = { readonly name: string; readonly meant: string }

export function typoText({ name, meant }: Typo): string {
  return `${name} is not a known variable: is ${meant} meant?`
}

/** A shorter name is almost the name of many others. */
const minNameLength = 8
const maxTypos = 2

/**
 * Reads variables; unset or blank is null. Problems are collected, so that one error lists them
 * all.
 */
export class EnvReader {
  readonly problems: string[] = []
  readonly #env: Env
  readonly #read = new Set<string>()

  constructor(env: Env) {
    this.#env = env
  }

  text(name: string): string | null {
    this.#read.add(name)
    return this.#env[name]?.trim() || null
  }

  /** The problem never repeats the value, since it may be a secret. */
  matching(name: string, fits: (text: string) => boolean, described: string): string | null {
    const value = this.text(name)
    if (value !== null && !fits(value)) this.problems.push(`${name} must be ${described}`)
    return value
  }

  /** `readable` turns the text into what `URL` reads. */
  url(
    name: string,
    protocols: readonly string[],
    readable = (text: string) => text,
  ): string | null {
    const shown = protocols.map((protocol) => `${protocol}//`).join(' or ')
    const fits = (text: string) => hasProtocol(readable(text), protocols)
    return this.matching(name, fits, `a URL with ${shown}`)
  }

  urls(name: string): readonly string[] {
    const given = this.#list(name)
    const values = given?.filter(Boolean) ?? []
    const isOnlySeparators = given !== null && values.length === 0
    if (!isOnlySeparators && values.every((value) => hasProtocol(value, ['http:', 'https:'])))
      return values
    this.problems.push(`${name} must be a comma-separated list of http:// or https:// URLs`)
    return []
  }

  integer(
    name: string,
    { least, most = Number.MAX_SAFE_INTEGER }: { least: number; most?: number },
  ): number | null {
    const value = this.text(name)
    if (value === null) return null
    const number = /^\d+$/.test(value) ? Number(value) : Number.NaN
    if (number >= least && number <= most) return number
    this.problems.push(`${name} must be an integer from ${least} to ${most}`)
    return null
  }

  integers(name: string): readonly number[] | null {
    const values = this.#list(name)
    if (!values || values.every((value) => /^\d{1,10}$/.test(value)))
      return values?.map(Number) ?? null
    this.problems.push(`${name} must be a comma-separated list of milliseconds`)
    return null
  }

  oneOf<const Value extends string>(name: string, values: readonly Value[]): Value | null {
    const value = this.text(name)
    const found = values.find((known) => known === value) ?? null
    if (value !== null && found === null)
      this.problems.push(`${name} must be one of ${values.join(', ')}`)
    return found
  }

  flag(name: string): boolean | null {
    const value = this.oneOf(name, ['true', 'false', '1', '0'])
    return value === null ? null : value === 'true' || value === '1'
  }

  /** Variables not read so far whose names are almost those of variables that were. */
  typos(): readonly Typo[] {
    const known = [...this.#read].filter((name) => name.length >= minNameLength)
    const others = Object.keys(this.#env).filter(
      (name) => !this.#read.has(name) && this.#env[name]?.trim(),
    )
    return others.flatMap((name) => {
      const meant = known.find((one) => distance(name, one) <= maxTypos)
      return meant === undefined ? [] : { name, meant }
    })
  }

  #list(name: string): readonly string[] | null {
    const parts = this.text(name)?.split(',')
    return parts?.map((part) => part.trim()) ?? null
  }
}

function hasProtocol(text: string, protocols: readonly string[]): boolean {
  return protocols.includes(URL.parse(text)?.protocol ?? '')
}
