import { type AnchorEvent, isSameEvent } from '../../chain/anchor/events.ts'
import type { FoundTransaction } from '../../chain/anchor/logs.ts'
import { owed, type PendingAnchor } from '../../storage/anchors/events.ts'
import { type Sender, storeFound } from '../../storage/anchors/transactions.ts'
import type { AnchorParts } from './parts.ts'
import type { Heights, Search } from './search.ts'
import { hashOnly } from './sending.ts'

const mostOwed = 100_000

export type Adoption = ReturnType<typeof anchorAdoption>

/**
 * Adopts transactions that a restored backup does not know: their events must not be sent again.
 */
export function anchorAdoption(
  { client, contract, sql, newId, log }: AnchorParts,
  { searchFrom, walk, readThrough }: Search,
) {
  const walkOn = walk(client.sender)

  /**
   * Whether every transaction that anchored owed events, up to `head`, is on record. Others are
   * adopted. A long stretch of blocks takes several rounds, each of which answers false. Errors:
   * the chain's.
   */
  async function isAllKnown(sender: Sender, chain: Heights): Promise<boolean> {
    const { head, deepTo } = chain
    const from = await searchFrom(sender, null, chain)
    const { isThrough, found } = await walkOn(from, deepTo)
    const shallow = isThrough
      ? await readThrough(sender.address, Math.max(from, deepTo + 1), head)
      : []
    const isAny = await takeOn(sender, [...found, ...shallow])
    return isThrough && !isAny
  }

  async function takeOn(sender: Sender, found: readonly FoundTransaction[]): Promise<boolean> {
    let left = await owed(sql, mostOwed)
    let isAny = false
    for (const { txHash, nonce, events } of found) {
      const anchors = owedAmong(left, events)
      if (anchors.length === 0) continue
      const ids = anchors.map(({ id }) => id)
      const transaction = { ...hashOnly, id: newId(), sender, contract, nonce, txHash }
      // Refused when the nonce is on record and has not failed: the events found are then others
      // with the same hash and label.
      if (!(await storeFound(sql, transaction, ids))) continue
      log.warn(
        { txHash, events: ids.length },
        'events are on the chain that the record does not know',
      )
      left = left.filter((anchor) => !anchors.includes(anchor))
      isAny = true
    }
    return isAny
  }

  return { isAllKnown }
}

function owedAmong(
  owed: readonly PendingAnchor[],
  events: readonly AnchorEvent[],
): readonly PendingAnchor[] {
  const left = [...owed]
  return events.flatMap((event) => {
    const at = left.findIndex((anchor) => isSameEvent(event, anchor))
    return at < 0 ? [] : left.splice(at, 1)
  })
}
