import { isUntouched } from '../invoices/balance.ts'
import {
  type Account,
  type Book,
  credit,
  type Found,
  receivedOf,
  slot,
  type Waiting,
} from './book.ts'
import { type Candidate, clockSkewMs, type Incoming, lateMoneyMs, type Match } from './candidate.ts'
import type { DueSpan } from './due-queue.ts'

/** Matches by the amount due and, where the invoice names one, the payer: rule 7. */
export function byAmount(transfer: Incoming, book: Book): Match {
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
