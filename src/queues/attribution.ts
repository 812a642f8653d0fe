import { keyOf } from '../actors/payments.ts'
import type { Transfer } from '../chain/chain.ts'
import type { References } from '../domain/reference.ts'
import { type Candidate, candidateOf, type Incoming } from '../domain/settlement.ts'
import type { Asked, Meant } from '../storage/candidates.ts'

/** A transfer as the rules of matching see it. */
export function incomingOf(transfer: Transfer, references: References): Incoming {
  const { txHash, from, to, usdcBase, blockTimeMs } = transfer
  const namedInvoiceIds = namedIn(transfer, references)
  return { key: keyOf(transfer), txHash, from, to, usdcBase, blockTimeMs, namedInvoiceIds }
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

/** The invoices that were found, as candidates; those that lose a payment (`reopened`) as they are then, with the claims that were found. */
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
