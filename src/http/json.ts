import { DomainError } from '../domain/error.ts'

/** A JSON object as it was sent: its values, and the source text of each member. */
export type Body = {
  readonly value: Readonly<Record<string, unknown>>
  /** The exact text of a top-level member's value, or undefined when there is none. */
  source(key: string): string | undefined
}

const maxDepth = 32
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Reads a request body strictly: valid UTF-8 without a byte order mark, one JSON object, no key twice, no `__proto__`, at most 32
 * levels deep, no lone surrogates. Everything else is `invalid_request`.
 */
export function readBody(bytes: Uint8Array): Body {
  const text = decode(bytes)
  const value = parse(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw malformed('must be a JSON object')
  }
  const sources = inspect(text)
  return { value: value as Record<string, unknown>, source: (key) => sources.get(key) }
}

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw malformed('is not valid UTF-8')
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw malformed('is not valid JSON')
  }
}

function malformed(problem: string): DomainError {
  return new DomainError('invalid_request', `The request body ${problem}`, {
    details: [{ path: '', message: problem }],
  })
}

const quote = 0x22
const backslash = 0x5c
const openBrace = 0x7b
const closeBrace = 0x7d
const openBracket = 0x5b
const closeBracket = 0x5d
const colon = 0x3a
const comma = 0x2c

/**
 * Walks text that `JSON.parse` has accepted, for what it does not report: keys that come twice or would vanish, depth, lone
 * surrogates. Returns the source of each member of the outermost object.
 */
function inspect(text: string): ReadonlyMap<string, string> {
  const sources = new Map<string, string>()
  const keys: (Set<string> | null)[] = []
  let key = ''
  let start = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) {
      const end = endOfString(text, at)
      if (text.charCodeAt(skipSpace(text, end)) === colon && keys.at(-1)) {
        const name = addKey(keys.at(-1) as Set<string>, text.slice(at, end))
        at = skipSpace(text, end)
        if (keys.length === 1) {
          key = name
          start = at + 1
        }
      } else {
        refuseLoneSurrogates(text.slice(at, end))
        at = end - 1
      }
    } else if (code === openBrace || code === openBracket) {
      keys.push(code === openBrace ? new Set() : null)
      if (keys.length > maxDepth) throw malformed(`is nested deeper than ${maxDepth} levels`)
    } else if (code === closeBrace || code === closeBracket) {
      if (keys.length === 1 && key !== '') sources.set(key, text.slice(start, at).trim())
      keys.pop()
    } else if (code === comma && keys.length === 1) {
      sources.set(key, text.slice(start, at).trim())
    }
  }
  return sources
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; ; at++) {
    const code = text.charCodeAt(at)
    if (code === backslash) at++
    else if (code === quote) return at + 1
  }
}

function skipSpace(text: string, start: number): number {
  let at = start
  while (text.charCodeAt(at) <= 0x20) at++
  return at
}

function addKey(keys: Set<string>, source: string): string {
  const name = source.includes('\\') ? (JSON.parse(source) as string) : source.slice(1, -1)
  if (name === '__proto__') throw malformed('has a member named __proto__')
  if (keys.has(name)) throw malformed('has a member twice')
  if (!name.isWellFormed()) throw malformed('has a lone surrogate')
  keys.add(name)
  return name
}

function refuseLoneSurrogates(source: string): void {
  // Bytes that decode as UTF-8 hold none; only an escape can make one.
  if (source.includes('\\u') && !(JSON.parse(source) as string).isWellFormed()) {
    throw malformed('has a lone surrogate')
  }
}
