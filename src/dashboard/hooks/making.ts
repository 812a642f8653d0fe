/** Sends a creation request. Requests with the same idempotency key create only once. */
export type Send<T> = (wanted: object, idempotencyKey: string) => Promise<T>

/**
 * Creates what is wanted only once, however often the identical request is repeated before it
 * succeeds: an answer may be lost after the service has created it. A different request, or the
 * same one after a success, creates anew.
 */
export function makingOnce<T>(send: Send<T>, newKey = randomKey): (wanted: object) => Promise<T> {
  let last: { readonly text: string; readonly key: string } | null = null
  return async (wanted) => {
    const text = JSON.stringify(wanted)
    if (last?.text !== text) last = { text, key: newKey() }
    const made = await send(wanted, last.key)
    last = null
    return made
  }
}

/** 128 random bits as hex. `crypto.randomUUID` is only available in secure contexts. */
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
