import { keepNewest } from '../../scheduling/cache.ts'
import { type Block, type BlockRange, OutOfTime } from '../chain.ts'
import { deadlineMs } from '../rpc/deadline.ts'
import type { Call } from '../rpc/json-rpc.ts'
import { createRangeReader } from '../rpc/ranges.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { blockCall, readBlock } from './blocks.ts'
import { fromQuantity, type RawLog, topicOf, toQuantity } from './logs.ts'

/** An EIP-3009 authorization: a contract accepts each nonce of a payer once. */
export type UsedOnce = { readonly token: string; readonly payer: string; readonly nonce: string }

/** `tag`: a block's number in hex, or `latest`. */
export function isUsedCall({ token, payer, nonce }: UsedOnce, tag: string): Call {
  const data = `${authorizationState}${topicOf(payer).slice(2)}${nonce.slice(2)}`
  return { method: 'eth_call', params: [{ to: token, data }, tag] }
}

/** Throws `ChainError` where there is no such token. */
export function readIsUsed(answer: unknown): boolean {
  return fromQuantity(answer) !== 0
}

type Permit = { readonly payer: string; readonly nonce: string }

/** Asks Permit2 for the word of a payer's bitmap that has this nonce. */
export function permitCall({ payer, nonce }: Permit, tag: string): Call {
  const word = nonce.slice(2, 64).padStart(64, '0')
  const data = `${nonceBitmap}${topicOf(payer).slice(2)}${word}`
  return { method: 'eth_call', params: [{ to: permit2, data }, tag] }
}

/** Whether a permit is used; false where there is no Permit2. */
export function readIsPermitUsed(answer: unknown, nonce: string): boolean {
  const bits = typeof answer === 'string' && answer.length > 2 ? BigInt(answer) : 0n
  return ((bits >> BigInt(`0x${nonce.slice(-2)}`)) & 1n) === 1n
}

const permit2 = '0x000000000022d473030f116ddee9f6b43ac78ba3'
const nonceBitmap = '0x4fe02b44'

/** A reorganisation may still bring a block of an earlier time. */
export function isExpired(validBeforeMs: number, head: Block): boolean {
  return head.timestampMs > validBeforeMs + reorgMs
}

/** Whether this log used the authorization, by paying or by cancelling it. */
export function isUse(log: RawLog, { token, payer, nonce }: UsedOnce): boolean {
  const [event = '', authorizer, used] = log.topics
  const isOfIt = authorizer === topicOf(payer) && used === nonce
  return log.address.toLowerCase() === token && usingUp.includes(event) && isOfIt
}

/** The nonce of the authorization that caused the transfer at index `at` of its receipt, if any. */
export function nonceBefore(
  logs: readonly RawLog[],
  at: number,
  token: string,
): string | undefined {
  // The token emits both logs together: the authorization's stands directly before its transfer's.
  const before = logs[at - 1]
  const [topic, authorizer, nonce] = before?.topics ?? []
  const isItsAuthorization =
    topic === authorizationUsedTopic &&
    before?.address.toLowerCase() === token &&
    authorizer === logs[at]?.topics[1]
  return isItsAuthorization ? nonce : undefined
}

export type Use = { readonly txHash: string; readonly blockNumber: number }

/** A search takes about `limitMs`, because the watcher waits for it. */
export function createUseFinder(rpc: Rpc, maxRangeBlocks: number, limitMs = deadlineMs) {
  /** By authorization: the newest block not read yet. */
  const positions = new Map<string, number>()
  const ranges = createRangeReader(
    (range, used: UsedOnce) => logsUsing(rpc, used, range),
    maxRangeBlocks,
  )

  /**
   * The transaction that used an authorization between `sinceMs` and `head`; null if none did. A
   * search that runs out of time rejects, and the next one continues where it ended.
   */
  return async (
    used: UsedOnce,
    { head, sinceMs }: { readonly head: Block; readonly sinceMs: number },
  ): Promise<Use | null> => {
    const key = `${used.payer} ${used.nonce}`
    const endMs = performance.now() + limitMs
    // Backwards, because an authorization has usually been used recently.
    for (let to = Math.min(head.number, positions.get(key) ?? head.number); to >= 0; ) {
      const mostBlocks = ranges.mostBlocks()
      const blocks = to === head.number ? Math.min(maxRangeBlocks, mostBlocks) : mostBlocks
      const from = Math.max(0, to - blocks + 1)
      const { answers, failure } = await ranges.read({ from, to }, used)
      const use = answers.flatMap(({ logs }) => logs).find((log) => isUse(log, used))
      if (use) return { txHash: use.transactionHash, blockNumber: fromQuantity(use.blockNumber) }
      if (failure !== null) throw failure
      if ((answers[0]?.first.timestampMs ?? 0) < sinceMs) break
      to = from - 1
      keepNewest(positions, key, to, keptPositions)
      if (performance.now() > endMs) throw new OutOfTime()
    }
    // The next search begins at the top: a node may list later what it has left out.
    positions.delete(key)
    return null
  }
}

function logsUsing(
  rpc: Rpc,
  { token, payer, nonce }: UsedOnce,
  { from, to }: BlockRange,
): Promise<{ readonly logs: readonly RawLog[]; readonly first: Block }> {
  const [fromBlock, toBlock] = [toQuantity(from), toQuantity(to)]
  const topics = [usingUp, topicOf(payer), nonce]
  const filter = { address: token, topics, fromBlock, toBlock }
  const calls = [
    blockCall(toBlock),
    { method: 'eth_getLogs', params: [filter] },
    blockCall(fromBlock),
  ]
  return rpc.read(calls, ([last, logs, first]) => {
    // A node that lacks the last block would leave out logs it has not seen.
    readBlock(last, toBlock)
    return { logs: logs as readonly RawLog[], first: readBlock(first, fromBlock) }
  })
}

const keptPositions = 1_000

const reorgMs = 60_000

const authorizationUsedTopic = '0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5'

const authorizationState = '0xe94a0102'
const authorizationCanceledTopic =
  '0x1cdd46ff242716cdaa72d159d339a485b3438398348d68f09d7c8c0a59353d81'
const usingUp = [authorizationUsedTopic, authorizationCanceledTopic]
