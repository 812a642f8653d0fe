import {
  type Attempt,
  forwardAgain,
  forwardOf,
  judgeRepeat,
} from '../../domain/purchases/attempt.ts'
import { decide } from '../../domain/purchases/decide.ts'
import { evolve } from '../../domain/purchases/evolve.ts'
import type { Purchase } from '../../domain/purchases/purchase.ts'
import type { Sql } from '../../storage/postgres/db.ts'
import { findFor, findSuperseded, withRequirements } from '../../storage/purchases/attempts.ts'
import { commit } from '../../storage/purchases/purchases.ts'
import { execute } from './execute.ts'

/**
 * `started`: this attempt forwards the payment; `isInDoubt` if it may have been taken before, by an
 * earlier attempt or as a transfer. `none`: no invoice waits for it. Others as of `judgeRepeat`.
 */
export type Start =
  | { readonly kind: 'started'; readonly purchase: Purchase; readonly isInDoubt: boolean }
  | { readonly kind: 'done'; readonly purchase: Purchase }
  | { readonly kind: 'busy' | 'none' | 'spent' | 'elsewhere' }

/** Each failed try has lost against another one. */
const mostTries = 100

/** Starts one of any number of concurrent attempts to forward a payment. */
export async function start(sql: Sql, presented: Attempt): Promise<Start> {
  const attempt = await withRequirements(sql, presented)
  for (let tries = 1; tries <= mostTries; tries++) {
    const { known, quotes } = await findFor(sql, attempt)
    if (!known && quotes.length === 0) return { kind: 'none' }
    const started = known ? await startAgain(sql, known, attempt) : await take(sql, quotes, attempt)
    if (started) return started
  }
  return { kind: 'busy' }
}

async function startAgain(sql: Sql, known: Purchase, attempt: Attempt): Promise<Start | null> {
  const verdict = judgeRepeat(known, attempt, known.readAt)
  if (verdict === 'done') return { kind: 'done', purchase: known }
  if (verdict !== 'again') return { kind: verdict }
  const { state } = known
  const isInDoubt = state === 'unknown' || state === 'forwarding' || attempt.payment.txHash !== null
  const purchase = await execute(sql, known, forwardAgain(known, attempt))
  return purchase && { kind: 'started', purchase, isInDoubt }
}

async function take(
  sql: Sql,
  quotes: readonly Purchase[],
  attempt: Attempt,
): Promise<Start | null> {
  for (const quote of quotes) {
    const purchase = await execute(sql, quote, forwardOf(attempt), { ifUnpaid: true })
    if (purchase) return firstStart(purchase)
  }
  return null
}

function firstStart(purchase: Purchase): Start {
  return { kind: 'started', purchase, isInDoubt: purchase.txHash !== null }
}

/**
 * Records the quote behind an invoice and starts the attempt to pay it, in one statement: otherwise
 * another payment could take the invoice. `none`: the invoice is no longer payable, or taken.
 */
export async function startNew(sql: Sql, quote: Purchase, attempt: Attempt): Promise<Start> {
  const events = decide(quote, forwardOf(attempt), quote.readAt)
  const after = { ...evolve(quote, events, quote.readAt), version: quote.version }
  const purchase = await commit(sql, { before: null, after, ifUnpaid: true })
  if (purchase) return firstStart(purchase)
  // The payment may have been bound to another invoice: then this one waits as any quote does.
  await commit(sql, { before: null, after: quote })
  return start(sql, { ...attempt, invoiceId: quote.invoiceId })
}

/**
 * `quote`: its invoice must be voided. `busy`: another attempt with the same payment has just
 * superseded one.
 */
export type Superseded =
  | { readonly kind: 'quote'; readonly quote: Purchase }
  | { readonly kind: 'busy' | 'none' }

/** Gives up one quote for another payment. */
export async function supersede(
  sql: Sql,
  attempt: Attempt,
  leastBase: bigint,
): Promise<Superseded> {
  for (let tries = 1; tries <= mostTries; tries++) {
    const { quote, hasSuperseded, isJustNow } = await findSuperseded(sql, attempt, leastBase)
    if (!quote) return { kind: hasSuperseded && isJustNow ? 'busy' : 'none' }
    const by = attempt.payment.key
    const given = await execute(sql, quote, { kind: 'supersede', by }, { ifUnpaid: true })
    if (given) return { kind: 'quote', quote: given }
  }
  return { kind: 'busy' }
}
