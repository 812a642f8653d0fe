import { type Balance, isWorthTaking, owedOf, receivedWith } from '../invoices/balance.ts'
import type { MatchedBy } from '../invoices/progress.ts'
import {
  type Asked,
  type Candidate,
  type Claim,
  type Incoming,
  isPaidByAmount,
  type Match,
} from './candidate.ts'

export type Claimed = Claim & { readonly candidate: Candidate }

export type Book = {
  readonly byId: ReadonlyMap<string, Candidate>
  readonly byOwnAddress: ReadonlyMap<string, Candidate>
  /** Keyed by transaction and sender, oldest first. */
  readonly claims: ReadonlyMap<string, readonly Claimed[]>
  /** By the slots of what they are due, and of what is left of it, oldest first. */
  readonly due: Map<string, readonly Candidate[]>
  /** By slot. */
  readonly asked: ReadonlyMap<string, Asked & { readonly candidate: Candidate }>
  /** What invoices have received here. */
  readonly received: Map<string, Received>
}

type Received = Pick<Balance, 'receivedUsdcBase' | 'paymentsBySize'>

export type Payee = { readonly candidate: Candidate; readonly matchedBy: MatchedBy }

/** Opens the book of a batch of transfers on this chain, with nothing decided yet. */
export function openBook(chain: string, candidates: readonly Candidate[]): Book {
  const onChain = candidates.filter((candidate) => candidate.chain === chain)
  const here = onChain.filter(({ acceptsPayment }) => acceptsPayment)
  const alone = onChain.filter(({ hasOwnAddress }) => hasOwnAddress)
  const claims = onChain
    .flatMap((candidate) => candidate.claims.map((claim) => ({ ...claim, candidate })))
    .toSorted((a, b) => a.madeAtMs - b.madeAtMs)
  const byAge = here.filter(isPaidByAmount).toSorted(oldestFirst)
  return {
    byId: new Map(here.map((candidate) => [candidate.invoiceId, candidate])),
    byOwnAddress: new Map(alone.map((candidate) => [candidate.payTo, candidate])),
    claims: Map.groupBy(claims, ({ txHash, payer }) => claimant({ txHash, from: payer })),
    due: bySlots(byAge),
    asked: new Map(
      here.flatMap((candidate) =>
        candidate.asked.map((one) => [slot(candidate.payTo, one.usdcBase), { ...one, candidate }]),
      ),
    ),
    received: new Map(),
  }
}

function oldestFirst(a: Candidate, b: Candidate): number {
  return a.createdAtMs - b.createdAtMs || (a.invoiceId < b.invoiceId ? -1 : 1)
}

/** The uncovered invoices that the transfer's amount may be for, oldest first. */
export function dueThere({ to, usdcBase }: Incoming, book: Book): readonly Candidate[] {
  const name = slot(to, usdcBase)
  const still = (book.due.get(name) ?? []).filter((candidate) => {
    const owed = owedNow(candidate, book)
    return owed !== null && (owed === usdcBase || candidate.dueUsdcBase === usdcBase)
  })
  book.due.set(name, still)
  return still
}

/** Whether the transfer is exactly what is left to pay, not what was before a part payment. */
export function isLeft({ usdcBase }: Incoming, candidate: Candidate, book: Book): boolean {
  return owedNow(candidate, book) === usdcBase
}

function owedNow(candidate: Candidate, book: Book): bigint | null {
  return owedOf({ ...candidate, ...receivedOf(candidate, book) })
}

function bySlots(byAge: readonly Candidate[]) {
  const slots = byAge.flatMap((candidate) => {
    const amounts = new Set([candidate.dueUsdcBase, owedOf(candidate)])
    return [...amounts].map((amount) => ({ name: slot(candidate.payTo, amount), candidate }))
  })
  const grouped = Map.groupBy(slots, ({ name }) => name)
  return new Map([...grouped].map(([name, all]) => [name, all.map(({ candidate }) => candidate)]))
}

/** The invoice whose payers were asked for the transfer's amount at its address. */
export function askedThere({ to, usdcBase }: Incoming, { asked }: Book) {
  return asked.get(slot(to, usdcBase))
}

/** Credits the transfer to the candidate. */
export function credit(transfer: Incoming, { candidate, matchedBy }: Payee, book: Book): Match {
  const { invoiceId } = candidate
  const balance = { ...candidate, ...receivedOf(candidate, book) }
  const received = receivedWith(balance, [transfer])
  book.received.set(invoiceId, received)
  if (isPaidByAmount(candidate)) {
    const name = slot(candidate.payTo, owedOf({ ...candidate, ...received }))
    const others = (book.due.get(name) ?? []).filter((one) => one !== candidate)
    book.due.set(name, [...others, candidate].toSorted(oldestFirst))
  }
  const isAsked = candidate.asked.some(({ usdcBase }) => usdcBase === transfer.usdcBase)
  const asked = isAsked && matchedBy !== 'asked' ? ({ asked: true } as const) : {}
  return { key: transfer.key, invoiceId, matchedBy, ...asked }
}

/** Whether this invoice is paid at the transfer's address and may still take it. */
export function isOwed(transfer: Incoming, candidate: Candidate, book: Book): boolean {
  const { invoiceId, acceptsPayment, payTo, dueUsdcBase } = candidate
  const received = receivedOf(candidate, book)
  if (!acceptsPayment || payTo !== transfer.to) return false
  if (received.receivedUsdcBase >= dueUsdcBase) return false
  if (transfer.paidBefore?.invoiceId === invoiceId) return true
  return isWorthTaking({ dueUsdcBase, ...received }, transfer.usdcBase)
}

/** What the candidate has received, with what was credited to it here. */
export function receivedOf(candidate: Candidate, book: Book): Received {
  return book.received.get(candidate.invoiceId) ?? candidate
}

function slot(address: string, usdcBase: bigint | null): string {
  return `${address} ${usdcBase}`
}

/** All that one sender sent in a transaction. */
export function claimant({ txHash, from }: { txHash: string; from: string }): string {
  return `${txHash} ${from}`
}
