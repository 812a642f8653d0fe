type Send<T> = (wanted: object, idempotencyKey: string) => Promise<T>

/**
 * Repeats an identical request under the same idempotency key until one succeeds, since an answer
 * may get lost after the service has created the resource.
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

/** `crypto.randomUUID` needs a secure context. */
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
