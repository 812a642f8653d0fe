import {
  askedThere,
  type Book,
  type Claimed,
  claimant,
  credit,
  isOwed,
  openBook,
  type Payee,
  receivedOf,
} from './book.ts'
import { byAmount, byAsked, fittingIn } from './by-amount.ts'
import type { Candidate, Incoming, Match } from './candidate.ts'
import { takenBy } from './claim.ts'

/**
 * Decides which invoice each transfer pays (contract §5). A covered invoice takes no more, and a
 * transfer with another use is held. The first rule that applies decides:
 * 1. What was credited before a reorganisation pays the same invoice again, if that is due
 *    anything.
 * 2. `reference`: the transfer names exactly one invoice of its address; or loosely exactly one
 *    that is open, and no open invoice of another account is due the amount or asked for it.
 * 3. `address`: the address belongs to one invoice, whatever else the transfer names. If that takes
 *    no more, the transfer is held.
 * 4. `claim`: all claims on a transaction count in their order, each for what is left. So it makes
 *    no difference whether they came before the transaction or after.
 * 5. A transfer that names an invoice, was credited or claimed, comes from an invoice's own address
 *    or is on record as held is held; as `ambiguous` if it names two.
 * 6. `asked`: it is exactly the amount that payers of one invoice were asked for before the end of
 *    its block's second. Held where it may as well be for an open invoice of another account: one
 *    that is due the same and was created before that, or where it is as round as a price.
 * 7. `payer`, `amount`: it is exactly what is left to pay on invoices of its address, which are
 *    open or expired within `lateMoneyMs`. If they are of two accounts, or one of another account
 *    was due it before a part payment, it is held: anybody can create any invoice and name any
 *    payer. If not, it pays the oldest unexpired one that names the sender, else the oldest
 *    unexpired one, else the only one. It never pays an invoice created after its block's second,
 *    but one created up to `clockSkewMs` after it counts as another account's.
 *
 * Rules 6 and 7 look at no more than `mostInOneCent` amounts of another account within a cent, and
 * at no invoice that was created without a key, unless its payers were asked for the amount.
 *
 * Outcomes are in the order in which they were decided: a claim decides on several transfers.
 */
export function match(
  chain: string,
  transfers: readonly Incoming[],
  candidates: readonly Candidate[],
): readonly Match[] {
  const book = openBook(chain, candidates)
  const groups = Map.groupBy(transfers, (transfer) =>
    transfer.isUsed ? transfer : (claimsOn(transfer, book) ?? transfer),
  )
  return [...groups.values()].flatMap((together) => judge(together, book))
}

function claimsOn(transfer: Incoming, book: Book): readonly Claimed[] | undefined {
  return book.claims.get(claimant(transfer))
}

/** `together`: one transfer, or all that the same claims may refer to. */
function judge(together: readonly Incoming[], book: Book): readonly Match[] {
  const outcomes: Match[] = []
  const left = new Set(together)
  const give = (transfer: Incoming, payee: Payee) => {
    outcomes.push(credit(transfer, payee, book))
    left.delete(transfer)
  }
  for (const transfer of together) {
    const payee = transfer.isUsed ? undefined : byItself(transfer, book)
    if (payee) give(transfer, payee)
  }
  const [first] = left
  const claims = first && !first.isUsed ? (claimsOn(first, book) ?? []) : []
  for (const claim of claims)
    for (const transfer of takenByClaim(claim, [...left], book))
      give(transfer, { candidate: claim.candidate, matchedBy: 'claim' })
  const isClaimed = claims.length > 0
  return [...outcomes, ...[...left].map((transfer) => unsaid(transfer, isClaimed, book))]
}

/** Rules 1 to 3. */
function byItself(transfer: Incoming, book: Book): Payee | undefined {
  return asBefore(transfer, book) ?? byReference(transfer, book) ?? byAddress(transfer, book)
}

/** Rules 5 to 7. */
function unsaid(transfer: Incoming, isClaimed: boolean, book: Book): Match {
  const { key, heldAs, namedInvoiceIds, paidBefore, isMovedOn, isUsed } = transfer
  if (isUsed) return { key, heldAs: 'unmatched' }
  if (heldAs) return { key, heldAs }
  if (book.byOwnAddress.has(transfer.to)) return { key, heldAs: 'unmatched' }
  if (isContradictory(transfer)) return { key, heldAs: 'ambiguous' }
  if (namedInvoiceIds.length > 0 || isClaimed || paidBefore || isMovedOn)
    return { key, heldAs: 'unmatched' }
  return byAsked(transfer, book) ?? byAmount(transfer, book)
}

function asBefore(transfer: Incoming, book: Book): Payee | undefined {
  const { invoiceId = '', matchedBy } = transfer.paidBefore ?? {}
  const candidate = book.byId.get(invoiceId)
  if (candidate && matchedBy && isOwed(transfer, candidate, book)) return { candidate, matchedBy }
}

function byReference(transfer: Incoming, book: Book): Payee | undefined {
  const [invoiceId = ''] = transfer.namedInvoiceIds
  const candidate = book.byId.get(invoiceId)
  if (!candidate) return byLooseReference(transfer, book)
  if (isContradictory(transfer) || !isOwed(transfer, candidate, book)) return
  return { candidate, matchedBy: 'reference' }
}

/** Anybody may have written it there, so it does not win against another account's amount. */
function byLooseReference(transfer: Incoming, book: Book): Payee | undefined {
  const named = (transfer.looselyNamedIds ?? []).map((id) => book.byId.get(id))
  const [candidate, ...others] = named.filter((one) => one?.isOpen)
  if (!candidate || others.length > 0 || !isOwed(transfer, candidate, book)) return
  const meant = [...fittingIn(transfer, book), askedThere(transfer, book)?.candidate]
  const isOther = (one: Candidate | undefined) =>
    one?.isOpen === true && one.accountId !== candidate.accountId
  return meant.some(isOther) ? undefined : { candidate, matchedBy: 'reference' }
}

function byAddress(transfer: Incoming, book: Book): Payee | undefined {
  const candidate = book.byOwnAddress.get(transfer.to)
  if (!candidate || !isOwed(transfer, candidate, book)) return
  return { candidate, matchedBy: 'address' }
}

function isContradictory({ namedInvoiceIds, isUnsure = false }: Incoming): boolean {
  return new Set(namedInvoiceIds).size > (isUnsure ? 0 : 1)
}

function takenByClaim(
  { candidate }: Claimed,
  left: readonly Incoming[],
  book: Book,
): readonly Incoming[] {
  if (!candidate.acceptsPayment) return []
  const balance = { ...candidate, ...receivedOf(candidate, book) }
  return takenBy(
    balance,
    left.filter(({ to }) => to === candidate.payTo),
  )
}
