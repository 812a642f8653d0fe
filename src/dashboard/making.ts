/** Sends what is to be made under a key: what is sent twice under one key is made once. */
export type Send<T> = (wanted: object, idempotencyKey: string) => Promise<T>

/**
 * Makes what is wanted once, however often the same is asked for until it is known to be made: an answer may be lost after the service has
 * made it. Something else, or the same once more after that, is made anew.
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

/** 128 random bits. `crypto.randomUUID` is only for pages that came by a safe way. */
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
