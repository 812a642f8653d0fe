import { FormatRegistry, type Static, type TObject, type TSchema, Type } from '@sinclair/typebox'
import {
  type TypeCheck,
  TypeCompiler,
  type ValueError,
  ValueErrorType,
} from '@sinclair/typebox/compiler'
import { countryCodes } from '../../domain/country.ts'
import { emailLook } from '../../domain/email.ts'
import { type Detail, invalidDetails } from '../../domain/error.ts'
import { isUuid } from '../../domain/id.ts'
import type { JsonObject } from '../../domain/json-text.ts'
import { oneLinePattern } from '../../domain/unprintable.ts'

const compiled = new WeakMap<TSchema, TypeCheck<TSchema>>()
const mostDetails = 20

export const missing = 'is required'

/** Nothing is coerced. Errors: `invalid_request`, naming up to 20 fields. */
export function check<Schema extends TSchema>(
  schema: Schema,
  value: unknown,
): asserts value is Static<Schema> {
  const checker = compiledOf(schema)
  const absent = absentIn(schema, value)
  if (absent === null && checker.Check(value)) return
  const details: Detail[] = absent === null ? [] : [{ path: absent, message: missing }]
  for (const error of checker.Errors(value)) {
    const { path: pointer, schema: failed, message, type } = error
    if (isShortEnough(error)) continue
    const path = pointer.slice(1)
    if (details.length === mostDetails) break
    if (details.some((detail) => detail.path === path)) continue
    const isMissing = type === ValueErrorType.ObjectRequiredProperty
    details.push({ path, message: isMissing ? missing : (ruleOf(failed) ?? message) })
  }
  if (details.length > 0) throw invalidDetails(details)
}

// A symbol, as generators of clients make nothing of `anyOf` beside `properties`.
const oneOfTwo = Symbol('one of them must be there')

/** An object in which the optional `member` is required where there is no `substitute`. */
export function needing(member: string, substitute: string, schema: TObject): TObject {
  return { ...schema, [oneOfTwo]: [member, substitute] }
}

function absentIn(
  { [oneOfTwo]: names }: TSchema & { readonly [oneOfTwo]?: readonly [string, string] },
  value: unknown,
): string | null {
  if (!names || names.some((name) => (value as JsonObject)[name] !== undefined)) return null
  return names[0]
}

// A symbol, which no JSON document shows.
const rule = Symbol('rule')

/** The schema with a description of its meaning. Refusals keep its own: what the value must be. */
export function meant<Schema extends TSchema>(schema: Schema, description: string): Schema {
  return { ...schema, description, [rule]: schema.description }
}

/** An optional member, with a description of its meaning. */
export function optional<Schema extends TSchema>(schema: Schema, description: string) {
  return Type.Optional(meant(schema, description))
}

/** An optional member that may be null. */
export function orNull<Schema extends TSchema>(schema: Schema, description: string) {
  // Forms show what is wrong, and nobody writes null in one.
  const rule = schema.description ?? ''
  return optional(Type.Union([schema, Type.Null()], { description: rule }), description)
}

function ruleOf(schema: TSchema & { readonly [rule]?: string | undefined }): string | undefined {
  return rule in schema ? schema[rule] : schema.description
}

/** TypeBox counts UTF-16 units; JSON Schema and people count characters. */
function isShortEnough({ type, value, schema }: ValueError): boolean {
  return (
    type === ValueErrorType.StringMaxLength &&
    typeof value === 'string' &&
    [...value].length <= schema.maxLength
  )
}

function compiledOf(schema: TSchema): TypeCheck<TSchema> {
  const known = compiled.get(schema)
  if (known) return known
  const checker = TypeCompiler.Compile(schema)
  compiled.set(schema, checker)
  return checker
}

// Unlike a single line, long texts may have line breaks and tabs.
const manyLines = '^[^\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f]*$'

export function line(maxLength: number) {
  return Type.String({
    minLength: 1,
    maxLength,
    pattern: oneLinePattern,
    description: `must be a text of 1 to ${maxLength} characters without control characters`,
  })
}

/** One of these texts. */
export function choice<Value extends string>(values: readonly Value[]) {
  const description = `must be one of ${values.join(', ')}`
  return Type.Union(
    values.map((value) => Type.Literal(value)),
    { description },
  )
}

FormatRegistry.Set('uuid', (text) => isUuid(text.toLowerCase()))

export function uuid() {
  return Type.String({ format: 'uuid', description: 'must be a UUID' })
}

FormatRegistry.Set('iso-3166-1', (text) => countryCodes.has(text.toUpperCase()))

/** The code of a country, in either case. */
export function country() {
  return Type.String({
    // The upper case of some other letters is ASCII, too.
    pattern: '^[A-Za-z]{2}$',
    format: 'iso-3166-1',
    description: 'must be an ISO 3166 code of two letters',
  })
}

FormatRegistry.Set('uri', URL.canParse)

/** A text that may have several lines. */
export function prose(maxLength: number, minLength = 1) {
  return Type.String({
    minLength,
    maxLength,
    pattern: manyLines,
    description: `must be a text of ${minLength} to ${maxLength} characters without control characters`,
  })
}

export function email() {
  return Type.String({
    maxLength: 254,
    pattern: emailLook.source,
    description: 'must be an email address',
  })
}

export const minorUnits =
  'an integer of minor units: 10⁻⁶ of a USDC, else the smallest unit of the currency (cents of a EUR, whole JPY)'

/** The amount is read from its source text; this schema only documents it. */
export function minorAmount() {
  return Type.Unknown({
    type: 'integer',
    minimum: 1,
    description: minorUnits,
  })
}
