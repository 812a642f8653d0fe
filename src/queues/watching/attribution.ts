import { decideInTurn, keyOf, revert } from '../../actors/payments.ts'
import type { Transfer } from '../../chain/chain.ts'
import { isUuid } from '../../domain/id.ts'
import type * as Invoice from '../../domain/invoices/invoice.ts'
import type { MatchedBy } from '../../domain/invoices/progress.ts'
import type { References } from '../../domain/invoices/reference.ts'
import type { Network } from '../../domain/network.ts'
import {
  type Candidate,
  type Credit,
  candidateOf,
  type Found,
  type Incoming,
} from '../../domain/settlement/candidate.ts'
import { match } from '../../domain/settlement/matching.ts'
import { traceOf } from '../../domain/x402/traces.ts'
import { refundsAmong } from '../../storage/credit-notes/refunds.ts'
import { loadMany } from '../../storage/invoices/invoices.ts'
import { depositsAmong } from '../../storage/invoices/payment-addresses.ts'
import type { Sql } from '../../storage/postgres/db.ts'
import { candidateQueryOf, candidates } from '../../storage/settlement/candidates.ts'
import type { StoredTransfer } from '../../storage/settlement/transfers.ts'
import { isElsewhere, placeKey, usesOf } from '../../storage/settlement/uses.ts'
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
  const inTurn = inTurnOf(diff, references)
  const query = candidateQueryOf(inTurn.map(({ read }) => read))
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
  const [used, refunds, claimed, deposits, found, losing] = await Promise.all([
    usesOf(
      sql,
      network,
      inTurn.map(({ transfer }) => transfer),
    ),
    refundsAmong(sql, network, unreferenced),
    claimedBy(sql, network, traces, read),
    depositsAmong(sql, [...new Set(query.amounts.flatMap(({ senders }) => senders))]),
    candidates(sql, network, query),
    loadMany(sql, [...new Set(credits.map(({ invoiceId }) => invoiceId))]),
  ])
  // What pays an invoice is on record as that, and is judged anew.
  const isUsed = (transfer: Transfer) =>
    isElsewhere(used.get(placeKey(transfer))) || refunds.has(placeKey(transfer))
  const known = inTurn.map(({ transfer, read }) => ({
    ...read,
    isUsed: isUsed(transfer) || claimed.places.has(placeKey(transfer)),
    isMovedOn: deposits.has(read.from),
  }))
  const reopened = losing.map((invoice) => withoutPayments(invoice, missing, now()))
  const matches = rules(network, known, candidatesOf(found, reopened))
  const byKey = new Map(inTurn.map(({ transfer, read }) => [read.key, transfer]))
  const onRecord = new Set(held.map(({ transfer }) => transfer))
  const matched = matches.flatMap((match) => {
    const transfer = byKey.get(match.key) as Transfer
    return onRecord.has(transfer) && 'heldAs' in match ? [] : [{ transfer, match }]
  })
  const judged = [...found.map(({ invoice }) => invoice), ...losing]
  const { moved } = claimed
  return { matched, judged: new Map(judged.map((invoice) => [invoice.id, invoice])), moved }
}

/**
 * The order matters, since later ones can only pay what earlier ones left: first those that paid
 * before, then those that were held, then new ones.
 */
function inTurnOf({ fresh, held, missing, reverted }: TransferDiff, references: References) {
  const moving = new Set(missing.map(({ txHash }) => txHash))
  const formerly = formerlyIn(missing, reverted)
  const seen = fresh.map((transfer): Judged => {
    const read = incomingOf(transfer, references)
    return { transfer, read: { ...read, ...formerly(read) } }
  })
  const again = held.map(
    ({ transfer, heldAs }): Judged => ({
      transfer,
      read: { ...incomingOf(transfer, references), heldAs },
    }),
  )
  const turn = ({ read: { paidBefore, heldAs, txHash } }: Judged) => {
    if (paidBefore) return moving.has(txHash) ? 0 : 1
    return heldAs ? 2 : 3
  }
  return [...again, ...seen].toSorted((a, b) => turn(a) - turn(b))
}

/**
 * What transfers paid, or were held as, in the last block of their transaction. Positions may
 * change, so they are identified by sender, receiver and amount, and twins by the invoices that
 * they name. What cannot be told is held.
 */
