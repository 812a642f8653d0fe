import {
  type Balance,
  balanceOf,
  isUntouched,
  isWorthTaking,
  receivedWith,
} from '../invoices/balance.ts'
import { acceptsTransfer, type Invoice, isOpen } from '../invoices/invoice.ts'
import type { MatchedBy } from '../invoices/progress.ts'
import { addressKey } from '../network.ts'
import { takenBy } from './claim.ts'
import { type DueQueue, type DueSpan, dueQueue } from './due-queue.ts'

/**
 * A transfer as the matching rules see it; `namedInvoiceIds` are the invoices its payer named, by
 * 32-byte reference or by id.
 */
export type Incoming = {
  readonly key: string
  readonly txHash: string
  readonly from: string
  readonly to: string
  readonly usdcBase: bigint
  /** A whole second, as chains tell it: the block is from some moment of it. */
  readonly blockTimeMs: number
  readonly namedInvoiceIds: readonly string[]
  /** The transfer has paid for something by x402: it pays no invoice, whatever it names. */
  readonly isUsedForX402?: boolean
  /**
   * The transfer comes from an address made for one invoice: the operator is collecting the funds.
   */
  readonly isMovedOn?: boolean
  /**
   * What the transfer was credited to in another block, before a reorganisation. Transfers that are
   * indistinguishable share the credits of all of them, as the same objects: each counts once.
   */
  readonly paidBefore?: readonly Credit[]
  /**
   * What the transfer is held as on record, there or in another block; one that was never judged
   * has none.
   */
  readonly heldAs?: Held
}

/** The invoice a transfer pays, and the rule that matched it. */
export type Credit = { readonly invoiceId: string; readonly matchedBy: MatchedBy }

/**
 * A statement of which invoice a transaction pays: signed by its sender `payer`, it covers all of
 * the sender's transfers; made by an operator, it covers one of them.
 */
export type Claim = {
  readonly txHash: string
  readonly payer: string
  readonly madeBy: 'claim' | 'operator'
  readonly madeAtMs: number
  /** The amount of the one transfer an operator assigned; null: all transfers are meant. */
  readonly usdcBase: bigint | null
  /** The one transfer that an operator assigned has its credit: no other is meant. */
  readonly isUsed?: boolean
  /**
   * The transaction was on record before, and gone when the claim was made: the payer may mean what
   * it paid then.
   */
  readonly isSince?: boolean
}

/** An invoice as the matching rules see it. */
export type Candidate = Balance & {
  readonly invoiceId: string
  readonly accountId: string
  readonly chain: string
  readonly payTo: string
  /** No other invoice is paid at `payTo`. */
  readonly hasOwnAddress: boolean
  readonly createdAtMs: number
  readonly dueAtMs: number | null
  /** The wallet the invoice names as its payer; others may pay it too. */
  readonly payer: string | null
  readonly claims: readonly Claim[]
  readonly acceptsPayment: boolean
  /**
   * False for an expired invoice too, which late money may still settle. One that is overdue may be
   * open still: it waits for its chain to be read to its due date.
   */
  readonly isOpen: boolean
}

/** An invoice as a candidate for matching, with the claims made for it. */
export function candidateOf(invoice: Invoice, claims: readonly Claim[] = []): Candidate {
  const { id, accountId, terms, createdAt } = invoice
  return {
    invoiceId: id,
    accountId,
    chain: terms.chain,
    payTo: addressKey(terms.payTo),
    hasOwnAddress: terms.depositIndex !== undefined,
    ...balanceOf(invoice),
    createdAtMs: Date.parse(createdAt),
    dueAtMs: terms.dueAt === null ? null : Date.parse(terms.dueAt),
    payer: terms.payer,
    claims,
    acceptsPayment: acceptsTransfer(invoice),
    isOpen: isOpen(invoice),
  }
}

/** The outcome for the transfer `key`: it pays an invoice, by one of the rules, or it is held. */
export type Match =
  | ({ readonly key: string } & Credit)
  | { readonly key: string; readonly heldAs: Held }

type Held = 'ambiguous' | 'unmatched'

/**
 * The most that the clocks of a chain and of the processes that create invoices are taken to
 * differ, in milliseconds. The more is allowed, the more payments are held.
 */
export const clockSkewMs = 60_000

/**
 * How long after its due date an expired invoice holds payments that also fit an open invoice of
 * another account, in milliseconds. Late money mostly comes within this time. If it were longer,
 * what one account's buyers never paid would hold the payments of others.
 */
