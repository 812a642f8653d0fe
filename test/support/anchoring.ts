import {
  concat,
  encodeAbiParameters,
  type Hex,
  pad,
  parseAbiParameters,
  toEventSelector,
} from 'viem'
import { toBytes } from '../../src/storage/postgres/chain-bytes.ts'
import type { Sql } from '../../src/storage/postgres/db.ts'
import type { EvmNode } from './evm-node.ts'
import type { EventPlace } from './receipts.ts'

const anchored = toEventSelector('ReceiptsAnchored(bytes32,uint256,uint256,address)')
const revoked = toEventSelector('ReceiptRevoked(bytes32,uint256,address)')

/** What an event states in place of what is true. */
type Lies = { readonly sender?: string; readonly agoSeconds?: number; readonly topic?: Hex }

/**
 * A contract at `address` that emits whatever it is called with: the events of the anchor contract,
 * also such as that never would emit.
 */
export async function anchoringAt(node: EvmNode, address: Hex) {
  // Three topics, then the data.
  const code = '0x60603603806060600037604035602035600035836000a300'
  await node.rpc('anvil_setCode', [address, code])

  async function emit(
    from: string,
    topic: Hex,
    hash: string,
    words: readonly bigint[],
    lies: Lies,
  ) {
    const { timestamp } = await node.rpc<{ timestamp: string }>('eth_getBlockByNumber', [
      'latest',
      false,
    ])
    const seconds = Number(timestamp) + 60
    await node.rpc('evm_setNextBlockTimestamp', [seconds])
    const at = BigInt(seconds - (lies.agoSeconds ?? 0))
    const types = parseAbiParameters([...words, at].map(() => 'uint256').join())
    const topics = [lies.topic ?? topic, hash as Hex, pad((lies.sender ?? from) as Hex)]
    const data = concat([...topics, encodeAbiParameters(types, [...words, at])])
    const txHash = await node.send({ from, to: address, data })
    const mined = await node.rpc<Mined>('eth_getTransactionReceipt', [txHash])
    const [blockNumber, logIndex] = [mined.blockNumber, mined.logs[0]?.logIndex].map(Number)
    const place = { txHash, blockNumber: blockNumber ?? -1, logIndex: logIndex ?? -1 }
    return { chainId: node.chainId, contract: address, ...place }
  }

  return {
    anchor: (from: string, root: string, size: number, lies: Lies = {}) =>
      emit(from, anchored, root, [BigInt(size)], lies),
    revoke: (from: string, hash: string, lies: Lies = {}) => emit(from, revoked, hash, [], lies),
  }
}

type Mined = {
  readonly blockNumber: string
  readonly logs: readonly { readonly logIndex: string }[]
}

/** Records that a receipt is anchored, in a batch of its own. */
export async function recordAnchored(sql: Sql, receiptId: string, place: EventPlace) {
  const { chainId, contract, txHash, blockNumber, logIndex } = place
  const batchId = crypto.randomUUID()
  await sql`
    with receipt as (update receipts set batch_id = ${batchId}, batch_index = 0 where id = ${receiptId} returning hash),
    batch as (
      insert into receipt_batches (id, root, size, created_at) select ${batchId}, hash, 1, now() from receipt
    )
    insert into anchors (id, kind, subject_id, sequence, hash, label, state, chain_id, contract, tx_hash, block_number,
      log_index, created_at, updated_at)
    select gen_random_uuid(), 'batch', ${batchId}, 0, hash, '1', 'anchored', ${chainId}, ${toBytes(contract)},
      ${toBytes(txHash)}, ${blockNumber}, ${logIndex}, now(), now()
    from receipt`
}
