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
import { byAmount, byAsked } from './by-amount.ts'
import type { Candidate, Incoming, Match } from './candidate.ts'
import { takenBy } from './claim.ts'

/**
 * Decides which invoice each transfer pays (contract §5). A covered invoice takes no more, and a
 * transfer used for x402 is held. The first rule that applies decides:
 * 1. A transfer credited before a reorganisation pays the same invoice again, if that is due
 *    anything. Only a claim made while the transaction was gone comes first, and not where the
 *    invoice was paid by reference or address.
 * 2. `reference`: it names exactly one invoice of its address.
 * 3. `address`: the address belongs to one invoice, whatever else the transfer names. If that
 *    takes no more, the transfer is held.
 * 4. `claim`, `operator`: all claims on a transaction count in their order, each for what is left.
 *    So it makes no difference whether they came before the transaction or after.
 * 5. A transfer that names an invoice, was credited or claimed, comes from an invoice's own address
 *    or is on record as held is held; as `ambiguous` if it names two.
 * 6. `asked`: it is exactly the amount that payers of one invoice were asked for before the end of
 *    its block's second. Held as `ambiguous` if an invoice of another account, created before that,
 *    is due the same.
 * 7. `payer`, `amount`: it is exactly the amount due on untouched invoices of its address that were
 *    created before the end of its block's second. If all are of one account, it pays the oldest
 *    that names the sender, else the oldest; open ones, as of its block, before expired ones. If
 *    not, it is `ambiguous`: anybody can put any payer on an invoice, so a payer must not win
 *    against another account. Another account's invoice counts up to `clockSkewMs` after the block
 *    and, if expired, until `lateMoneyMs` after its due date, but is never paid for that.
 *
 * Outcomes are in the order in which they were decided: a claim decides on several transfers.
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
  return byAsked(transfer, book) ?? byAmount(transfer, book)
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
