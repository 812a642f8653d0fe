import type { TSchema } from '@sinclair/typebox'
import type { JsonObject } from '../../domain/json-text.ts'
import type { Body } from './json.ts'

const isRefused = Symbol('null is refused')

/** An optional member whose null is a mistake: programs write an amount of NaN as null. */
export function refusingNull<Schema extends TSchema>(schema: Schema): Schema {
  return { ...schema, [isRefused]: true }
}

/**
 * The value without null in optional members that do not take it: programs send back what they have
 * read, and answers write null for what is absent. Members of members stay as they are.
 */
export function withoutNulls<Value extends JsonObject>(schema: TSchema, value: Value): Value {
  const absent = nullsIn(schema, value)
  if (absent.length === 0) return value
  const kept = Object.entries(value).filter(([name]) => !absent.includes(name))
  return Object.fromEntries(kept) as Value
}

/** A body without such members: neither their values nor their source text. */
export function bodyWithoutNulls(schema: TSchema, { value, source }: Body): Body {
  const absent = nullsIn(schema, value)
  if (absent.length === 0) return { value, source }
  return {
    value: withoutNulls(schema, value),
    source: (name) => (absent.includes(name) ? undefined : source(name)),
  }
}

/** What the document says of null in such a body; null where there is nothing to say. */
export function aboutNulls({ properties = {}, required = [] }: TSchema): string | null {
  const optional = Object.entries<Documented>(properties).filter(
    ([name]) => !required.includes(name),
  )
  if (!optional.some(([, schema]) => meansAbsent(schema))) return null
  const refused = optional.filter(([, schema]) => schema[isRefused])
  const but = refused.map(([name]) => `, except \`${name}\``).join('')
  return `A member that may be left out may be null instead${but}.`
}

function nullsIn({ properties = {}, required = [] }: TSchema, value: JsonObject): string[] {
  const isAbsent = (name: string) =>
    value[name] === null &&
    Object.hasOwn(properties, name) &&
    !required.includes(name) &&
    meansAbsent(properties[name])
  return Object.keys(value).filter(isAbsent)
}

function meansAbsent(schema: Documented): boolean {
  return !schema[isRefused] && !takesNull(schema)
}

type Documented = {
  readonly [isRefused]?: true
  readonly type?: string | readonly string[]
  readonly anyOf?: readonly Documented[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
}

/** Whether the schema documents null as a value. Some schemas check nothing. */
function takesNull({ type, anyOf, const: only, enum: values }: Documented): boolean {
  if (anyOf) return anyOf.some(takesNull)
  if (values) return values.includes(null)
  if (type === undefined) return only === undefined || only === null
  return typeof type === 'string' ? type === 'null' : type.includes('null')
}
