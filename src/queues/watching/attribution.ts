import { decideInTurn, keyOf, revert } from '../../actors/payments.ts'
import type { Transfer } from '../../chain/chain.ts'
import { isUuid } from '../../domain/id.ts'
import type * as Invoice from '../../domain/invoices/invoice.ts'
import type { MatchedBy } from '../../domain/invoices/progress.ts'
import type { References } from '../../domain/invoices/reference.ts'
import type { Network } from '../../domain/network.ts'
import {
  type Candidate,
  type Claim,
  type Credit,
  candidateOf,
  type Incoming,
} from '../../domain/settlement/candidate.ts'
import { match } from '../../domain/settlement/matching.ts'
import { traceOf } from '../../domain/x402/traces.ts'
import { refundsAmong } from '../../storage/credit-notes/refunds.ts'
import { loadMany } from '../../storage/invoices/invoices.ts'
import { depositsAmong } from '../../storage/invoices/payment-addresses.ts'
import type { Sql } from '../../storage/postgres/db.ts'
import {
  type CandidateInvoice,
  candidateQueryOf,
  candidates,
} from '../../storage/settlement/candidates.ts'
import type { StoredTransfer } from '../../storage/settlement/transfers.ts'
import { placeKey, usesOf } from '../../storage/settlement/uses.ts'
import { claimedBy, type MovedSale } from '../../storage/x402/payments.ts'
import type { MatchedTransfer, TransferDiff } from './transfer-diff.ts'

export type AttributionOptions = {
  readonly network: Network
  readonly references: References
  /** Prices of what is sold by x402. */
  readonly salesUsdcBase: ReadonlySet<bigint>
  /** Tests may replace the matching rules. */
  readonly rules?: typeof match
  readonly now: () => Date
}

/** `judged`: by id, the invoices that the matching rules were given. */
type Attributed = {
  readonly moved: readonly MovedSale[]
  readonly matched: readonly MatchedTransfer[]
  readonly judged: ReadonlyMap<string, Invoice.Invoice>
}

type Judged = { readonly transfer: Transfer; readonly read: Incoming }

/**
 * Matches new transfers as if missing ones were already reverted: after a reorganisation a payment
 * may be in another block. Transfers held on record are matched again, and returned only if they
 * pay something now.
 */
export async function attribute(
  sql: Sql,
  diff: TransferDiff,
  { network, references, salesUsdcBase, rules = match, now }: AttributionOptions,
): Promise<Attributed> {
  const { fresh, held, present, missing, reverted } = diff
  if (fresh.length + held.length === 0) return { matched: [], judged: new Map(), moved: [] }
  const former = formerRows(missing, reverted)
  const { inTurn, onRecord } = inTurnOf(diff, former, references)
  const incoming = inTurn.map(({ read }) => read)
  const query = candidateQueryOf(incoming)
  const unnamed = query.amounts.flatMap(({ transfers }) => transfers)
  const senders = [...new Set(unnamed.map(({ from }) => from))]
  const traces = inTurn
    .filter(({ read }) => salesUsdcBase.has(read.usdcBase))
    .map(({ transfer, read }) => traceOf(transfer, read.namedInvoiceIds))
  const credits = [...missing, ...reverted].flatMap(({ credit }) => credit ?? [])
  const read = new Set(
    [...inTurn.map(({ transfer }) => transfer), ...present.map(({ after }) => after)].map(placeKey),
  )
  const unreferenced = inTurn.flatMap(({ transfer, read }) =>
    read.namedInvoiceIds.length > 0 ? [] : transfer,
  )
  const [used, refunds, claimed, deposits, examined, losing] = await Promise.all([
    usesOf(
      sql,
      network,
      inTurn.map(({ transfer }) => transfer),
    ),
    refundsAmong(sql, network, unreferenced),
    claimedBy(sql, network, traces, read),
    depositsAmong(sql, senders),
    candidates(sql, network, query),
    loadMany(sql, [...new Set(credits.map(({ invoiceId }) => invoiceId))]),
  ])
  const reopened = losing.map((invoice) => withoutPayments(invoice, missing, now()))
  // What pays an invoice is on record as that, and is judged anew.
  const isUsed = (transfer: Transfer) =>
    (used.get(placeKey(transfer))?.kind ?? 'invoice') !== 'invoice' ||
    refunds.has(placeKey(transfer))
  const known = inTurn.map(({ transfer, read }) => ({
    ...read,
    isUsedForX402: isUsed(transfer) || claimed.places.has(placeKey(transfer)),
    isMovedOn: deposits.has(read.from),
  }))
  const stay = present.map(({ before }) => before)
  const matches = rules(network, known, candidatesOf(examined, reopened, stay, former))
  const byKey = new Map(inTurn.map((judged) => [judged.read.key, judged]))
  const matched = matches.flatMap((match) => {
    const judged = byKey.get(match.key) as Judged
    const { transfer } = judged
    return onRecord.has(judged) && 'heldAs' in match ? [] : [{ transfer, match }]
  })
  const judged = [...examined.map(({ invoice }) => invoice), ...losing]
  const { moved } = claimed
  return { matched, judged: new Map(judged.map((invoice) => [invoice.id, invoice])), moved }
}