export const lateMoneyMs = 30 * 86_400_000

/**
 * Decides which invoice each transfer pays (contract §5), one transfer after the other. An invoice
 * that is covered takes no more transfers. A transfer used for x402 is held. The first rule that
 * applies decides:
 * 1. A transfer that was credited in another block, before a reorganisation, pays the same invoice
 *    by the same rule, if that is due anything. Only a claim made while the transaction was gone
 *    comes first, and not where the invoice was paid by reference or address. Other claims were
 *    made before or while the transfer had its credit, so for others.
 * 2. `reference`: the transfer names exactly one invoice of its address.
 * 3. `address`: the address belongs to one invoice alone. That invoice takes the transfer, whatever
 *    else it names; otherwise the transfer is held.
 * 4. `claim`, `operator`: the sender, or an operator, said which invoice of this address the
 *    transfer pays. All that was said of a transaction counts in the order in which it was said,
 *    each time for what is left: the same comes of it, whether it was said before the transaction
 *    was on record or after.
 * 5. A transfer that names an invoice, or is on record as held: it is held, and the rules below
 *    never match it. It is `ambiguous` if it names two invoices.
 * 6. A transfer that was credited before a reorganisation, or claimed, or comes out of an invoice's
 *    own address, is held.
 * 7. `payer`, `amount`: the transfer is exactly the amount due on untouched invoices of this
 *    address that were created before the end of its block's second. If all belong to one account,
 *    it pays the oldest that names the sender as payer (`payer`), else the oldest (`amount`), and
 *    open ones before expired ones in either case, as they were at the time of its block. If they
 *    belong to several accounts, it is held as `ambiguous`: anybody can put any payer on an
 *    invoice, so a payer must not win against another account. An invoice of another account that
 *    was created up to `clockSkewMs` later makes it `ambiguous` too, but is never paid by it. Where
 *    an open invoice qualifies, an expired one of another account counts until `lateMoneyMs` after
 *    its due date. Dust (`isUntouched`) makes no difference here, whatever it was credited by.
 *
 * Answers the outcomes in the order in which they were decided, as claims decide on several
 * transfers at once: in another order an invoice could be covered before it has taken all of its.
 */
export function match(
  chain: string,
  transfers: readonly Incoming[],
  candidates: readonly Candidate[],
): readonly Match[] {
  const book = openBook(chain, candidates)
  const together = Map.groupBy(
    transfers.filter(({ isUsedForX402 }) => !isUsedForX402),
    claimant,
  )
  for (const transfer of transfers) {
    const outcome = judge(transfer, together.get(claimant(transfer)) ?? [], book)
    if ('heldAs' in outcome) book.outcomes.push(outcome)
  }
  return book.outcomes
}

/** What one account has due in a slot. */
type Account = { readonly accountId: string; readonly due: DueQueue<Waiting> }
type Waiting = { readonly candidate: Candidate; readonly dueAtMs: number }
type Slots = ReadonlyMap<string, readonly Account[]>

/** Untouched invoices by address and amount due, per account. */
type Due = {
  readonly all: Slots
  /** The invoices of `all` that name a payer, keyed by that payer as well. */
  readonly byPayer: Slots
}

type Claimed = Claim & { readonly candidate: Candidate }

type Book = {
  readonly byId: ReadonlyMap<string, Candidate>
  readonly byOwnAddress: ReadonlyMap<string, Candidate>
  /** Keyed by transaction and sender, in the order in which the claims were made. */
  readonly claims: ReadonlyMap<string, readonly Claimed[]>
  readonly due: Due
  /** What invoices have received once something was credited to them here. */
  readonly received: Map<string, Received>
  /** All outcomes so far, in the order in which they were decided. */
  readonly outcomes: Match[]
  /** What was credited of transfers that claims may refer to; null is what none of them takes. */
  readonly judged: Map<Incoming, Match | null>
  /** Operators' claims whose transfer has been credited. */
  readonly usedClaims: Set<Claim>
  /** Credits from before a reorganisation that have been given again. */
  readonly usedCredits: Set<Credit>
}

type Received = Pick<Balance, 'receivedUsdcBase' | 'paymentsBySize'>

type Found = { readonly candidate: Candidate; readonly matchedBy: MatchedBy }

