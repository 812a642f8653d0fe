import {
  type Book,
  type Claimed,
  claimant,
  claimsOf,
  credit,
  type Found,
  isOwed,
  openBook,
  receivedOf,
} from './book.ts'
import { byAmount } from './by-amount.ts'
import type { Candidate, Incoming, Match } from './candidate.ts'
import { takenBy } from './claim.ts'

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

/** `together` are all transfers that its claims may refer to. */
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

/** By what the transfer paid before, what it names, or a claim. */
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

/** What a claim takes of the transfers depends on the amounts of all. */
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

/** Only claims made while the transfer was gone come first. */
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

function isContradictory({ namedInvoiceIds }: Incoming): boolean {
  return new Set(namedInvoiceIds).size > 1
}

function takenByClaim(claim: Claimed, left: readonly Incoming[], book: Book): readonly Incoming[] {
  const { candidate, usdcBase } = claim
  if (!candidate.acceptsPayment || book.usedClaims.has(claim)) return []
  const meant = left.filter(({ to }) => to === candidate.payTo)
  const balance = { ...candidate, ...receivedOf(candidate, book) }
  if (usdcBase === null) return takenBy(balance, meant)
  return takenBy(balance, meant.filter((transfer) => transfer.usdcBase === usdcBase).slice(0, 1))
}

function asBefore(transfer: Incoming, book: Book): Found | undefined {
  for (const before of transfer.paidBefore ?? []) {
    const candidate = book.usedCredits.has(before) ? undefined : book.byId.get(before.invoiceId)
    if (candidate && isOwed(transfer, candidate, book))
      return { candidate, matchedBy: before.matchedBy }
  }
}
