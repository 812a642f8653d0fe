import { distance } from 'fastest-levenshtein'

/** The environment's variables. */
export type Env = Readonly<Record<string, string | undefined>>

/** A variable that nobody reads, and the one that was probably meant. */
export type Misspelt = { readonly name: string; readonly meant: string }

/** What operators are told of a misspelt variable. */
export function misspeltNote({ name, meant }: Misspelt): string {
  return `${name} is not read: ${meant} is`
}

/**
 * Reads variables by name; every value is null when the variable is unset or blank. What does not
 * fit is added to `problems`, and reading goes on, so that an operator is told of everything at
 * once.
 */
export type EnvReader = {
  readonly problems: string[]
  text(name: string): string | null
  /** A value that must fit. The problem never repeats it, since it may be a secret. */
  matching(name: string, fits: (text: string) => boolean, described: string): string | null
  url(name: string, protocols: readonly string[]): string | null
  urls(name: string): readonly string[]
  integer(name: string, range: { readonly least: number; readonly most?: number }): number | null
  integers(name: string): readonly number[] | null
  oneOf<const Value extends string>(name: string, values: readonly Value[]): Value | null
  flag(name: string): boolean | null
  /** The variables that nobody has read by now and whose names are almost those of others. */
  misspelt(): readonly Misspelt[]
}

/** Shorter names are almost those of many others. */
const leastOfName = 8
const mostTypos = 2

export function createEnvReader(env: Env): EnvReader {
  const problems: string[] = []
  const read = new Set<string>()

  function text(name: string): string | null {
    read.add(name)
    return env[name]?.trim() || null
  }

  function misspelt(): readonly Misspelt[] {
    const known = [...read].filter((name) => name.length >= leastOfName)
    const others = Object.keys(env).filter((name) => !read.has(name) && env[name]?.trim())
    return others.flatMap((name) => {
      const meant = known.find((one) => distance(name, one) <= mostTypos)
      return meant === undefined ? [] : { name, meant }
    })
  }

  function list(name: string): readonly string[] | null {
    return (
      text(name)
        ?.split(',')
        .map((part) => part.trim()) ?? null
    )
  }

  function matching(
    name: string,
    fits: (text: string) => boolean,
    described: string,
  ): string | null {
    const value = text(name)
    if (value !== null && !fits(value)) problems.push(`${name} must be ${described}`)
    return value
  }

  function url(name: string, protocols: readonly string[]): string | null {
    const shown = protocols.map((protocol) => `${protocol}//`).join(' or ')
    return matching(name, (value) => hasProtocol(value, protocols), `a URL with ${shown}`)
  }

  function urls(name: string): readonly string[] {
    const given = list(name)
    const values = given?.filter(Boolean) ?? []
    const isEmptied = given !== null && values.length === 0
    if (!isEmptied && values.every((value) => hasProtocol(value, ['http:', 'https:'])))
      return values
    problems.push(`${name} must be a comma-separated list of http:// or https:// URLs`)
    return []
  }

  function integer(
    name: string,
    { least, most = Number.MAX_SAFE_INTEGER }: { least: number; most?: number },
  ): number | null {
    const value = text(name)
    if (value === null) return null
    const number = /^\d+$/.test(value) ? Number(value) : Number.NaN
    if (number >= least && number <= most) return number
    problems.push(`${name} must be an integer from ${least} to ${most}`)
    return null
  }

  function integers(name: string): readonly number[] | null {
    const values = list(name)
    if (!values || values.every((value) => /^\d{1,10}$/.test(value)))
      return values?.map(Number) ?? null
    problems.push(`${name} must be a comma-separated list of milliseconds`)
    return null
  }

  function oneOf<const Value extends string>(name: string, values: readonly Value[]): Value | null {
    const value = text(name)
    const found = values.find((known) => known === value) ?? null
    if (value !== null && found === null)
      problems.push(`${name} must be one of ${values.join(', ')}`)
    return found
  }

  function flag(name: string): boolean | null {
    const value = oneOf(name, ['true', 'false', '1', '0'])
    return value === null ? null : value === 'true' || value === '1'
  }

  return { problems, text, matching, url, urls, integer, integers, oneOf, flag, misspelt }
}

function hasProtocol(text: string, protocols: readonly string[]): boolean {
  return protocols.includes(URL.parse(text)?.protocol ?? '')
}
