import type { AnchorClient } from '../chain/anchor.ts'
import { type AnchorEvent, isSameEvent } from '../chain/anchor-events.ts'
import type { FoundTransaction } from '../chain/anchor-logs.ts'
import type { BlockRange } from '../chain/chain.ts'
import { isRefusal } from '../chain/rpc-fault.ts'
import type { AnchorStore, PendingAnchor, Sender } from '../storage/anchors.ts'

type Options = {
  readonly client: AnchorClient
  readonly contract: string
  readonly store: AnchorStore
  readonly newId: () => string
  readonly log: { warn(line: object, message: string): void }
}

/** More than this many are not owed at once. */
const mostOwed = 100_000

/**
 * Takes on transactions of ours that the record does not know, because it is that of a backup: what is owed and on the chain already is not
 * to be sent once more.
 */
export function anchorAdoption({ client, contract, store, newId, log }: Options) {
  /** Looks through the blocks up to `head`; answers whether there was any such transaction. It is looked after from the next round on. */
  async function adopt(sender: Sender, head: number): Promise<boolean> {
    const from = await store.newestRecorded(sender)
    if (from === null) return false
    let owed = await store.pending(mostOwed)
    let isAny = false
    for (const { txHash, nonce, events } of await anchored({ from, to: head })) {
      const anchors = owedAmong(owed, events)
      if (anchors.length === 0) continue
      const ids = anchors.map(({ id }) => id)
      // Refused where the nonce is on record: then these events are others of the same hash and label.
      if (
        !(await store.storeSigned(
          { ...unknown, id: newId(), sender, contract, nonce, txHash },
          ids,
        ))
      )
        continue
      log.warn(
        { txHash, events: ids.length },
        'events are on the chain that the record does not know',
      )
      owed = owed.filter((anchor) => !anchors.includes(anchor))
      isAny = true
    }
    return isAny
  }

  /** A node that keeps no logs from so long ago must not keep events waiting for ever. */
  async function anchored(range: BlockRange): Promise<readonly FoundTransaction[]> {
    try {
      return await client.anchored(range)
    } catch (error) {
      if (!isRefusal(error)) throw error
      log.warn({ err: error }, 'what was anchored by transactions not on record cannot be read')
      return []
    }
  }

  return { adopt }
}

/** Its bytes are gone. Should the chain lose it, no node takes these, and it is signed anew. */
const unknown = { signedBytes: '0x', maxFeePerGas: 0n, maxPriorityFeePerGas: 0n }

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
