import { DomainError } from '../error.ts'
import { toAmount, usdcScale } from '../money/money.ts'
import { addressKey } from '../network.ts'
import type { CreditNote, Refund } from './credit-note.ts'

/** A USDC transfer as the chain shows it. */
export type Sent = {
  readonly txHash: string
  readonly position: number
  readonly blockNumber: number
  readonly from: string
  readonly to: string
  readonly usdcBase: bigint
}

/** A refund and its note, which counts only what was sent in blocks after `issuedIn`. */
export type Claim = {
  readonly note: CreditNote
  readonly refund: Refund
  readonly issuedIn?: number
}

/** The refunds of a note that nothing has proven yet. */
export function openClaims(note: CreditNote, issuedIn = -1): readonly Claim[] {
  const open = note.progress.refunds.filter(({ proof }) => proof === null)
  return open.map((refund) => ({ note, refund, issuedIn }))
}

/** The wallets that may pay a note's refunds: what was paid, and what the seller has registered. */
export function sendersOf({ terms, progress }: CreditNote): readonly string[] {
  return [addressKey(terms.payTo), ...progress.wallets]
}

/** Whether a transfer is one of exactly the amount, to the payer, from the seller. */
export function isPaidBy({ note, refund, issuedIn = -1 }: Claim, sent: Sent): boolean {
  const { from, to, usdcBase, blockNumber } = sent
  const isExact = to === refund.refundTo && usdcBase === refund.usdcBase
  return isExact && blockNumber > issuedIn && sendersOf(note).includes(from)
}

/** Gives each transfer, in the chain's order, to the first of the claims it pays, oldest first. */
export function matched<Transfer extends Sent>(
  claims: readonly Claim[],
  transfers: readonly Transfer[],
): readonly (Claim & { readonly sent: Transfer })[] {
  const left = [...claims]
  return transfers.flatMap((sent) => {
    const at = left.findIndex((claim) => isPaidBy(claim, sent))
    const [claim] = at < 0 ? [] : left.splice(at, 1)
    return claim ? [{ ...claim, sent }] : []
  })
}

/** Why none of a transaction's transfers to the payers proves a refund. */
export function mismatch(claims: readonly Claim[], transfers: readonly Sent[]): DomainError {
  const wanted = claims.map(({ refund }) => refund)
  const to = transfers.filter((sent) => wanted.some(({ refundTo }) => refundTo === sent.to))
  if (to.length === 0)
    return notProven(
      `It sends no USDC to ${wanted.flatMap(({ refundTo }) => refundTo ?? []).join(' or ')}`,
    )
  const senders = [...new Set(claims.flatMap(({ note }) => sendersOf(note)))]
  const from = to.filter((sent) => senders.includes(sent.from))
  if (from.length === 0)
    return notProven(
      `It was sent by ${to[0]?.from}, not by ${senders.join(' or ')}; a further wallet can be registered with its signature`,
    )
  const amounts = (sums: readonly { readonly usdcBase: bigint }[]) =>
    sums.map(({ usdcBase }) => toAmount(usdcBase, usdcScale)).join(' and ')
  return notProven(`It sends ${amounts(from)} USDC, not exactly ${amounts(wanted)}`)
}

/** `refund_not_proven` with the reason. */
export function notProven(why: string): DomainError {
  return new DomainError('refund_not_proven', why)
}
