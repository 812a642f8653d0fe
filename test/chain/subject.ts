import type { Chain, ChainError, ChainFault } from '../../src/chain/chain.ts'
import type { NodeWatch } from '../../src/chain/rpc/failover.ts'

export type Payment = { readonly to: string; readonly usdcBase: bigint }
export type ReferencedPayment = Payment & { readonly reference: string }

export type AdapterOptions = { readonly fetchTimeoutMs?: number; readonly onNode?: NodeWatch }

/**
 * A live chain for the conformance suite: the adapter under test, and the means to make payments
 * and blocks. Each payment is mined.
 */
export type Subject = {
  readonly chain: Chain
  readonly nodeUrl: string
  /** Another adapter over these URLs, which lead to the same node, directly or through a relay. */
  chainAt(urls: readonly string[], options?: AdapterOptions): Chain
  /** An adapter on the same node that expects another chain. */
  readonly misdirected: Chain
  readonly payer: string
  /** Three addresses in canonical spelling that receive no other payments. */
  readonly ours: readonly [string, string, string]
  readonly stranger: string
  /** Makes a payment and answers the transaction's hash. */
  pay(payment: Payment): Promise<string>
  /** All ways in which a payer can attach a reference. */
  readonly ways: Readonly<Record<string, (payment: ReferencedPayment) => Promise<string>>>
  /**
   * Makes transactions that look like payments to `to` but are not: of amount zero, failed, of
   * another token.
   */
  makeNoise(to: string): Promise<void>
  mine(blocks: number): Promise<void>
  /**
   * Replaces the newest `depth` blocks with empty ones; null if the chain has no reorganisations.
   */
  readonly reorg: ((depth: number) => Promise<void>) | null
  stop(): Promise<void>
}

/** The fault with which a request failed. Throws if it did not fail. */
export async function faultOf(question: Promise<unknown>): Promise<ChainFault> {
  try {
    await question
  } catch (error) {
    return (error as ChainError).fault
  }
  throw new Error('the question was answered')
}

export function newReference(): string {
  return `0x${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('hex')}`
}