export function formerlyIn(
  missing: readonly StoredTransfer[],
  reverted: readonly StoredTransfer[],
): (read: Incoming) => Pick<Incoming, 'paidBefore' | 'heldAs'> {
  const byAge = reverted.toSorted((a, b) => a.blockNumber - b.blockNumber)
  const last = new Map([...byAge, ...missing].map(({ txHash, blockHash }) => [txHash, blockHash]))
  const rows = [...missing, ...reverted]
    .filter(({ txHash, blockHash }) => last.get(txHash) === blockHash)
    .toSorted((a, b) => a.position - b.position)
  const left = Map.groupBy(rows, moveOf)
  return (read) => {
    if (!last.has(read.txHash)) return {}
    const alike = left.get(moveOf(read)) ?? []
    const paying = alike.findIndex(({ credit }) => credit && mayHavePaid(read, credit))
    const at = paying >= 0 ? paying : alike.findIndex(({ credit }) => !credit)
    const [row] = at >= 0 ? alike.splice(at, 1) : []
    return row?.credit ? { paidBefore: row.credit } : { heldAs: row?.heldAs ?? 'unmatched' }
  }
}

/** Whether the transfer names what it was credited to by name, or nothing if by its amount. */
export function mayHavePaid(
  { namedInvoiceIds, looselyNamedIds = [] }: Incoming,
  { matchedBy, invoiceId }: Credit,
): boolean {
  if (matchedBy === 'reference') return [...namedInvoiceIds, ...looselyNamedIds].includes(invoiceId)
  return !byAmountAlone.includes(matchedBy) || namedInvoiceIds.length === 0
}

const byAmountAlone: readonly MatchedBy[] = ['asked', 'payer', 'amount']

function moveOf({ txHash, from, to, usdcBase }: Incoming | StoredTransfer): string {
  return `${txHash} ${from} ${to} ${usdcBase}`
}

function withoutPayments(
  invoice: Invoice.Invoice,
  missing: readonly StoredTransfer[],
  at: Date,
): Invoice.Invoice {
  const lost = missing.filter(({ credit }) => credit?.invoiceId === invoice.id)
  return decideInTurn(invoice, lost.map(revert), at).after
}

/** The found invoices as candidates; `reopened`, those that lose payments, as they are then. */
export function candidatesOf(
  found: readonly Found[],
  reopened: readonly Invoice.Invoice[],
): readonly Candidate[] {
  const known = new Map(found.map((one) => [one.invoice.id, one]))
  const candidates = found.map((one) => candidateOf(one.invoice, one))
  const again = reopened.map((invoice) => candidateOf(invoice, known.get(invoice.id)))
  return [...new Map([...candidates, ...again].map((one) => [one.invoiceId, one])).values()]
}

export function incomingOf(transfer: Transfer, references: References): Incoming {
  const { txHash, from, to, usdcBase, blockTimeMs, calldata } = transfer
  const namedInvoiceIds = namedIn(transfer, references)
  const isLoose = calldata !== undefined && namedInvoiceIds.length === 0
  const read = {
    ...{ key: keyOf(transfer), txHash, from, to, usdcBase, blockTimeMs, namedInvoiceIds },
    ...(transfer.isUnsure && { isUnsure: true }),
  }
  return isLoose ? { ...read, looselyNamedIds: references.findIn(calldata) } : read
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
 * Leaves out unconfirmed transfers that may be x402 payments (a price of ours, no invoice named),
 * which their sender presents within seconds. Not where the transaction has others on the same
 * route: what a claim takes depends on all their amounts.
 */
export function withoutLikelySales(
  diff: TransferDiff,
  confirmedTo: number,
  { salesUsdcBase, references }: Pick<AttributionOptions, 'salesUsdcBase' | 'references'>,
): TransferDiff {
  const mayBeSale = (transfer: Transfer) =>
    salesUsdcBase.has(transfer.usdcBase) && namedIn(transfer, references).length === 0
  const others = [
    ...diff.fresh.filter((transfer) => !mayBeSale(transfer)),
    ...diff.present.map(({ before }) => before),
  ]
  const together = new Set(others.map(routeOf))
  const fresh = diff.fresh.filter(
    (transfer) =>
      transfer.blockNumber <= confirmedTo ||
      !mayBeSale(transfer) ||
      together.has(routeOf(transfer)),
  )
  return { ...diff, fresh }
}

function routeOf({ txHash, from, to }: Transfer | StoredTransfer): string {
  return `${txHash} ${from} ${to}`
}
