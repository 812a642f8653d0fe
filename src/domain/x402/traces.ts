import { addressKey, type Network } from '../network.ts'
import { authorizationKey } from './signed-payment.ts'

/** What one sender sent in one transaction: it pays invoices or buys something, never both. */
export type Sent = { readonly txHash: string; readonly from: string }

/** Identifies a sender's transfers of one transaction, within a chain. */
export function sentKey({ txHash, from }: Sent): string {
  return `${txHash}:${from}`
}

/** Identifies a transfer that its payer made directly, without an authorization. */
export function transferKey(network: Network, { txHash, from }: Sent): string {
  return `${network}:transfer:${addressKey(txHash)}:${addressKey(from)}`
}

/** The properties of a transfer on chain that link it to the signed payment it may settle. */
export type PaymentTrace = Sent & {
  /** Keys of the authorizations that it may settle. */
  readonly keys: readonly string[]
  /**
   * The payers of whose signed payments it may settle any: on this chain transfers do not show the
   * message they came by, and it names no invoice.
   */
  readonly payers: readonly string[]
}

/**
 * The trace of a transfer; `nonce` is that of the authorization that made it, `authority` is the
 * wallet that signed to move what is the sender's, `namedInvoiceIds` are the invoices its payer
 * named.
 */
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
