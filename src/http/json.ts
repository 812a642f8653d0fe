import { DomainError } from '../domain/error.ts'
import { isObject, type JsonObject } from '../domain/json-text.ts'

/** A JSON object as it was sent: its values, and the source text of each member. */
export type Body = {
  readonly value: JsonObject
  /** The exact text of a top-level member's value; undefined when there is no such member. */
  source(key: string): string | undefined
}

/** The body is a level of its own; the value of a member may have 32. */
const maxDepth = 33
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Reads a request body strictly: valid UTF-8 without a byte order mark, one JSON object, no
 * repeated key, no `__proto__`, no member more than 32 levels deep, no lone surrogates. Errors:
 * `invalid_request`.
 */
export function readBody(bytes: Uint8Array): Body {
  const { text, value } = readJson(bytes)
  if (!isObject(value)) throw malformed('must be a JSON object')
  return { value, source: (key) => sourceOf(text, key) }
}

/**
 * Reads any JSON value as strictly as `readBody` reads an object, and its text. Errors:
 * `invalid_request`.
 */
export function readJson(bytes: Uint8Array): { readonly text: string; readonly value: unknown } {
  const text = decode(bytes)
  const value = parse(text)
  // `JSON.parse` keeps only the last of several members with one name, so a text with more colons
  // than members has a name twice.
  if (members(value, 1, text.includes('\\u')) !== colons(text))
    throw malformed('has a member twice')
  return { text, value }
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
 * Counts the members of `value` at all levels. Refuses nesting that is too deep, `__proto__`, which
 * would vanish, and, with `escapes`, lone surrogates.
 */
function members(value: unknown, depth: number, escapes: boolean): number {
  if (typeof value === 'string' && escapes) refuseLoneSurrogates(value)
  if (typeof value !== 'object' || value === null) return 0
  if (depth > maxDepth) throw malformed(`has a member nested deeper than ${maxDepth - 1} levels`)
  let count = 0
  if (Array.isArray(value)) {
    for (const item of value) count += members(item, depth + 1, escapes)
    return count
  }
  const object = value as Record<string, unknown>
  for (const name of Object.keys(object)) {
    if (name === '__proto__') throw malformed('has a member named __proto__')
    if (escapes) refuseLoneSurrogates(name)
    count += 1 + members(object[name], depth + 1, escapes)
  }
  return count
}

// Bytes that decode as UTF-8 hold none; only an escape can produce one.
function refuseLoneSurrogates(text: string): void {
  if (!text.isWellFormed()) throw malformed('has a lone surrogate')
}

/** Counts the colons outside of strings. */
function colons(text: string): number {
  let count = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) at = endOfString(text, at)
    else if (code === colon) count++
  }
  return count
}

/**
 * The exact text of a member's value; undefined when there is no such member. `text` is that of an
 * object that `readJson` has read.
 */
export function sourceOf(text: string, key: string): string | undefined {
  let depth = 0
  let start = -1
  let name = ''
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) {
      const end = endOfString(text, at)
      if (depth === 1 && start < 0) name = text.slice(at, end + 1)
      at = end
    } else if (code === colon && depth === 1) {
      start = isNamed(name, key) ? at + 1 : text.length
    } else if (code === openBrace || code === openBracket) {
      depth++
    } else if (code === closeBrace || code === closeBracket || code === comma) {
      if (depth === 1 && start < text.length && start >= 0) return text.slice(start, at).trim()
      if (depth === 1) start = -1
      if (code !== comma) depth--
    }
  }
  return undefined
}

/**
 * The exact text of the item at `index`; `text` is that of an array that `readJson` has read and
 * that has such an item.
 */
export function itemSource(text: string, index: number): string {
  let depth = 0
  let start = 0
  let left = index
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    const isComma = code === comma
    if (code === quote) {
      at = endOfString(text, at)
    } else if (code === openBrace || code === openBracket) {
      if (depth++ === 0) start = at + 1
    } else if (isComma || code === closeBrace || code === closeBracket) {
      if (depth === 1 && left-- === 0) return text.slice(start, at).trim()
      if (depth === 1) start = at + 1
      if (!isComma) depth--
    }
  }
  throw new Error('an array without this item')
}

function isNamed(source: string, key: string): boolean {
  return source.includes('\\') ? JSON.parse(source) === key : source.slice(1, -1) === key
}

/** The position of the closing quote of the string that starts at `start`. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0
  while (text.charCodeAt(at - 1 - backslashes) === backslash) backslashes++
  return backslashes % 2 === 1
}
