import { keyOf } from '../../actors/payments.ts'
import type { Transfer } from '../../chain/chain.ts'
import type { References } from '../../domain/reference.ts'
import { type Candidate, type Credit, candidateOf, type Incoming } from '../../domain/settlement.ts'
import type { Asked, Meant } from '../../storage/candidates.ts'
import type { StoredTransfer } from '../../storage/transfers.ts'

/** A transfer as the rules of matching see it. */
export function incomingOf(transfer: Transfer, references: References): Incoming {
  const { txHash, from, to, usdcBase, blockTimeMs } = transfer
  const namedInvoiceIds = namedIn(transfer, references)
  return { key: keyOf(transfer), txHash, from, to, usdcBase, blockTimeMs, namedInvoiceIds }
}

/**
 * Answers a function that says what a transfer paid in the block that it was in before, going by those that are gone from theirs. Their
 * places are counted through the block, so what they move tells them apart; those that are alike stay in their order.
 */
export function paymentsBefore(
  gone: readonly StoredTransfer[],
): (transfer: Transfer) => readonly Credit[] {
  const inOrder = gone.toSorted((a, b) => a.position - b.position)
  const alike = Map.groupBy(inOrder, moveOf)
  return (transfer) => (alike.get(moveOf(transfer)) ?? []).flatMap(({ credit }) => credit ?? [])
}

function moveOf({ txHash, from, to, usdcBase }: Transfer | StoredTransfer): string {
  return `${txHash} ${from} ${to} ${usdcBase}`
}

/** The invoices a payer named. The nonce of an authorization is a reference too, mostly to nothing of ours. */
export function namedIn(transfer: Transfer, references: References): readonly string[] {
  const { writtenInvoiceIds = [] } = transfer
  const referred = transfer.references.flatMap((reference) => references.read(reference) ?? [])
  return [...referred, ...writtenInvoiceIds]
}

/** What must be asked to find the invoices that transfers could mean. */
export function askedOf(incoming: readonly Incoming[]): Asked {
  const unnamed = incoming.filter(({ namedInvoiceIds }) => namedInvoiceIds.length === 0)
  const byAmount = Map.groupBy(unnamed, ({ to, usdcBase }) => `${to} ${usdcBase}`)
  return {
    named: incoming.flatMap(({ namedInvoiceIds }) => namedInvoiceIds),
    addresses: [...new Set(incoming.map(({ to }) => to))],
    txHashes: [...new Set(incoming.map(({ txHash }) => txHash))],
    amounts: [...byAmount.values()].map((same) => ({
      to: same[0]?.to ?? '',
      usdcBase: same[0]?.usdcBase ?? 0n,
      senders: same.map(({ from }) => from),
    })),
  }
}

/** The invoices that were found, as candidates; those that lose or lost a payment (`reopened`) as they are then, with the claims that were found. */
export function candidatesOf(
  meant: readonly Meant[],
  reopened: readonly Candidate[],
): readonly Candidate[] {
  const byId = new Map(
    meant.map(({ invoice, claims }) => [invoice.id, candidateOf(invoice, claims)]),
  )
  for (const candidate of reopened) {
    const claims = byId.get(candidate.invoiceId)?.claims ?? []
    byId.set(candidate.invoiceId, { ...candidate, claims })
  }
  return [...byId.values()]
}
