import { type AnchorEvent, isSameEvent } from '../../chain/anchor/events.ts'
import type { FoundTransaction } from '../../chain/anchor/logs.ts'
import { type Batch, type Unbatched, unbatched } from '../../storage/anchors/batches.ts'
import { owed, type PendingAnchor } from '../../storage/anchors/events.ts'
import { type Found, type Sender, storeFound } from '../../storage/anchors/transactions.ts'
import { batchOf } from './batch.ts'
import type { AnchorParts } from './parts.ts'
import type { Heights, Search } from './search.ts'
import { hashOnly } from './sending.ts'

const most = 100_000

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
   * Whether every transaction that anchored events, up to `head`, is on record. Others are
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
    if (found.length === 0) return false
    let left: Left = { owed: await owed(sql, most), receipts: await unbatched(sql, most) }
    let isAny = false
    for (const { txHash, nonce, events } of found) {
      const taken = taking(left, events, newId)
      const transaction = { ...hashOnly, id: newId(), sender, contract, nonce, txHash }
      // Refused when the nonce is on record and has not failed: its events are known, and owed ones
      // with the same hash and label are others.
      if (!(await storeFound(sql, transaction, taken))) continue
      log.warn(
        { txHash, events: events.length },
        'events are on the chain that the record does not know',
      )
      left = taken.left
      isAny = true
    }
    return isAny
  }

  return { isAllKnown }
}

type Left = { readonly owed: readonly PendingAnchor[]; readonly receipts: readonly Unbatched[] }

/**
 * What found events are to the record: owed ones, or others. Those may be batches of the receipts
 * that were next to get a place, or of what the record has lost, which is counted nevertheless.
 */
function taking(left: Left, events: readonly AnchorEvent[], newId: () => string) {
  const owed = [...left.owed]
  const owedIds: string[] = []
  const others: Found['others'][number][] = []
  const batches: Batch[] = []
  let { receipts } = left
  for (const event of events) {
    const at = owed.findIndex((anchor) => isSameEvent(event, anchor))
    const [anchor] = at < 0 ? [] : owed.splice(at, 1)
    if (anchor) owedIds.push(anchor.id)
    else {
      const { kind, hash, label } = event
      const subjectId = newId()
      const leaves = leavesOf(event, receipts)
      others.push({ id: newId(), subjectId, kind, hash, label })
      if (leaves.length > 0) batches.push(batchOf(subjectId, leaves))
      receipts = receipts.slice(leaves.length)
    }
  }
  return { owedIds, others, batches, left: { owed, receipts } }
}

/** The receipts next to get a place whose batch the event is; none if it is another one. */
function leavesOf(
  { kind, hash, label }: AnchorEvent,
  receipts: readonly Unbatched[],
): readonly Unbatched[] {
  const size = kind === 'batch' ? Number(label) : 0
  if (size < 1 || size > receipts.length) return []
  const leaves = receipts.slice(0, size)
  const { root } = batchOf('', leaves)
  return hash === `0x${Buffer.from(root).toString('hex')}` ? leaves : []
}
