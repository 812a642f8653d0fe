export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [key: string]: Json }

/** Canonical JSON text by RFC 8785: keys in the order of their UTF-16 code units. */
export function canonical(value: Json): string {
  return isInOrder(value) ? JSON.stringify(value) : ordered(value)
}

/** Whether JavaScript iterates over all members in canonical order. */
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
