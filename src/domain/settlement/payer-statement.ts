import { addressKey, type Network } from '../network.ts'

/** An invoice, or the absolute URL of a resource sold by x402. */
export type StatementSubject = { readonly invoiceId: string } | { readonly resource: string }

/**
 * The text a payer signs to claim a transfer: contract §5, rule 2. Every line ends in `\n`. Invoice
 * ids and EVM hashes are in lower case, Solana signatures unchanged.
 */
export function payerStatement({
  subject,
  chain,
  txHash,
}: {
  subject: StatementSubject
  chain: Network
  txHash: string
}): string {
  const pays =
    'invoiceId' in subject
      ? `Invoice: ${subject.invoiceId.toLowerCase()}`
      : `Resource: ${subject.resource}`
  return `Quittance payment statement v1\nI made this transfer, and it pays:\n${pays}\nChain: ${chain}\nTransaction: ${addressKey(txHash)}\n`
}

/**
 * The text by which a payer names the address for its refund: each time with the next sequence,
 * from 1. Every line ends in `\n`.
 */
export function refundAddressStatement({
  noteId,
  chain,
  payer,
  refundTo,
  sequence,
}: {
  noteId: string
  chain: Network
  payer: string
  refundTo: string
  sequence: number
}): string {
  return `Quittance refund address v2\nMy refund is to be sent here:\nCredit note: ${noteId}\nChain: ${chain}\nPayer: ${addressKey(payer)}\nRefund to: ${addressKey(refundTo)}\nSequence: ${sequence}\n`
}

/**
 * The text that says that a refund comes from another wallet: signed by it or, of a purchase, by
 * the address that was paid.
 */
export function refundWalletStatement({
  noteId,
  chain,
  wallet,
}: {
  noteId: string
  chain: Network
  wallet: string
}): string {
  return `Quittance refund wallet v1\nI refund this credit note from this wallet:\nCredit note: ${noteId}\nChain: ${chain}\nWallet: ${addressKey(wallet)}\n`
}

/** A statement with the signature of `payer`, as the chain's wallets make it. */
export type SignedStatement = {
  readonly network: Network
  readonly statement: string
  readonly signature: string
  readonly payer: string
}
