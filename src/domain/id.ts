/** Whether `text` is a UUID in lower case, as ids here are written. */
export function isUuid(text: string): boolean {
  return look.test(text)
}

/** Whether `text` is `prefix` and, behind it, such a UUID: `mnd_0190a000-…`. */
export function isUuidOf(prefix: string, text: string): boolean {
  return text.startsWith(prefix) && isUuid(text.slice(prefix.length))
}

const look = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
