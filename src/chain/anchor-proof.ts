import { type AnchorEntry, anchorEvents, readReceipt, receiptCall } from './anchor-events.ts'
import { createRpc } from './rpc.ts'

/** Where a bundle says its event is; `logIndex` counts within the block. */
export type AnchorPlace = {
  readonly chainId: number
  readonly contract: string
  readonly txHash: string
  readonly logIndex: number
}

/**
 * What the chain says of a claimed event. Only `ok` proves it, and only as the statement of `sender`: the contract emits
 * for anybody.
 */
export type AnchorProof =
  | {
      readonly outcome: 'ok'
      readonly blockNumber: number
      readonly sender: string
      readonly timestampMs: number
    }
  | {
      readonly outcome:
        | 'transaction_not_found'
        | 'failed_transaction'
        | 'wrong_contract'
        | 'event_not_found'
        | 'wrong_hash'
    }

/** Looks an event up in one transaction receipt of the node at `rpcUrls`; rejects with `ChainError`, also on another chain. */
export async function verifyEvent(
  rpcUrls: readonly string[],
  place: AnchorPlace,
  expected: AnchorEntry,
): Promise<AnchorProof> {
  const rpc = createRpc({ urls: rpcUrls, expectedChainId: place.chainId })
  const [answer] = await rpc.ask([receiptCall(place.txHash)])
  const receipt = readReceipt(answer)
  if (receipt === null) return { outcome: 'transaction_not_found' }
  if (receipt.status === 'reverted') return { outcome: 'failed_transaction' }
  const log = receipt.logs.find(({ logIndex }) => Number(logIndex) === place.logIndex)
  if (!log) return { outcome: 'event_not_found' }
  const [event] = anchorEvents([log], place.contract)
  if (log.address.toLowerCase() !== place.contract.toLowerCase()) {
    return { outcome: 'wrong_contract' }
  }
  if (event?.kind !== expected.kind || event.label !== expected.label) {
    return { outcome: 'event_not_found' }
  }
  if (event.hash !== expected.hash) return { outcome: 'wrong_hash' }
  const { sender, timestampMs } = event
  return { outcome: 'ok', blockNumber: receipt.blockNumber, sender, timestampMs }
}
