import { addressKey, type Network } from './network.ts'

/** What a transfer was made for: an invoice, or the resource behind an x402 payment requirement (its absolute URL). */
export type StatementSubject = { readonly invoiceId: string } | { readonly resource: string }

/**
 * The text a payer signs to say that a transfer was theirs and what it pays for: contract §5, rule 2. Lines end in `\n`, the last one too;
 * invoice ids and EVM hashes are in lower case, Solana signatures as they are.
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
