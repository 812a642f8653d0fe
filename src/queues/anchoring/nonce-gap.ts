import type { AnchorParts } from './parts.ts'

/**
 * The nonces of our transactions that are not deep, and `next`: the sender's next nonce according
 * to mined blocks.
 */
type Nonces = { readonly next: number; readonly open: readonly number[] }

/**
 * How long the pool must be without the nonce: of the nodes behind one address, not every one has
 * every transaction.
 */
const missingAfterMs = 30_000

/**
 * Watches for a nonce that no transaction has and that blocks transactions signed for later ones:
 * another program used our key, and a reorganisation dropped its transaction after we had signed
 * for the next nonce.
 */
export function nonceGaps({ client, steadyMs }: AnchorParts) {
  let missing: { readonly nonce: number; readonly sinceMs: number } | null = null

  /** The missing nonce, or null. To be called once a round. */
  async function missingNonce({ next, open }: Nonces): Promise<number | null> {
    const isFree = !open.includes(next) && open.some((nonce) => nonce > next)
    if (!isFree || (await client.transactionCount()) !== next) {
      missing = null
      return null
    }
    const nowMs = steadyMs()
    if (missing?.nonce !== next) missing = { nonce: next, sinceMs: nowMs }
    return nowMs >= missing.sinceMs + missingAfterMs ? next : null
  }

  return { missingNonce }
}