function openBook(chain: string, candidates: readonly Candidate[]): Book {
  const onChain = candidates.filter((candidate) => candidate.chain === chain)
  const here = onChain.filter((candidate) => candidate.acceptsPayment)
  const untouched = here.filter(isUntouched)
  const claims = claimsOn(onChain)
  return {
    byId: new Map(here.map((candidate) => [candidate.invoiceId, candidate])),
    byOwnAddress: new Map(
      onChain
        .filter(({ hasOwnAddress }) => hasOwnAddress)
        .map((candidate) => [candidate.payTo, candidate]),
    ),
    claims,
    due: dueOn(untouched),
    received: new Map(),
    outcomes: [],
    judged: new Map(),
    usedClaims: new Set([...claims.values()].flat().filter(({ isUsed }) => isUsed)),
    usedCredits: new Set(),
  }
}

function claimsOn(candidates: readonly Candidate[]): Book['claims'] {
  const claims = candidates.flatMap((candidate) =>
    candidate.claims.map((claim): Claimed => ({ ...claim, candidate })),
  )
  const inOrder = claims.toSorted((a, b) => a.madeAtMs - b.madeAtMs)
  return Map.groupBy(inOrder, ({ txHash, payer }) => claimant({ txHash, from: payer }))
}

function dueOn(candidates: readonly Candidate[]): Due {
  const byAge = candidates.toSorted(oldestFirst)
  const naming = byAge.filter(({ payer }) => payer !== null)
  return {
    all: slotsOf(byAge, ({ payTo, dueUsdcBase }) => slot(payTo, dueUsdcBase)),
    byPayer: slotsOf(naming, ({ payTo, dueUsdcBase, payer }) => slot(payTo, dueUsdcBase, payer)),
  }
}

function oldestFirst(a: Candidate, b: Candidate): number {
  return a.createdAtMs - b.createdAtMs || (a.invoiceId < b.invoiceId ? -1 : 1)
}

function slotsOf(candidates: readonly Candidate[], key: (candidate: Candidate) => string): Slots {
  return new Map([...Map.groupBy(candidates, key)].map(([name, due]) => [name, perAccount(due)]))
}

function perAccount(candidates: readonly Candidate[]): readonly Account[] {
  const byAccount = Map.groupBy(candidates, ({ accountId }) => accountId)
  return [...byAccount].map(([accountId, due]) => ({
    accountId,
    due: dueQueue(due.map((candidate) => ({ candidate, dueAtMs: dueAtMsOf(candidate) }))),
  }))
}

/** What has no due date is never late; what has expired has one. */
function dueAtMsOf({ dueAtMs, isOpen }: Candidate): number {
  return dueAtMs ?? (isOpen ? Infinity : 0)
}

/** The outcome for a transfer; `together` are all transfers that its claims may refer to. */
function judge(transfer: Incoming, together: readonly Incoming[], book: Book): Match {
  const { key } = transfer
  if (transfer.isUsedForX402) return { key, heldAs: 'unmatched' }
  const said = bySaying(transfer, together, book)
  if (said) return said
  if (transfer.heldAs) return { key, heldAs: transfer.heldAs }
  if (book.byOwnAddress.has(transfer.to)) return { key, heldAs: 'unmatched' }
  if (transfer.namedInvoiceIds.length > 0)
    return { key, heldAs: isContradictory(transfer) ? 'ambiguous' : 'unmatched' }
  const isClaimed = claimsOf(transfer, book).length > 0
  if (transfer.paidBefore?.length || isClaimed || transfer.isMovedOn)
    return { key, heldAs: 'unmatched' }
  return byAmount(transfer, book)
}

/**
 * The credit by what the transfer paid before, by what it names, or by a claim, if any; `together`
 * are all transfers that its claims may refer to.
 */
function bySaying(
  transfer: Incoming,
  together: readonly Incoming[],
  book: Book,
): Match | null | undefined {
  const known = book.judged.get(transfer)
  if (known !== undefined) return known
  const first = beforeClaims(transfer, book)
  const isClaimed = book.claims.has(claimant(transfer))
  if (!first) {
    if (isClaimed) judgeTogether(together, book)
    return book.judged.get(transfer)
  }
  const credited = credit(transfer, first, book)
  if (isClaimed) book.judged.set(transfer, credited)
  return credited
}

/**
 * Credits those that are not yet judged of all transfers that the same claims may refer to: what a
 * claim takes of them depends on the amounts of all.
 */
