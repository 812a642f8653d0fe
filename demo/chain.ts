import type { InvoiceChain } from '../src/domain/network.ts'

export type DemoChain = {
  readonly chain: InvoiceChain
  readonly url: string
  /** The variable with the key by which the service settles x402 payments on this chain. */
  readonly facilitator: Readonly<Record<string, string>>
  readonly payerKey: string
  /** Sends USDC with the invoice's reference. Resolves with the transaction's hash or signature. */
  pay(payment: Payment): Promise<string>
  stop(): Promise<void>
}

type Payment = { readonly to: string; readonly usdcBase: bigint; readonly reference: string }

/** How much USDC the payer gets, in base units. */
export const payersUsdcBase = 100_000_000n
