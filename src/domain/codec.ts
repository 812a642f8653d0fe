/** Reads values that were stored as JSON, checking each, and writes them. */
export type Codec<T> = {
  /** Throws a `TypeError` if the parsed JSON is no such value. */
  readonly decode: (json: unknown) => T
  /** Absent: `JSON.stringify` can write the value as it is. */
  readonly encode?: (value: T) => unknown
}

export type Decoded<C> = C extends Codec<infer T> ? T : never

type Optional<T> = Codec<T> & IsOptional
type IsOptional = { readonly isOptional: true }
// biome-ignore lint/suspicious/noExplicitAny: a field may hold a value of any type
type Fields = Readonly<Record<string, Codec<any>>>
type ObjectOf<F extends Fields> = {
  readonly [Name in keyof F as F[Name] extends IsOptional ? never : Name]: Decoded<F[Name]>
} & {
  readonly [Name in keyof F as F[Name] extends IsOptional ? Name : never]?: Decoded<F[Name]>
}

export const text: Codec<string> = ofType('string')
export const number: Codec<number> = ofType('number')

/** What another codec reads. */
export const anything: Codec<unknown> = { decode: (json) => json }

/** An integer that may be too large for a JSON number: JSON holds its digits as text. */
export const bigint: Codec<bigint> = {
  decode: (json) => BigInt(text.decode(json)),
  encode: (value) => `${value}`,
}

/** One of these values. */
export function oneOf<T extends string | true>(values: readonly T[]): Codec<T> {
  return {
    decode(json) {
      if (!values.includes(json as T)) throw new TypeError(`is none of ${values.join(', ')}`)
      return json as T
    },
  }
}

/** Null is not written, so it reads as null where it is missing. */
export function nullable<T>({ decode, encode }: Codec<T>): Codec<T | null> {
  return {
    decode: (json) => (json === null || json === undefined ? null : decode(json)),
    ...(encode && { encode: (value: T | null) => (value === null ? null : encode(value)) }),
  }
}

/** A member that may be absent. */
export function optional<T>(codec: Codec<T>): Optional<T> {
  return { ...codec, isOptional: true }
}

/** A list of values of one kind. */
export function list<T>({ decode, encode }: Codec<T>): Codec<readonly T[]> {
  return {
    decode(json) {
      if (!Array.isArray(json)) throw new TypeError('is not a list')
      return json.map((item) => decode(item))
    },
    ...(encode && { encode: (values: readonly T[]) => values.map((value) => encode(value)) }),
  }
}

/** A field added later must be `nullable` or `optional`. Members without a field are kept. */
export function object<F extends Fields>(fields: F): Codec<ObjectOf<F>> {
  const all = Object.entries(fields).map(([name, codec]) => ({
    name,
    ...codec,
    isOptional: 'isOptional' in codec,
  }))
  const encodings = new Map(all.map(({ name, encode }) => [name, encode]))
  return {
    decode(json) {
      if (typeof json !== 'object' || json === null) throw new TypeError('is not an object')
      const members = json as Record<string, unknown>
      for (const { name, decode, isOptional } of all) {
        const member = members[name]
        if (member === undefined && isOptional) continue
        const value = inField(name, decode, member)
        if (value !== member) members[name] = value
      }
      return members as ObjectOf<F>
    },
    encode(value) {
      const members: Record<string, unknown> = {}
      for (const [name, member] of Object.entries(value))
        if (member !== null) members[name] = encodings.get(name)?.(member) ?? member
      return members
    },
  }
}

/** The value as JSON text. */
export function toText<T>({ encode }: Codec<T>, value: T): string {
  return JSON.stringify(encode ? encode(value) : value)
}

/** Throws a `TypeError` that names the wrong member. */
export function fromText<T>({ decode }: Codec<T>, json: string): T {
  return decode(JSON.parse(json))
}

function ofType<T>(type: 'string' | 'number'): Codec<T> {
  return {
    decode(json) {
      if (typeof json !== type) throw new TypeError(`is not a ${type}`)
      return json as T
    },
  }
}

function inField(name: string, decode: (json: unknown) => unknown, json: unknown): unknown {
  try {
    return decode(json)
  } catch (error) {
    throw new TypeError(`${name}: ${(error as Error).message}`)
  }
}
