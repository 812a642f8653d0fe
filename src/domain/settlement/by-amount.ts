import { isUntouched } from '../invoices/balance.ts'
import {
  type Account,
  type Book,
  credit,
  type Found,
  isOwed,
  receivedOf,
  slot,
  type Waiting,
} from './book.ts'
import { type Candidate, clockSkewMs, type Incoming, lateMoneyMs, type Match } from './candidate.ts'
import type { DueSpan } from './due-queue.ts'

/**
 * Rule 6: by the amount that payers of one invoice were asked for. Undefined: none was, or it takes
 * no more.
 */
export function byAsked(transfer: Incoming, book: Book): Match | undefined {
  const { key, to, usdcBase } = transfer
  const asked = book.asked.get(slot(to, usdcBase))
  if (!asked || asked.askedAtMs >= endOfSecondMs(transfer)) return
  const { candidate, askedAtMs } = asked
  if (!isOwed(transfer, candidate, book)) return
  const others = book.due.all
    .get(slot(to, usdcBase))
    ?.filter(({ accountId }) => accountId !== candidate.accountId)
  const due = [openAt, lateRecentlyAt].flatMap((span) => oldest(others, transfer, book, span))
  if (due.some(({ createdAtMs }) => createdAtMs < askedAtMs)) return { key, heldAs: 'ambiguous' }
  return credit(transfer, { candidate, matchedBy: 'asked' }, book)
}

/** Rule 7: by the amount due and the payer the invoice names. */
export function byAmount(transfer: Incoming, book: Book): Match {
  const { key, from, to, usdcBase } = transfer
  const due = book.due.all.get(slot(to, usdcBase))
  const open = oldest(due, transfer, book, openAt)
  const owing = open.find((one) => isBefore(one, transfer))?.accountId
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

/** Per account, the oldest untouched invoice due in the span that may precede the transfer. */
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

/** Open at the time of a block, whatever it is now: one that has expired since was paid in time. */
function openAt(blockTimeMs: number): DueSpan {
  return { fromMs: blockTimeMs, toMs: Infinity }
}

function lateAt(blockTimeMs: number): DueSpan {
  return { fromMs: -Infinity, toMs: blockTimeMs - 1 }
}

function lateRecentlyAt(blockTimeMs: number): DueSpan {
  return { fromMs: blockTimeMs - lateMoneyMs + 1, toMs: blockTimeMs - 1 }
}

/** As clocks may differ. */
function isNotAfter({ createdAtMs }: Candidate, transfer: Incoming): boolean {
  return createdAtMs < endOfSecondMs(transfer) + clockSkewMs
}

function isBefore({ createdAtMs }: Candidate, transfer: Incoming): boolean {
  return createdAtMs < endOfSecondMs(transfer)
}

function endOfSecondMs({ blockTimeMs }: Incoming): number {
  return blockTimeMs + 1_000
}
