import {
  acceptsPayment,
  type Invoice,
  isOpen,
  type MatchedBy,
  receivedUsdcBase,
} from './invoice.ts'
import { addressKey } from './network.ts'

/** A transfer as the rules see it; `references` hold the invoice ids that its 32-byte references name. */
export type Incoming = {
  readonly key: string
  readonly to: string
  readonly usdcBase: bigint
  readonly blockTimeMs: number
  readonly namedInvoiceIds: readonly string[]
}

/** An invoice as the rules see it. */
export type Candidate = {
  readonly invoiceId: string
  readonly accountId: string
  readonly chain: string
  readonly payTo: string
  readonly dueUsdcBase: bigint
  readonly receivedUsdcBase: bigint
  readonly createdAtMs: number
  readonly acceptsPayment: boolean
  /** False for an expired invoice, which late money may still settle. */
  readonly isOpen: boolean
}

/** An invoice as a candidate. */
export function candidateOf(invoice: Invoice): Candidate {
  const { id, accountId, terms, createdAt } = invoice
  return {
    invoiceId: id,
    accountId,
    chain: terms.chain,
    payTo: addressKey(terms.payTo),
    dueUsdcBase: terms.dueUsdcBase,
    receivedUsdcBase: receivedUsdcBase(invoice),
    createdAtMs: Date.parse(createdAt),
    acceptsPayment: acceptsPayment(invoice) && !terms.isPurchase,
    isOpen: isOpen(invoice),
  }
}

export type Match =
  | { readonly key: string; readonly invoiceId: string; readonly matchedBy: MatchedBy }
  | { readonly key: string; readonly heldAs: 'ambiguous' | 'unmatched' }

/**
 * Which invoice each transfer pays (contract §5), in chain order; a transfer that took an invoice leaves it to no later one.
 * Rules, first that applies: `reference` — the transfer names one invoice of this address; a transfer that names an
 * invoice is never matched by anything else. `amount` — exactly this much is due at this address on an invoice made
 * before the block: the oldest, if all such invoices belong to one account; otherwise nobody's, held as `ambiguous`. Expired invoices
 * count only where no open one does.
 */
export function match(
  chain: string,
  transfers: readonly Incoming[],
  candidates: readonly Candidate[],
): readonly Match[] {
  const book = openBook(chain, candidates)
  return transfers.map((transfer) =>
    transfer.namedInvoiceIds.length > 0 ? byReference(transfer, book) : byAmount(transfer, book),
  )
}

type Slots = ReadonlyMap<string, readonly Candidate[][]>

type Book = {
  readonly byId: ReadonlyMap<string, Candidate>
  /** What is due one amount at one address and untouched: per account, oldest last so that taking one is a pop. */
  readonly open: Slots
  /** The same of expired invoices. */
  readonly late: Slots
  readonly receivedUsdcBase: Map<string, bigint>
}

function openBook(chain: string, candidates: readonly Candidate[]): Book {
  const here = candidates.filter(
    (candidate) => candidate.chain === chain && candidate.acceptsPayment,
  )
  const untouched = here.filter((candidate) => candidate.receivedUsdcBase === 0n)
  return {
    byId: new Map(here.map((candidate) => [candidate.invoiceId, candidate])),
    open: slotsOf(untouched.filter((candidate) => candidate.isOpen)),
    late: slotsOf(untouched.filter((candidate) => !candidate.isOpen)),
    receivedUsdcBase: new Map(
      here.map((candidate) => [candidate.invoiceId, candidate.receivedUsdcBase]),
    ),
  }
}

function slotsOf(candidates: readonly Candidate[]): Slots {
  const newestFirst = candidates.toSorted(
    (a, b) => b.createdAtMs - a.createdAtMs || (a.invoiceId < b.invoiceId ? 1 : -1),
  )
  const bySlot = Map.groupBy(newestFirst, ({ payTo, dueUsdcBase }) => slot(payTo, dueUsdcBase))
  return new Map([...bySlot].map(([key, due]) => [key, perAccount(due)]))
}

function perAccount(candidates: readonly Candidate[]): Candidate[][] {
  return [...Map.groupBy(candidates, (candidate) => candidate.accountId).values()]
}

function byReference(transfer: Incoming, book: Book): Match {
  const [invoiceId, ...others] = new Set(transfer.namedInvoiceIds)
  if (invoiceId === undefined || others.length > 0)
    return { key: transfer.key, heldAs: 'ambiguous' }
  const candidate = book.byId.get(invoiceId)
  if (!candidate || candidate.payTo !== transfer.to || isCovered(candidate, book)) {
    return { key: transfer.key, heldAs: 'unmatched' }
  }
  return credit(transfer, candidate, 'reference', book)
}

function byAmount(transfer: Incoming, book: Book): Match {
  const open = oldestOfEach(transfer, book.open, book)
  const oldest = open.length > 0 ? open : oldestOfEach(transfer, book.late, book)
  const [candidate] = oldest
  if (!candidate) return { key: transfer.key, heldAs: 'unmatched' }
  if (oldest.length > 1) return { key: transfer.key, heldAs: 'ambiguous' }
  return credit(transfer, candidate, 'amount', book)
}

/** Of each account that is due this amount here, the oldest invoice made before the block. */
function oldestOfEach(transfer: Incoming, slots: Slots, book: Book): readonly Candidate[] {
  const accounts = slots.get(slot(transfer.to, transfer.usdcBase)) ?? []
  return accounts
    .flatMap((due) => oldestUntouched(due, book) ?? [])
    .filter((candidate) => candidate.createdAtMs < transfer.blockTimeMs)
}

function oldestUntouched(due: Candidate[], book: Book): Candidate | undefined {
  for (let last = due.at(-1); last; last = due.at(-1)) {
    if (receivedOf(last, book) === 0n) return last
    due.pop()
  }
  return undefined
}

function credit(transfer: Incoming, candidate: Candidate, matchedBy: MatchedBy, book: Book): Match {
  const { invoiceId } = candidate
  book.receivedUsdcBase.set(invoiceId, receivedOf(candidate, book) + transfer.usdcBase)
  return { key: transfer.key, invoiceId, matchedBy }
}

function isCovered(candidate: Candidate, book: Book): boolean {
  return receivedOf(candidate, book) >= candidate.dueUsdcBase
}

function receivedOf(candidate: Candidate, book: Book): bigint {
  return book.receivedUsdcBase.get(candidate.invoiceId) ?? 0n
}

function slot(address: string, usdcBase: bigint): string {
  return `${address} ${usdcBase}`
}
