import { nextToBatch, storeBatch } from '../../storage/anchors/batches.ts'
import { type PendingAnchor, sendable } from '../../storage/anchors/events.ts'
import { nextNonce, type Sender, storeSigned } from '../../storage/anchors/transactions.ts'
import type { Adoption } from './adoption.ts'
import { batchOf } from './batch.ts'
import type { Open } from './open.ts'
import type { AnchorParts } from './parts.ts'
import type { Sending } from './sending.ts'

export function anchorEntries(
  { client, contract, sql, limits, newId, log, warnRarely }: AnchorParts,
  { isAllKnown }: Adoption,
  { broadcast }: Sending,
) {
  /** False: nothing is owed, or it has to wait. */
  async function sendNext(sender: Sender, open: Open): Promise<boolean> {
    const receipts = await nextToBatch(sql, limits.mostReceipts)
    if (receipts.length === 0 && (await nextEvents()).length === 0) return false
    const [recorded, counted] = [await nextNonce(sql, sender), await client.transactionCount()]
    const nonce = Math.max(recorded, counted)
    // Another program has used the key, or a restored backup does not know what we sent. Nothing
    // was anchored before the contract was created.
    const isForeign = counted > recorded && !client.isCreatedWith(counted - 1)
    if (isForeign && open.nextNonce < counted) {
      log.warn(
        { nonce: recorded },
        'a transaction that is not on record is in the pool; anchors wait',
      )
      return false
    }
    // Until the fate of recorded transactions is known, it is unknown which later events are on
    // chain.
    if (isForeign && open.unmined > 0) return false
    if (isForeign && !(await isAllKnown(sender, open))) return false
    if (!(await client.hasContract())) {
      warnRarely('contract', { contract }, 'there is no contract at ANCHOR_CONTRACT; anchors wait')
      return false
    }
    // Refused when one of them was revoked meanwhile: the next round takes the others.
    if (receipts.length > 0) await storeBatch(sql, newId(), batchOf(newId(), receipts))
    const owed = await nextEvents()
    return owed.length > 0 && send(sender, nonce, owed)
  }

  function nextEvents(): Promise<readonly PendingAnchor[]> {
    return sendable(sql, limits.mostEvents)
  }

  async function send(
    sender: Sender,
    nonce: number,
    owed: readonly PendingAnchor[],
  ): Promise<boolean> {
    const { anchors, gas } = await fitting(owed)
    const signed = await client.signEntries(anchors, { nonce, gas, ...(await client.fees()) })
    const id = newId()
    const anchorIds = anchors.map((anchor) => anchor.id)
    if (!(await storeSigned(sql, { ...signed, id, sender, contract, nonce }, anchorIds)))
      return false
    await broadcast({ id, signedBytes: signed.signedBytes })
    log.info({ txHash: signed.txHash, events: anchors.length, nonce }, 'anchor transaction sent')
    return true
  }

  /** As many events as fit into the gas limit of one transaction. */
  async function fitting(owed: readonly PendingAnchor[]) {
    let anchors = owed
    for (;;) {
      const gas = await client.gasFor(anchors)
      if (gas <= limits.mostGas || anchors.length <= 1) return { anchors, gas }
      const share = Number(limits.mostGas) / Number(gas)
      anchors = anchors.slice(0, Math.max(1, Math.floor(anchors.length * share)))
    }
  }

  return { sendNext }
}
