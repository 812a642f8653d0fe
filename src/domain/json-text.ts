export type JsonObject = Readonly<Record<string, unknown>>

/** Whether a JSON value is an object (not an array or null). */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The text of a JSON object that is written plainly or in base64. */
export function plainText(text: string): string {
  const trimmed = text.trim()
  return trimmed.startsWith('{') ? trimmed : Buffer.from(trimmed, 'base64').toString()
}

/** Parses JSON or base64 of JSON and keeps any other value; undefined if it cannot be parsed. */
export function unpacked(sent: unknown): unknown {
  if (typeof sent !== 'string') return sent
  try {
    return JSON.parse(plainText(sent))
  } catch {
    return undefined
  }
}
