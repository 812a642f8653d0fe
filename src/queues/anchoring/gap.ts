import type { AnchorClient } from '../../chain/anchor.ts'

/** Our transactions that are not deep, and where the chain stands: `next` is the sender's next nonce by what is mined. */
type Nonces = { readonly next: number; readonly open: readonly number[] }

type Options = { readonly client: AnchorClient; readonly now: () => Date }

/** So long the pool must be without it: of nodes behind one address, not every one has every transaction. */
const missingAfterMs = 30_000

/**
 * Finds the nonce that is nobody's and holds up what was signed for those behind it: somebody else has used our key, and the pool has
 * dropped that transaction after we had signed for the next nonce.
 */
export function gapWatch({ client, now }: Options) {
  let missing: { readonly nonce: number; readonly sinceMs: number } | null = null

  /** To be asked once a round. */
  async function missingNonce({ next, open }: Nonces): Promise<number | null> {
    const isFree = !open.includes(next) && open.some((nonce) => nonce > next)
    if (!isFree || (await client.transactionCount()) !== next) {
      missing = null
      return null
    }
    const nowMs = now().getTime()
    if (missing?.nonce !== next) missing = { nonce: next, sinceMs: nowMs }
    return nowMs >= missing.sinceMs + missingAfterMs ? next : null
  }

  return { missingNonce }
}
