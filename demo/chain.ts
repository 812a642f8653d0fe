import type { InvoiceChain } from '../src/domain/network.ts'

/** A chain of its own, with the real USDC on it and somebody who has some. */
export type DemoChain = {
  readonly chain: InvoiceChain
  readonly url: string
  /** What lets the service settle x402 payments here, by the variable it is configured with. */
  readonly facilitator: Readonly<Record<string, string>>
  /** Private key of the payer. */
  readonly payerKey: string
  /** Sends USDC as a payer's wallet does, with the invoice's reference; resolves to the transaction's hash or signature. */
  pay(payment: Payment): Promise<string>
  stop(): Promise<void>
}

type Payment = { readonly to: string; readonly usdcBase: bigint; readonly reference: string }

/** What its payer is given. */
export const payersUsdcBase = 100_000_000n
