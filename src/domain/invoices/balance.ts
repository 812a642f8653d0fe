import { acceptsTransfer, type Invoice } from './invoice.ts'
import { type Payment, sumUsdcBase } from './progress.ts'

/** Confirmed or not. */
export function receivedUsdcBase(invoice: Invoice): bigint {
  return sumUsdcBase(invoice.progress.payments)
}

/** Negative if the invoice was overpaid. */
export function leftUsdcBase(invoice: Invoice): bigint {
  const { dueUsdcBase } = invoice.terms
  return leftOf({ dueUsdcBase, receivedUsdcBase: receivedUsdcBase(invoice) })
}

/** USDC base units still to come by a balance; negative if more has been received than was due. */
export function leftOf({
  dueUsdcBase,
  receivedUsdcBase,
}: Pick<Balance, 'dueUsdcBase' | 'receivedUsdcBase'>): bigint {
  return dueUsdcBase - receivedUsdcBase
}

/** What a settled invoice received beyond what was due and asked. */
export function overpaidUsdcBase(invoice: Invoice): bigint {
  return invoice.progress.settlement ? surplusUsdcBase(invoice) : 0n
}

/** What came beyond what was due. The millionths of an asked amount only tell it apart. */
export function surplusUsdcBase(invoice: Invoice): bigint {
  const surplusBase = -leftUsdcBase(invoice)
  const isAsked = invoice.progress.payments.some(({ matchedBy }) => matchedBy === 'asked')
  return surplusBase > (isAsked ? mostExtraBase : 0n) ? surplusBase : 0n
}

/** Payers are asked for at most this many millionths of a USDC more than is due. */
export const mostExtraBase = 999n

/** The payments that are final on their chain. */
export function confirmedPayments(invoice: Invoice): readonly Payment[] {
  return invoice.progress.payments.filter((payment) => payment.confirmed)
}

/** The sum of the confirmed payments, in USDC base units. */
export function confirmedUsdcBase(invoice: Invoice): bigint {
  return sumUsdcBase(confirmedPayments(invoice))
}

/** Whether the amount rule may match it. */
export function isPayable(invoice: Invoice): boolean {
  const { dueUsdcBase } = invoice.terms
  const receivedBase = receivedUsdcBase(invoice)
  return acceptsTransfer(invoice) && isUntouched({ dueUsdcBase, receivedUsdcBase: receivedBase })
}

/** Anybody can send small part payments: an invoice records this many of a size class. */
const mostOfSize = 100
/** A part payment of at least a hundredth of the amount due is always recorded. */
export const alwaysTakenShare = 100n

export type Balance = {
  readonly dueUsdcBase: bigint
  readonly receivedUsdcBase: bigint
  /** The number of payments in each size class. */
  readonly paymentsBySize: readonly number[]
}

/** Dust, less than a hundredth, must not disable the amount rule. */
export function isUntouched({
  dueUsdcBase,
  receivedUsdcBase,
}: Pick<Balance, 'dueUsdcBase' | 'receivedUsdcBase'>): boolean {
  return receivedUsdcBase * alwaysTakenShare < dueUsdcBase
}

/** Bounds the number of payments: large ones, the completing one, and few of each small size. */
export function isWorthTaking(
  { dueUsdcBase, receivedUsdcBase, paymentsBySize }: Balance,
  usdcBase: bigint,
): boolean {
  const size = sizeOf(usdcBase, dueUsdcBase)
  return (
    size === 0 ||
    receivedUsdcBase + usdcBase >= dueUsdcBase ||
    (paymentsBySize[size] ?? 0) < mostOfSize
  )
}

/** What the invoice is due, and has received, confirmed or not. */
export function balanceOf({ terms, progress }: Invoice): Balance {
  const { dueUsdcBase } = terms
  return {
    dueUsdcBase,
    ...receivedWith({ dueUsdcBase, receivedUsdcBase: 0n, paymentsBySize: [] }, progress.payments),
  }
}

/** The balance after further `payments`. */
export function receivedWith(
  { dueUsdcBase, receivedUsdcBase, paymentsBySize }: Balance,
  payments: readonly Pick<Payment, 'usdcBase'>[],
): Pick<Balance, 'receivedUsdcBase' | 'paymentsBySize'> {
  const counts = [...paymentsBySize]
  for (const { usdcBase } of payments) {
    const size = sizeOf(usdcBase, dueUsdcBase)
    counts[size] = (counts[size] ?? 0) + 1
  }
  return { receivedUsdcBase: receivedUsdcBase + sumUsdcBase(payments), paymentsBySize: counts }
}

/** 0 for at least a hundredth of the amount due, 1 for at least a hundredth of that, and so on. */
function sizeOf(usdcBase: bigint, dueUsdcBase: bigint): number {
  let size = 0
  for (let base = dueUsdcBase; usdcBase * alwaysTakenShare < base; base /= alwaysTakenShare)
    size += 1
  return size
}
