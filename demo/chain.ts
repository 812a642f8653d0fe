import type { InvoiceChain } from '../src/domain/network.ts'

/** A local chain with the real USDC and a payer that holds some. */
export type DemoChain = {
  readonly chain: InvoiceChain
  readonly url: string
  /** The variable with the key by which the service settles x402 payments on this chain. */
  readonly facilitator: Readonly<Record<string, string>>
  /** The private key of the payer. */
  readonly payerKey: string
  /**
   * Sends USDC as a payer's wallet does, with the invoice's reference. Resolves with the
   * transaction's hash or signature.
   */
  pay(payment: Payment): Promise<string>
  stop(): Promise<void>
}

type Payment = { readonly to: string; readonly usdcBase: bigint; readonly reference: string }

/** How much USDC the payer gets, in base units. */
export const payersUsdcBase = 100_000_000n
