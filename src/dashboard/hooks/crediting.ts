import { standingOf } from '../../documents/payer-texts.ts'
import { amount, usdc } from '../../documents/texts.ts'
import type { Payable } from '../../domain/invoices/payable.ts'
import { usdcScale } from '../../domain/money/money.ts'
import { unitsOf } from '../format.ts'

/** An invoice that a transfer may be credited to, as its payment page shows it. */
export type Target = Payable & {
  readonly id: string
  /** Whether it was looked up by its number, which is one of the own account only. */
  readonly isOwn: boolean
}

/**
 * What follows the number of an invoice, before a transfer is credited to it for good: whose it is,
 * as accounts have the same numbers, and what of it is due: ` to Ada Ltd, due 7.25 USDC`.
 */
export function accountOf(target: Target, transferAmount: string): string {
  const { sellerName, isOwn, takesPayment, amountRemaining } = target
  const whose = [sellerName && ` to ${sellerName}`, isOwn && ', of your own account']
  const standing =
    takesPayment && amountRemaining
      ? `due ${amount(amountRemaining, 'USDC')}${differenceOf(amountRemaining, transferAmount)}`
      : midSentence(standingOf(target))
  return [...whose.filter(Boolean), `, ${standing}`].join('')
}

function midSentence(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}

/** How what is due differs from what would be credited; empty where it does not. */
function differenceOf(due: string, credited: string): string {
  const leftUsdcBase = unitsOf(due, usdcScale) - unitsOf(credited, usdcScale)
  if (leftUsdcBase === 0n) return ''
  return leftUsdcBase > 0n
    ? ` (this is a part: ${usdc(leftUsdcBase)} would be left)`
    : ` (this is ${usdc(-leftUsdcBase)} more)`
}
