/** Any value JSON can say. */
export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [key: string]: Json }

/**
 * The one text of a JSON value: keys ordered by UTF-16 code unit and emitted in that order (a rebuilt object would move
 * integer-like keys first), numbers and strings as `JSON.stringify` prints them, no whitespace. RFC 8785 agrees.
 */
export function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  const object = value as { readonly [key: string]: Json }
  const members = Object.keys(object)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonical(object[key] as Json)}`)
  return `{${members.join(',')}}`
}
