import { addressKey, type Network } from '../network.ts'
import { authorizationKey } from './signed-payment.ts'

/** What one sender sent in one transaction: it pays invoices or buys something, never both. */
export type Sent = { readonly txHash: string; readonly from: string }

/** Identifies a sender's transfers of one transaction, within a chain. */
export function sentKey({ txHash, from }: Sent): string {
  return `${txHash}:${from}`
}

/** A transfer that its payer made directly, without an authorization. */
export function transferKey(network: Network, { txHash, from }: Sent): string {
  return `${network}:transfer:${addressKey(txHash)}:${addressKey(from)}`
}

/** Links a transfer to the signed payment it may settle. */
export type PaymentTrace = Sent & {
  /** Of the authorizations it may settle. */
  readonly keys: readonly string[]
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
    readonly nonce?: string
    readonly authority?: string
  },
  namedInvoiceIds: readonly string[],
): PaymentTrace {
  const { chain, txHash, from, nonce, authority = from } = transfer
  return {
    txHash,
    from,
    keys: nonce === undefined ? [] : [authorizationKey(chain, { payer: from, nonce })],
    payers: chain === 'solana' && namedInvoiceIds.length === 0 ? [from, authority] : [],
  }
}