/**
 * The order matters, since later ones can only pay what earlier ones left: first those that paid
 * before, then those that were held, then new ones. `onRecord`: held on record as they were read.
 */
function inTurnOf(
  { fresh, held, missing }: TransferDiff,
  former: readonly StoredTransfer[],
  references: References,
): { readonly inTurn: readonly Judged[]; readonly onRecord: ReadonlySet<Judged> } {
  const moving = new Set(missing.map(({ txHash }) => txHash))
  const paidBefore = paymentsBefore(former)
  const formerlyHeldAs = heldBefore(former)
  const seen = fresh.map((transfer): Judged => {
    const incoming = incomingOf(transfer, references)
    const paid = paidBefore(incoming)
    if (paid.length > 0) return { transfer, read: { ...incoming, paidBefore: paid } }
    const heldAs = formerlyHeldAs(incoming)
    return { transfer, read: heldAs === null ? incoming : { ...incoming, heldAs } }
  })
  const groups = Object.groupBy(seen, ({ read }) => {
    if (read.paidBefore) return moving.has(read.txHash) ? 'moved' : 'back'
    return read.heldAs ? 'held' : 'new'
  })
  const again = held.map(
    ({ transfer, heldAs }): Judged => ({
      transfer,
      read: { ...incomingOf(transfer, references), heldAs },
    }),
  )
  const { moved = [], back = [], held: heldBack = [], new: newest = [] } = groups
  return { inTurn: [...moved, ...back, ...again, ...heldBack, ...newest], onRecord: new Set(again) }
}

function withoutPayments(
  invoice: Invoice.Invoice,
  missing: readonly StoredTransfer[],
  at: Date,
): Candidate {
  const lost = missing.filter(({ credit }) => credit?.invoiceId === invoice.id)
  return candidateOf(decideInTurn(invoice, lost.map(revert), at).after)
}

export function incomingOf(transfer: Transfer, references: References): Incoming {
  const { txHash, from, to, usdcBase, blockTimeMs } = transfer
  const namedInvoiceIds = namedIn(transfer, references)
  return { key: keyOf(transfer), txHash, from, to, usdcBase, blockTimeMs, namedInvoiceIds }
}

/**
 * The rows of each transaction from its last block. A transaction that was reverted earlier may
 * have left rows of several blocks: the block with the most rows, then the newest, counts.
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
 * What a transfer paid in its former block. Positions may change, so transfers are identified by
 * sender, receiver and amount. Twins are told apart by the invoices that they name.
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
  return !byAmountAlone.includes(matchedBy) || namedInvoiceIds.length === 0
}

const byAmountAlone: readonly MatchedBy[] = ['asked', 'payer', 'amount']

/** What a transfer was held as in its former block. */
function heldBefore(
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
 * The invoices that the payer named. A reference belongs to the transfer for certain, so memos
 * count only without one. If unsure memos name several invoices, the transfer names all of them.
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
 * The found invoices as candidates, with their claims; those of `reopened` without the lost
 * payment. An operator's claim is used while its transfer has its credit. A payer's claim on a
 * transaction that was gone is newer than that if it credited none of its rows, as claims are
 * applied at once.
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
    found.map(({ invoice, claims, asked }) => {
      const judged = claims.map((claim) => ({
        ...claim,
        isUsed: isUsed(claim, invoice.id),
        isSince: isSince(claim, invoice.id),
      }))
      return [invoice.id, candidateOf(invoice, judged, asked)]
    }),
  )
  for (const candidate of reopened) {
    const { claims = [], asked = [] } = byId.get(candidate.invoiceId) ?? {}
    byId.set(candidate.invoiceId, { ...candidate, claims, asked })
  }
  return [...byId.values()]
}