function judgeTogether(together: readonly Incoming[], book: Book): void {
  const left = new Set(together.filter((transfer) => !book.judged.has(transfer)))
  const give = (transfer: Incoming, found: Found) => {
    book.judged.set(transfer, credit(transfer, found, book))
    left.delete(transfer)
  }
  const giveEach = (rule: (transfer: Incoming, book: Book) => Found | undefined) => {
    for (const transfer of left) {
      const found = rule(transfer, book)
      if (found) give(transfer, found)
    }
  }
  const giveClaimed = (claims: readonly Claimed[]) => {
    for (const claim of claims)
      for (const transfer of takenByClaim(claim, [...left], book))
        give(transfer, { candidate: claim.candidate, matchedBy: claim.madeBy })
  }
  const claims = together[0] ? (book.claims.get(claimant(together[0])) ?? []) : []
  giveEach(beforeClaims)
  giveClaimed(claims.filter(({ isSince }) => isSince))
  giveEach((transfer) => asBefore(transfer, book) ?? byName(transfer, book))
  giveClaimed(claims)
  for (const transfer of left) book.judged.set(transfer, null)
}

/** By the rules that come before claims: all claims, or those made while the transfer was gone. */
function beforeClaims(transfer: Incoming, book: Book): Found | undefined {
  const kept = asBefore(transfer, book)
  if (!kept) return byName(transfer, book)
  const isByName = kept.matchedBy === 'reference' || kept.matchedBy === 'address'
  return isByName || !claimsOf(transfer, book).some(({ isSince }) => isSince) ? kept : undefined
}

function byName(transfer: Incoming, book: Book): Found | undefined {
  return byReference(transfer, book) ?? byAddress(transfer, book)
}

function byReference(transfer: Incoming, book: Book): Found | undefined {
  const [invoiceId = ''] = transfer.namedInvoiceIds
  const candidate = book.byId.get(invoiceId)
  if (!candidate || isContradictory(transfer) || !isOwed(transfer, candidate, book)) return
  return { candidate, matchedBy: 'reference' }
}

function byAddress(transfer: Incoming, book: Book): Found | undefined {
  const candidate = book.byOwnAddress.get(transfer.to)
  if (!candidate || !isOwed(transfer, candidate, book)) return
  return { candidate, matchedBy: 'address' }
}

/** Whether the transfer names more than one invoice. */
function isContradictory({ namedInvoiceIds }: Incoming): boolean {
  return new Set(namedInvoiceIds).size > 1
}

/** What a claim takes of its sender's transfers that nothing else has taken. */
function takenByClaim(claim: Claimed, left: readonly Incoming[], book: Book): readonly Incoming[] {
  const { candidate, usdcBase } = claim
  if (!candidate.acceptsPayment || book.usedClaims.has(claim)) return []
  const meant = left.filter(({ to }) => to === candidate.payTo)
  const balance = { ...candidate, ...receivedOf(candidate, book) }
  if (usdcBase === null) return takenBy(balance, meant)
  return takenBy(balance, meant.filter((transfer) => transfer.usdcBase === usdcBase).slice(0, 1))
}

/** The claims that may refer to this transfer. */
function claimsOf(transfer: Incoming, book: Book): readonly Claimed[] {
  const claims = book.claims.get(claimant(transfer)) ?? []
  return claims.filter(({ usdcBase }) => usdcBase === null || usdcBase === transfer.usdcBase)
}

function asBefore(transfer: Incoming, book: Book): Found | undefined {
  for (const before of transfer.paidBefore ?? []) {
    const candidate = book.usedCredits.has(before) ? undefined : book.byId.get(before.invoiceId)
    if (candidate && isOwed(transfer, candidate, book))
      return { candidate, matchedBy: before.matchedBy }
  }
}

function byAmount(transfer: Incoming, book: Book): Match {
  const { key, from, to, usdcBase } = transfer
  const due = book.due.all.get(slot(to, usdcBase))
  const open = oldest(due, transfer, book, openAt)
  const owing = open.find((one) => isBefore(one, transfer))?.accountId
  // What is late comes after what is open: of the same account, it changes nothing.
  const others = due?.filter(({ accountId }) => accountId !== owing)
  const late = owing
    ? oldest(others, transfer, book, lateRecentlyAt)
    : oldest(due, transfer, book, lateAt)
  const among = [...open, ...late]
  const candidate = among.find((one) => isBefore(one, transfer))
  if (!candidate) return { key, heldAs: 'unmatched' }
  const { accountId } = candidate
  if (among.some((one) => one.accountId !== accountId)) return { key, heldAs: 'ambiguous' }
  const naming = book.due.byPayer.get(slot(to, usdcBase, from))
  const expecting = [openAt, lateAt].flatMap((span) => oldest(naming, transfer, book, span))
  const expected = expecting.find((one) => one.accountId === accountId && isBefore(one, transfer))
  const found: Found = expected
    ? { candidate: expected, matchedBy: 'payer' }
    : { candidate, matchedBy: 'amount' }
  return credit(transfer, found, book)
}

