import { askedThere, type Book, credit, dueThere, isLeft, isOwed } from './book.ts'
import {
  type Candidate,
  clockSkewMs,
  type Incoming,
  lateMoneyMs,
  type Match,
  priceGrainBase,
} from './candidate.ts'

/**
 * Rule 6: by the amount that payers of one invoice were asked for. Undefined: none was, or it takes
 * no more.
 */
export function byAsked(transfer: Incoming, book: Book): Match | undefined {
  const asked = askedThere(transfer, book)
  if (!asked || asked.askedAtMs >= endOfSecondMs(transfer)) return
  const { candidate, askedAtMs } = asked
  if (!isOwed(transfer, candidate, book)) return
  // Anybody can bring about an amount that others ask for, once it is asked.
  const isPrice = transfer.usdcBase % priceGrainBase === 0n
  const others = fittingIn(transfer, book).filter(
    (other) =>
      other.accountId !== candidate.accountId &&
      other.countsForOthers &&
      isUnexpired(other, transfer) &&
      (isPrice || (wasBefore(other, askedAtMs) && other.dueUsdcBase === transfer.usdcBase)),
  )
  if (others.length === 0) return credit(transfer, { candidate, matchedBy: 'asked' }, book)
  return asked.countsForOthers ? { key: transfer.key, heldAs: 'ambiguous' } : undefined
}

/** Rule 7: by what is left to pay. */
export function byAmount(transfer: Incoming, book: Book): Match {
  const { key, from } = transfer
  const fitting = fittingIn(transfer, book)
  const counting = fitting.filter(({ countsForOthers }) => countsForOthers)
  const among = counting.length > 0 ? counting : fitting
  const accounts = new Set(among.map(({ accountId }) => accountId))
  if (accounts.size > 1) return { key, heldAs: 'ambiguous' }
  const own = fitting.filter(
    (one) => accounts.has(one.accountId) && isBefore(one, transfer) && isLeft(transfer, one, book),
  )
  const unexpired = own.filter((one) => isUnexpired(one, transfer))
  const expired = own.length === 1 ? own[0] : undefined
  const candidate = unexpired.find(({ payer }) => payer === from) ?? unexpired[0] ?? expired
  if (!candidate) return { key, heldAs: own.length > 0 ? 'ambiguous' : 'unmatched' }
  const matchedBy = candidate.payer === from ? 'payer' : 'amount'
  return credit(transfer, { candidate, matchedBy }, book)
}

/** Invoices are dated by an estimate of PostgreSQL's clock, asked amounts by the clock itself. */
function wasBefore({ createdAtMs }: Candidate, askedAtMs: number): boolean {
  return createdAtMs + 100 < askedAtMs
}

/**
 * Due the amount, or what is left of it; not created after the transfer (as clocks may differ), nor
 * long expired.
 */
export function fittingIn(transfer: Incoming, book: Book): readonly Candidate[] {
  const latestMs = endOfSecondMs(transfer) + clockSkewMs
  const longAgoMs = transfer.blockTimeMs - lateMoneyMs
  return dueThere(transfer, book).filter(
    ({ createdAtMs, isOpen, dueAtMs }) =>
      createdAtMs < latestMs && (isOpen || (dueAtMs ?? 0) > longAgoMs),
  )
}

/** Open, or so at the time of the block: one that has expired since was paid in time. */
function isUnexpired({ isOpen, dueAtMs }: Candidate, { blockTimeMs }: Incoming): boolean {
  return isOpen || (dueAtMs ?? 0) >= blockTimeMs
}

function isBefore({ createdAtMs }: Candidate, transfer: Incoming): boolean {
  return createdAtMs < endOfSecondMs(transfer)
}

function endOfSecondMs({ blockTimeMs }: Incoming): number {
  return blockTimeMs + 1_000
}
