import { ChainError } from '../chain.ts'
import { blockCall, readBlock, receiptCall } from '../evm/blocks.ts'
import { toQuantity } from '../evm/logs.ts'
import { knownToAny } from '../rpc/proven.ts'
import { createRpc } from '../rpc/rpc.ts'
import { type AnchorEntry, anchorEvents, readReceipt } from './events.ts'

/** Where a bundle says its event is; `logIndex` counts within the block. */
export type AnchorPlace = {
  readonly chainId: number
  readonly contract: string
  readonly txHash: string
  readonly blockNumber: number
  readonly logIndex: number
}

/**
 * Only `ok` proves an event, and only as a statement of `sender`, as the contract emits for
 * anybody. `forged_event`: its sender or time differ from the transaction's. `stale_place`: it is
 * at another block or log index, as after a reorganisation.
 */
export type AnchorProof =
  | { readonly outcome: 'ok'; readonly sender: string; readonly timestampMs: number }
  | {
      readonly outcome:
        | 'transaction_not_found'
        | 'failed_transaction'
        | 'wrong_contract'
        | 'event_not_found'
        | 'wrong_hash'
        | 'forged_event'
        | 'stale_place'
    }

/** Checks a claimed event against its receipt and block. Rejects with `ChainError`. */
export async function verifyEvent(
  rpcUrls: readonly string[],
  place: AnchorPlace,
  expected: AnchorEntry,
): Promise<AnchorProof> {
  const rpc = createRpc({ urls: rpcUrls, expectedChainId: place.chainId })
  // Many nodes forget old transactions, and then answer as if there had been none.
  const receipt = readReceipt(await knownToAny(rpc, receiptCall(place.txHash), () => true))
  if (receipt === null) return { outcome: 'transaction_not_found' }
  if (receipt.status === 'reverted') return { outcome: 'failed_transaction' }
  const named = anchorEvents(receipt.logs).filter(
    ({ kind, label }) => kind === expected.kind && label === expected.label,
  )
  if (named.length === 0) return { outcome: 'event_not_found' }
  const own = named.filter(({ contract }) => contract === place.contract.toLowerCase())
  if (own.length === 0) return { outcome: 'wrong_contract' }
  const same = own.filter(({ hash }) => hash === expected.hash)
  if (same.length === 0) return { outcome: 'wrong_hash' }
  const event = same.find(({ logIndex }) => logIndex === place.logIndex)
  if (!event || receipt.blockNumber !== place.blockNumber) return { outcome: 'stale_place' }
  const tag = toQuantity(receipt.blockNumber)
  const { timestampMs } = await rpc.read([blockCall(tag)], ([answer]) => {
    const block = readBlock(answer, tag)
    // The block was replaced, or is another node's.
    if (block.hash === receipt.blockHash) return block
    throw new ChainError('lagging', `block ${tag} is not the one of the receipt: try again`)
  })
  // Whoever sends a receipt chooses the contract it names, which may name any sender and time.
  const isTrue = event.sender === receipt.from && event.timestampMs === timestampMs
  return isTrue ? { outcome: 'ok', sender: receipt.from, timestampMs } : { outcome: 'forged_event' }
}
