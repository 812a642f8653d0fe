import { type Balance, isUntouched, isWorthTaking, receivedWith } from '../invoices/balance.ts'
import type { MatchedBy } from '../invoices/progress.ts'
import type { Asked, Candidate, Claim, Credit, Incoming, Match } from './candidate.ts'
import { type DueQueue, dueQueue } from './due-queue.ts'

export type Account = { readonly accountId: string; readonly due: DueQueue<Waiting> }
export type Waiting = { readonly candidate: Candidate; readonly dueAtMs: number }
type Slots = ReadonlyMap<string, readonly Account[]>

type Due = {
  readonly all: Slots
  /** Keyed by the payer they name as well. */
  readonly byPayer: Slots
}

export type Claimed = Claim & { readonly candidate: Candidate }

export type Book = {
  readonly byId: ReadonlyMap<string, Candidate>
  readonly byOwnAddress: ReadonlyMap<string, Candidate>
  /** Keyed by transaction and sender, oldest first. */
  readonly claims: ReadonlyMap<string, readonly Claimed[]>
  readonly due: Due
  /** By slot. */
  readonly asked: ReadonlyMap<string, Asked & { readonly candidate: Candidate }>
  /** What invoices have received here. */
  readonly received: Map<string, Received>
  /** In the order in which they were decided. */
  readonly outcomes: Match[]
  /** Credits of transfers that claims may refer to; null: no claim takes it. */
  readonly judged: Map<Incoming, Match | null>
  /** Operators' claims whose transfer has been credited. */
  readonly usedClaims: Set<Claim>
  /** Credits from before a reorganisation that were given again. */
  readonly usedCredits: Set<Credit>
}

type Received = Pick<Balance, 'receivedUsdcBase' | 'paymentsBySize'>

export type Found = { readonly candidate: Candidate; readonly matchedBy: MatchedBy }

/** Opens the book of a batch of transfers on this chain, with nothing decided yet. */
export function openBook(chain: string, candidates: readonly Candidate[]): Book {
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
    asked: new Map(
      here.flatMap((candidate) =>
        candidate.asked.map((one) => [slot(candidate.payTo, one.usdcBase), { ...one, candidate }]),
      ),
    ),
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

/** Without a due date an invoice is never late; an expired one always has one. */
function dueAtMsOf({ dueAtMs, isOpen }: Candidate): number {
  return dueAtMs ?? (isOpen ? Infinity : 0)
}

/** The claims that may refer to this transfer. */
export function claimsOf(transfer: Incoming, book: Book): readonly Claimed[] {
  const claims = book.claims.get(claimant(transfer)) ?? []
  return claims.filter(({ usdcBase }) => usdcBase === null || usdcBase === transfer.usdcBase)
}

/** Credits the transfer to the candidate, and returns that as its outcome. */
export function credit(transfer: Incoming, { candidate, matchedBy }: Found, book: Book): Match {
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
export function isOwed(transfer: Incoming, candidate: Candidate, book: Book): boolean {
  const { invoiceId, acceptsPayment, payTo, dueUsdcBase } = candidate
  const received = receivedOf(candidate, book)
  if (!acceptsPayment || payTo !== transfer.to) return false
  if (received.receivedUsdcBase >= dueUsdcBase) return false
  if (creditBefore(transfer, invoiceId, book)) return true
  return isWorthTaking({ dueUsdcBase, ...received }, transfer.usdcBase)
}

/** Each of the credits from before a reorganisation is given again once. */
function creditBefore(transfer: Incoming, invoiceId: string, book: Book): Credit | undefined {
  return transfer.paidBefore?.find(
    (before) => before.invoiceId === invoiceId && !book.usedCredits.has(before),
  )
}

function unusedClaim(transfer: Incoming, invoiceId: string, book: Book): Claim | undefined {
  return claimsOf(transfer, book).find(
    (claim) =>
      claim.madeBy === 'operator' &&
      claim.candidate.invoiceId === invoiceId &&
      !book.usedClaims.has(claim),
  )
}

/** What the candidate has received, with what was credited to it here. */
export function receivedOf(candidate: Candidate, book: Book): Received {
  return book.received.get(candidate.invoiceId) ?? candidate
}

/** An amount due at an address and, if given, from a payer. */
export function slot(address: string, usdcBase: bigint, payer: string | null = null): string {
  return `${address} ${usdcBase} ${payer}`
}

/** All that one sender sent in a transaction. */
export function claimant({ txHash, from }: { txHash: string; from: string }): string {
  return `${txHash} ${from}`
}
