import { base58, hex } from '@scure/base'
import type { PaymentRequest } from '../domain/invoices/request.ts'
import type { ChainRow } from '../domain/registry.ts'

/** The URI a wallet app opens to pay: EIP-681, or Solana Pay with the reference also as a memo. */
export function paymentUri(row: ChainRow, payment: PaymentRequest): string {
  const { payTo, usdcAddress, dueUsdcBase, amountDue, reference } = payment
  if (row.kind === 'evm') {
    return `ethereum:${usdcAddress}@${row.chainId}/transfer?address=${payTo}&uint256=${dueUsdcBase}`
  }
  const account = base58.encode(hex.decode(reference.slice(2)))
  return `solana:${payTo}?amount=${amountDue}&spl-token=${usdcAddress}&reference=${account}&memo=${reference}`
}
