import {
  decimalsOf,
  minorScale,
  parseAmount,
  parseMinor,
  toDecimal,
  usdcScale,
} from '../money/money.ts'
import type { Request } from './request.ts'
import type { Terms } from './terms.ts'

type Amount = Pick<Terms, 'submittedAmount' | 'scale' | 'subtotalUnits'>

/**
 * Figures have the currency's own decimals, or those of the submitted amount if it has more; zeros
 * at its end do not count. Errors: `invalid_amount`.
 */
export function submittedAmount({ form, amountSource, currency }: Request): Amount {
  const source = amountSource ?? ''
  if (form === 'api') {
    const subtotalUnits = parseMinor(source)
    return { submittedAmount: `${subtotalUnits}`, scale: minorScale(currency), subtotalUnits }
  }
  const submittedUnits = parseAmount(source, usdcScale)
  const submittedAmount = source.startsWith('"') ? source : toDecimal(submittedUnits, usdcScale)
  const scale = Math.max(minorScale(currency), decimalsOf(submittedUnits, usdcScale))
  const subtotalUnits = submittedUnits / 10n ** BigInt(usdcScale - scale)
  return { submittedAmount, scale, subtotalUnits }
}