/**
 * Of each account with something due in a slot: the oldest untouched invoice that was in a certain
 * state at the time of the transfer's block, as its due date tells, and was not certainly created
 * after that.
 */
function oldest(
  accounts: readonly Account[] = [],
  transfer: Incoming,
  book: Book,
  spanAt: (blockTimeMs: number) => DueSpan,
): readonly Candidate[] {
  const span = spanAt(transfer.blockTimeMs)
  const isTouched = ({ candidate }: Waiting) => {
    const { receivedUsdcBase } = receivedOf(candidate, book)
    return !isUntouched({ dueUsdcBase: candidate.dueUsdcBase, receivedUsdcBase })
  }
  return accounts.flatMap(({ due }) => {
    const candidate = due.oldest(span, isTouched)?.candidate
    return candidate && isNotAfter(candidate, transfer) ? candidate : []
  })
}

/**
 * When what was open at the time of a block is due, whatever it is now: one that has expired since
 * was paid in time, and one that has yet to expire was not.
 */
function openAt(blockTimeMs: number): DueSpan {
  return { fromMs: blockTimeMs, toMs: Infinity }
}

function lateAt(blockTimeMs: number): DueSpan {
  return { fromMs: -Infinity, toMs: blockTimeMs - 1 }
}

function lateRecentlyAt(blockTimeMs: number): DueSpan {
  return { fromMs: blockTimeMs - lateMoneyMs + 1, toMs: blockTimeMs - 1 }
}

/** Whether the invoice may have been created before the transfer's block, as clocks may differ. */
function isNotAfter({ createdAtMs }: Candidate, transfer: Incoming): boolean {
  return createdAtMs < endOfSecondMs(transfer) + clockSkewMs
}

/** Whether the invoice was created before the transfer's block, as far as block times can tell. */
function isBefore({ createdAtMs }: Candidate, transfer: Incoming): boolean {
  return createdAtMs < endOfSecondMs(transfer)
}

function endOfSecondMs({ blockTimeMs }: Incoming): number {
  return blockTimeMs + 1_000
}

function credit(transfer: Incoming, { candidate, matchedBy }: Found, book: Book): Match {
  const { invoiceId } = candidate
  const balance = { ...candidate, ...receivedOf(candidate, book) }
  book.received.set(invoiceId, receivedWith(balance, [transfer]))
  const before = creditBefore(transfer, invoiceId, book)
  if (before) book.usedCredits.add(before)
  const claim = matchedBy === 'operator' && unusedClaim(transfer, invoiceId, book)
  if (claim) book.usedClaims.add(claim)
  const outcome = { key: transfer.key, invoiceId, matchedBy }
  book.outcomes.push(outcome)
  return outcome
}

/** Whether this invoice is paid at the transfer's address and may still take it. */
function isOwed(transfer: Incoming, candidate: Candidate, book: Book): boolean {
  const { invoiceId, acceptsPayment, payTo, dueUsdcBase } = candidate
  const received = receivedOf(candidate, book)
  if (!acceptsPayment || payTo !== transfer.to) return false
  if (received.receivedUsdcBase >= dueUsdcBase) return false
  if (creditBefore(transfer, invoiceId, book)) return true
  return isWorthTaking({ dueUsdcBase, ...received }, transfer.usdcBase)
}

/** The credit to this invoice from before a reorganisation, if none of its kind has it again. */
function creditBefore(transfer: Incoming, invoiceId: string, book: Book): Credit | undefined {
  return transfer.paidBefore?.find(
    (before) => before.invoiceId === invoiceId && !book.usedCredits.has(before),
  )
}

/** The claim by which an operator assigned this transfer, or one that is alike. */
function unusedClaim(transfer: Incoming, invoiceId: string, book: Book): Claim | undefined {
  return claimsOf(transfer, book).find(
    (claim) =>
      claim.madeBy === 'operator' &&
      claim.candidate.invoiceId === invoiceId &&
      !book.usedClaims.has(claim),
  )
}

function receivedOf(candidate: Candidate, book: Book): Received {
  return book.received.get(candidate.invoiceId) ?? candidate
}

function slot(address: string, usdcBase: bigint, payer: string | null = null): string {
  return `${address} ${usdcBase} ${payer}`
}

function claimant({ txHash, from }: { txHash: string; from: string }): string {
  return `${txHash} ${from}`
}
