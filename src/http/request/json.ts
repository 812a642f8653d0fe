import { DomainError } from '../../domain/error.ts'
import { isObject, type JsonObject } from '../../domain/json-text.ts'
import { colonsIn, memberSource } from './json-source.ts'

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
 * Reads a JSON object strictly: valid UTF-8 without a byte order mark, no repeated key, no
 * `__proto__`, no lone surrogates, no member deeper than 32 levels. Errors: `invalid_request`.
 */
export function readBody(bytes: Uint8Array): Body {
  const { text, value } = readJson(bytes)
  if (!isObject(value)) throw malformed('must be a JSON object')
  return { value, source: (key) => memberSource(text, key) }
}

/** Any JSON value, read as strictly, and its text. Errors: `invalid_request`. */
export function readJson(bytes: Uint8Array): { readonly text: string; readonly value: unknown } {
  const text = decode(bytes)
  const value = parse(text)
  // `JSON.parse` keeps the last of several members with one name.
  if (members(value, 1, text.includes('\\u')) !== colonsIn(text))
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

/** Counts members at all levels. Only a text with `escapes` can hold lone surrogates. */
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

function refuseLoneSurrogates(text: string): void {
  if (!text.isWellFormed()) throw malformed('has a lone surrogate')
}
