import { base58, hex } from '@scure/base'
import type { PaymentRequest } from '../domain/invoices/request.ts'
import type { Network } from '../domain/network.ts'
import { registry } from '../domain/registry.ts'

/** The URI a wallet app opens to pay: EIP-681, or Solana Pay with the reference also as a memo. */
export function paymentUri(network: Network, payment: PaymentRequest): string {
  const { kind, chainId } = registry[network]
  const { payTo, usdcAddress, dueUsdcBase, amountDue, reference } = payment
  if (kind === 'evm') {
    return `ethereum:${usdcAddress}@${chainId}/transfer?address=${payTo}&uint256=${dueUsdcBase}`
  }
  const account = base58.encode(hex.decode(reference.slice(2)))
  return `solana:${payTo}?amount=${amountDue}&spl-token=${usdcAddress}&reference=${account}&memo=${reference}`
}
