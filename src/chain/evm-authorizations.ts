import { fromQuantity, topicOf } from './evm-logs.ts'
import type { Call } from './rpc-node.ts'

/** What a token says of the EIP-3009 authorizations that have moved it. */

/** keccak256 of `AuthorizationUsed(address,bytes32)`. */
export const authorizationUsedTopic =
  '0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5'

/** The topics of the one log that says that `from`'s authorization with this nonce has been used. */
export function usedTopics(from: string, nonce: string): readonly string[] {
  return [authorizationUsedTopic, topicOf(from), nonce]
}

/** Asks whether `from`'s authorization with this nonce has been used; `readIsUsed` reads the answer. */
export function isUsedCall(token: string, from: string, nonce: string): Call {
  const data = `${authorizationState}${topicOf(from).slice(2)}${nonce.slice(2)}`
  return { method: 'eth_call', params: [{ to: token, data }, 'latest'] }
}

/** What a node answers to `isUsedCall`. Throws `ChainError` where there is no such token. */
export function readIsUsed(answer: unknown): boolean {
  return fromQuantity(answer) !== 0
}

/** Selector of `authorizationState(address,bytes32)`. */
const authorizationState = '0xe94a0102'
