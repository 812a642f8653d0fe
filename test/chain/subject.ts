import type { Chain, ChainError, ChainFault } from '../../src/chain/chain.ts'
import type { NodeWatch } from '../../src/chain/rpc.ts'

export type Payment = { readonly to: string; readonly usdcBase: bigint }
export type ReferencedPayment = Payment & { readonly reference: string }

export type AdapterOptions = { readonly fetchTimeoutMs?: number; readonly onNode?: NodeWatch }

/** A live chain as the suite needs it: the adapter under test and the means to make things happen. Each payment is mined. */
export type Subject = {
  readonly chain: Chain
  readonly nodeUrl: string
  /** The adapter over these URLs, by which the same node or what stands before it is reached. */
  chainAt(urls: readonly string[], options?: AdapterOptions): Chain
  /** The same node behind an adapter that expects another chain. */
  readonly misdirected: Chain
  readonly payer: string
  /** Three addresses in canonical spelling that nobody else pays. */
  readonly ours: readonly [string, string, string]
  readonly stranger: string
  /** Answers the transaction's hash. */
  pay(payment: Payment): Promise<string>
  /** Every way a payer can attach a reference. */
  readonly ways: Readonly<Record<string, (payment: ReferencedPayment) => Promise<string>>>
  /** What looks like payments to `to` and is none: of nothing, failed, of another token. */
  makeNoise(to: string): Promise<void>
  mine(blocks: number): Promise<void>
  /** Replaces the newest `depth` blocks by empty ones; null where the chain has no such thing. */
  readonly reorg: ((depth: number) => Promise<void>) | null
  stop(): Promise<void>
}

/** What the question failed of; fails the test if it did not. */
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
