/** Any value that JSON can express. */
export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [key: string]: Json }

/**
 * The canonical JSON text of a value, as RFC 8785 has it. Keys are ordered by UTF-16 code unit and
 * emitted in that order (rebuilding an object would move integer-like keys to the front). Numbers
 * and strings are as `JSON.stringify` prints them, without whitespace.
 */
export function canonical(value: Json): string {
  return isInOrder(value) ? JSON.stringify(value) : ordered(value)
}

/** Whether JavaScript already iterates over all members, at every level, in canonical order. */
function isInOrder(value: Json): boolean {
  if (value === null || typeof value !== 'object') return true
  if (Array.isArray(value)) return value.every(isInOrder)
  const object = value as { readonly [key: string]: Json }
  let before = ''
  for (const key of Object.keys(object)) {
    if (key < before || !isInOrder(object[key] as Json)) return false
    before = key
  }
  return true
}

function ordered(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(ordered).join(',')}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  const object = value as { readonly [key: string]: Json }
  const members = Object.keys(object)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${ordered(object[key] as Json)}`)
  return `{${members.join(',')}}`
}
