import type { OpenTransaction } from '../../storage/anchors/transactions.ts'
import type { AnchorParts } from './parts.ts'
import type { Search, Walk } from './search.ts'

/** One address may stand for several nodes, of which one may lag. */
const lostAfterMs = 300_000

/** Since when a transaction looks lost, and the search for its events. */
type Lost = { readonly address: string; readonly sinceMs: number; readonly walkOn: Walk }

/** Remembers which transactions look lost, which is believed after five minutes. */
export function lostTransactions({ steadyMs }: AnchorParts, { walk }: Search) {
  const lost = new Map<string, Lost>()

  /** Notes that the chain shows the transaction as lost. */
  function note({ id, ageMs }: OpenTransaction, address: string) {
    const nowMs = steadyMs()
    const before = lost.get(id) ?? { address, sinceMs: nowMs, walkOn: walk(address) }
    const known = { ...before, sinceMs: Math.max(before.sinceMs, nowMs - ageMs) }
    lost.set(id, known)
    return { isForGood: nowMs >= known.sinceMs + lostAfterMs, walkOn: known.walkOn }
  }

  /** Forgets the sender's transactions that are not among these. */
  function keepOnly(open: readonly OpenTransaction[], sender: string): void {
    for (const [id, { address }] of lost)
      if (address === sender && open.every((transaction) => transaction.id !== id)) lost.delete(id)
  }

  return { note, keepOnly, forget: (id: string) => lost.delete(id) }
}
