import { keyOf } from '../../actors/payments.ts'
import type { Transfer } from '../../chain/chain.ts'
import { isUuid } from '../../domain/id.ts'
import type { References } from '../../domain/invoices/reference.ts'
import {
  type Candidate,
  type Claim,
  type Credit,
  candidateOf,
  type Incoming,
} from '../../domain/settlement/matching.ts'
import type { CandidateInvoice } from '../../storage/settlement/candidates.ts'
import type { StoredTransfer } from '../../storage/settlement/transfers.ts'

/** A transfer as the matching rules see it. */
export function incomingOf(transfer: Transfer, references: References): Incoming {
  const { txHash, from, to, usdcBase, blockTimeMs } = transfer
  const namedInvoiceIds = namedIn(transfer, references)
  return { key: keyOf(transfer), txHash, from, to, usdcBase, blockTimeMs, namedInvoiceIds }
}

/**
 * The rows of each transaction from the block it was in last. Those that are gone now tell; of a
 * transaction that was gone already, the rows of one block, as each block that it was ever in may
 * have left some. All of one block are there unless those of a later one have replaced them.
 */
export function formerRows(
  missing: readonly StoredTransfer[],
  reverted: readonly StoredTransfer[],
): readonly StoredTransfer[] {
  const moving = new Set(missing.map(({ txHash }) => txHash))
  const gone = reverted.filter(({ txHash }) => !moving.has(txHash))
  const last = [...Map.groupBy(gone, ({ txHash }) => txHash).values()].map((rows) => {
    const byBlock = [...Map.groupBy(rows, ({ blockHash }) => blockHash).values()]
    return byBlock.toSorted(
      (a, b) => b.length - a.length || (b[0]?.blockNumber ?? 0) - (a[0]?.blockNumber ?? 0),
    )[0]
  })
  return [...missing, ...last.flatMap((rows = []) => rows)]
}

/**
 * Creates a function that returns what a transfer paid in its former block, according to the rows
 * from there. Positions count through a block and so may change; sender, receiver and amount
 * identify a transfer within its transaction, and identical ones keep their order. Twins that name
 * different invoices, or of which one names none, are told apart by that: by reference only what
 * names the invoice has paid it, by its amount or payer only what names none.
 */
export function paymentsBefore(
  former: readonly StoredTransfer[],
): (transfer: Incoming) => readonly Credit[] {
  const inOrder = former.toSorted((a, b) => a.position - b.position)
  const paying = inOrder.filter(({ credit }) => credit !== null)
  const alike = Map.groupBy(paying, moveOf)
  return (transfer) => {
    const credits = (alike.get(moveOf(transfer)) ?? []).flatMap(({ credit }) => credit ?? [])
    return credits.filter((credit) => mayHavePaid(transfer, credit))
  }
}

function mayHavePaid({ namedInvoiceIds }: Incoming, { matchedBy, invoiceId }: Credit): boolean {
  if (matchedBy === 'reference') return namedInvoiceIds.includes(invoiceId)
  return (matchedBy !== 'amount' && matchedBy !== 'payer') || namedInvoiceIds.length === 0
}

/**
 * Creates a function that returns what a transfer was held as in its former block, according to the
 * rows from there. As many as were held are told so.
 */
export function heldBefore(
  former: readonly StoredTransfer[],
): (transfer: Incoming) => StoredTransfer['heldAs'] {
  const alike = Map.groupBy(
    former.filter(({ heldAs }) => heldAs !== null),
    moveOf,
  )
  return (transfer) => alike.get(moveOf(transfer))?.shift()?.heldAs ?? null
}

function moveOf({ txHash, from, to, usdcBase }: Incoming | StoredTransfer): string {
  return `${txHash} ${from} ${to} ${usdcBase}`
}

/**
 * The invoices that the payer named. The nonce of an authorization also counts as a reference,
 * though it mostly names nothing of ours. A reference is certainly the transfer's own, so beside
 * one memos, which only stand near it, say nothing. Where it is not sure which memos are meant,
 * and not all of them name the same invoice, the transfer names all that they name.
 */
export function namedIn(transfer: Transfer, references: References): readonly string[] {
  const { memos = [], unsureMemos = [] } = transfer
  const referred = transfer.references.flatMap((reference) => references.read(reference) ?? [])
  if (referred.length > 0) return referred
  const idOf = (memo: string) => (isUuid(memo) ? memo : references.read(memo))
  const unsure = unsureMemos.map(idOf)
  const named = new Set(unsure).size > 1 ? unsure : memos.map(idOf)
  return named.filter((id) => id !== null)
}

/**
 * The found invoices as candidates, with their claims. Those that lose or lost a payment are taken
 * from `reopened`, as they are without it. An operator's claim is used while the transfer that it
 * is for, one of `present`, has its credit. A payer's claim on a transaction that was gone, as its
 * `former` rows tell, was made since if it has credited none of them: one made before is applied at
 * once.
 */
export function candidatesOf(
  found: readonly CandidateInvoice[],
  reopened: readonly Candidate[],
  present: readonly StoredTransfer[],
  former: readonly StoredTransfer[],
): readonly Candidate[] {
  const assigned = Map.groupBy(
    present.filter(({ credit }) => credit?.matchedBy === 'operator'),
    ({ txHash, from, usdcBase, credit }) => `${txHash} ${from} ${usdcBase} ${credit?.invoiceId}`,
  )
  const isUsed = ({ madeBy, txHash, payer, usdcBase }: Claim, invoiceId: string) =>
    madeBy === 'operator' &&
    assigned.get(`${txHash} ${payer} ${usdcBase} ${invoiceId}`)?.pop() !== undefined
  const gone = new Set(
    former.filter(({ state }) => state === 'reverted').map(({ txHash }) => txHash),
  )
  const applied = new Set(
    [...present, ...former].flatMap(({ txHash, from, credit }) =>
      credit?.matchedBy === 'claim' ? `${txHash} ${from} ${credit.invoiceId}` : [],
    ),
  )
  const isSince = ({ madeBy, txHash, payer }: Claim, invoiceId: string) =>
    madeBy === 'claim' && gone.has(txHash) && !applied.has(`${txHash} ${payer} ${invoiceId}`)
  const byId = new Map(
    found.map(({ invoice, claims }) => {
      const judged = claims.map((claim) => ({
        ...claim,
        isUsed: isUsed(claim, invoice.id),
        isSince: isSince(claim, invoice.id),
      }))
      return [invoice.id, candidateOf(invoice, judged)]
    }),
  )
  for (const candidate of reopened) {
    const claims = byId.get(candidate.invoiceId)?.claims ?? []
    byId.set(candidate.invoiceId, { ...candidate, claims })
  }
  return [...byId.values()]
}
