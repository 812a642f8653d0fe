import type { Block } from './chain.ts'
import { blockCall, readBlock } from './evm-blocks.ts'
import { type RawLog, toQuantity } from './evm-logs.ts'
import { authorizationUsedTopic } from './evm-transactions.ts'
import type { Rpc } from './rpc.ts'
import type { Call } from './rpc-node.ts'

/** An EIP-3009 authorization of USDC: the contract at `token`, in lower case, takes the nonce of a payer once. */
export type UsedOnce = { readonly token: string; readonly payer: string; readonly nonce: string }

/** Asks whether an authorization is used up: see `readIsUsed`. */
export function isUsedCall({ token, payer, nonce }: UsedOnce): Call {
  const data = `${authorizationState}${word(payer)}${nonce.slice(2)}`
  return { method: 'eth_call', params: [{ to: token, data }, 'latest'] }
}

export function readIsUsed(answer: unknown): boolean {
  return BigInt(`${answer}`) !== 0n
}

/** Whether by this log an authorization was used up. */
export function isUse(log: RawLog, { token, payer, nonce }: UsedOnce): boolean {
  const [event = '', authorizer, used] = log.topics
  const isOfIt = authorizer === `0x${word(payer)}` && used === nonce
  return log.address.toLowerCase() === token && usingUp.includes(event) && isOfIt
}

/**
 * The transaction that used an authorization up, by paying or by cancelling it, in the blocks up to `head` that were made since `sinceMs`; null
 * where none did. Rejects with `ChainError`.
 */
export async function transactionUsing(
  rpc: Rpc,
  used: UsedOnce,
  { head, sinceMs, maxRangeBlocks }: { head: Block; sinceMs: number; maxRangeBlocks: number },
): Promise<string | null> {
  const topics = [usingUp, `0x${word(used.payer)}`, used.nonce]
  // Backwards: mostly it has been used of late.
  for (let to = head.number; to >= 0; to -= maxRangeBlocks) {
    const fromBlock = toQuantity(Math.max(0, to - maxRangeBlocks + 1))
    const toBlock = toQuantity(to)
    const filter = { address: used.token, topics, fromBlock, toBlock }
    const calls = [
      blockCall(toBlock),
      { method: 'eth_getLogs', params: [filter] },
      blockCall(fromBlock),
    ]
    const { logs, first } = await rpc.read(calls, ([last, logs, first]) => {
      // A node that has not got there would leave out what it has not seen.
      readBlock(last, toBlock)
      return { logs: logs as readonly RawLog[], first: readBlock(first, fromBlock) }
    })
    const use = logs.find((log) => isUse(log, used))
    if (use) return use.transactionHash
    if (first.timestampMs < sinceMs) return null
  }
  return null
}

function word(address: string): string {
  return address.slice(2).toLowerCase().padStart(64, '0')
}

/** The selector of `authorizationState(address,bytes32)`. */
const authorizationState = '0xe94a0102'
/** keccak256 of `AuthorizationCanceled(address,bytes32)`. */
const authorizationCanceledTopic =
  '0x1cdd46ff242716cdaa72d159d339a485b3438398348d68f09d7c8c0a59353d81'
const usingUp = [authorizationUsedTopic, authorizationCanceledTopic]
