import { statusTextOf } from '../documents/payer-texts.ts'
import { english } from '../documents/words/english.ts'
import type { Payable } from '../domain/invoices/payable.ts'
import { fromDecimal, usdcScale } from '../domain/money/money.ts'

export type CreditTarget = Payable & {
  readonly id: string
  /** Whether it was found by its number, which finds only invoices of the own account. */
  readonly isOwn: boolean
}

/** ` to Ada Ltd, due 7.25 USDC`. Names the seller, since accounts have the same numbers. */
export function targetText(target: CreditTarget, transferAmount: string): string {
  const { sellerName, isOwn, takesPayment, amountRemaining } = target
  const owner = [sellerName && ` to ${sellerName}`, isOwn && ', in your own account']
  const status =
    takesPayment && amountRemaining
      ? `due ${english.amount(amountRemaining, 'USDC')}${differenceText(amountRemaining, transferAmount)}`
      : midSentence(statusTextOf(target, english))
  return [...owner.filter(Boolean), `, ${status}`].join('')
}

function midSentence(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}

function differenceText(due: string, credited: string): string {
  const remainingUsdcBase = fromDecimal(due, usdcScale) - fromDecimal(credited, usdcScale)
  if (remainingUsdcBase === 0n) return ''
  return remainingUsdcBase > 0n
    ? ` (a partial payment: ${english.usdc(remainingUsdcBase)} would remain)`
    : ` (the transfer is ${english.usdc(-remainingUsdcBase)} more)`
}
