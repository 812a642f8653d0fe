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

/** A statement with the signature of `payer`, as the chain's wallets make it. */
export type SignedStatement = {
  readonly network: Network
  readonly statement: string
  readonly signature: string
  readonly payer: string
}
