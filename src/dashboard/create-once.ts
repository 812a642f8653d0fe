/** Sends a creation request. Requests with the same idempotency key create only once. */
type Send<T> = (wanted: object, idempotencyKey: string) => Promise<T>

/**
 * Sends identical requests under one idempotency key until one succeeds, since an answer may be
 * lost after the service has created the resource.
 */
export function createOnce<T>(send: Send<T>): (wanted: object) => Promise<T> {
  let last: { readonly text: string; readonly key: string } | null = null
  return async (wanted) => {
    const text = JSON.stringify(wanted)
    if (last?.text !== text) last = { text, key: randomKey() }
    const created = await send(wanted, last.key)
    last = null
    return created
  }
}

/** 128 random bits as hex. `crypto.randomUUID` is only available in secure contexts. */
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
