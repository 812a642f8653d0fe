import { addressKey, type Network } from '../network.ts'
import { authorizationKey } from './signed-payment.ts'

/** What one sender sent in one transaction. */
export type Sent = { readonly txHash: string; readonly from: string }

/** A transfer that its payer made directly, without an authorization. */
export function transferKey(network: Network, { txHash, from }: Sent): string {
  return `${network}:transfer:${addressKey(txHash)}:${addressKey(from)}`
}

/** Links a transfer to the payment that it may have settled. */
export type PaymentTrace = {
  readonly txHash: string
  readonly position: number
  /** Of the authorization that made it, else of the transfer itself. */
  readonly key: string
  /**
   * Transfers on Solana do not show their message: without a name it may settle any of these
   * payers'.
   */
  readonly payers: readonly string[]
}

/** `nonce` is of the authorization that made it, `authority` is the wallet that signed. */
export function traceOf(
  transfer: Sent & {
    readonly chain: Network
    readonly position: number
    readonly nonce?: string
    readonly authority?: string
  },
  namedInvoiceIds: readonly string[],
): PaymentTrace {
  const { chain, txHash, position, from, nonce, authority = from } = transfer
  return {
    txHash,
    position,
    key:
      nonce === undefined
        ? transferKey(chain, transfer)
        : authorizationKey(chain, { payer: from, nonce }),
    payers: chain === 'solana' && namedInvoiceIds.length === 0 ? [from, authority] : [],
  }
}
