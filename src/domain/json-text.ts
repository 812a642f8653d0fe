export type JsonObject = Readonly<Record<string, unknown>>

/** Whether a JSON value has members. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The text of a JSON object that stands in `text` as it is, or in base64. */
export function plainText(text: string): string {
  const trimmed = text.trim()
  return trimmed.startsWith('{') ? trimmed : Buffer.from(trimmed, 'base64').toString()
}

/** What was sent: an object as it is, or a text with its JSON or base64 of that; undefined for a text that cannot be read. */
export function unpacked(sent: unknown): unknown {
  if (typeof sent !== 'string') return sent
  try {
    return JSON.parse(plainText(sent))
  } catch {
    return undefined
  }
}
