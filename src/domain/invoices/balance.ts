import { acceptsTransfer, type Invoice } from './invoice.ts'
import { type Payment, sumUsdcBase } from './progress.ts'

/** USDC base units credited so far, confirmed or not. */
export function receivedUsdcBase(invoice: Invoice): bigint {
  return sumUsdcBase(invoice.progress.payments)
}

/** USDC base units still to come; negative if the invoice was overpaid. */
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

/** USDC base units that a settled invoice has received beyond what was due; otherwise 0. */
export function overpaidUsdcBase(invoice: Invoice): bigint {
  const leftBase = leftUsdcBase(invoice)
  return invoice.progress.settlement && leftBase < 0n ? -leftBase : 0n
}

/**
 * The payments a settlement rests on: transfers that have reached the chain's confirmation depth.
 */
export function confirmedPayments(invoice: Invoice): readonly Payment[] {
  return invoice.progress.payments.filter((payment) => payment.confirmed)
}

/** The sum of the confirmed payments, in USDC base units. */
export function confirmedUsdcBase(invoice: Invoice): bigint {
  return sumUsdcBase(confirmedPayments(invoice))
}

/**
 * Whether a transfer must name the invoice to be credited to it: others are paid at its address,
 * and of one that has received a part the amount rule knows nothing.
 */
export function needsReference(invoice: Invoice): boolean {
  return invoice.terms.depositIndex === undefined && !hasAtMostDust(invoice)
}

/** Whether the amount rule may consider it: it takes transfers, and has received none but dust. */
export function isPayable(invoice: Invoice): boolean {
  return acceptsTransfer(invoice) && hasAtMostDust(invoice)
}

/**
 * USDC base units to ask a payer for: what is left; but all that is due where that is what the
 * amount rule goes by. 0 or less if nothing is left.
 */
export function askedUsdcBase(invoice: Invoice): bigint {
  const isByAmount = invoice.terms.depositIndex === undefined && hasAtMostDust(invoice)
  return isByAmount ? invoice.terms.dueUsdcBase : leftUsdcBase(invoice)
}

function hasAtMostDust(invoice: Invoice): boolean {
  const { dueUsdcBase } = invoice.terms
  return isUntouched({ dueUsdcBase, receivedUsdcBase: receivedUsdcBase(invoice) })
}

/**
 * How many part payments of one class of size an invoice takes: anybody can send them, and each
 * costs.
 */
const mostOfSize = 100
/** A part payment of at least what is due divided by this is always taken. */
export const alwaysTakenShare = 100n

/** What an invoice is due, and has received. */
export type Balance = {
  readonly dueUsdcBase: bigint
  readonly receivedUsdcBase: bigint
  /** The number of its payments so far of each class of size; absent where there are none. */
  readonly paymentsBySize: readonly number[]
}

/**
 * Whether nothing has been received, or together less than a hundredth of what is due: anybody can
 * send such dust, which must not keep what is due from being recognised by its amount.
 */
export function isUntouched({
  dueUsdcBase,
  receivedUsdcBase,
}: Pick<Balance, 'dueUsdcBase' | 'receivedUsdcBase'>): boolean {
  return receivedUsdcBase * alwaysTakenShare < dueUsdcBase
}

/**
 * Whether a payment of `usdcBase` is worth being recorded as one more: it is at least a hundredth
 * of what is due, or completes it, or there are few of its size so far. So there are some hundreds
 * of payments at most, and what others send keeps out nothing that is much larger.
 */
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

/** What has been received once `payments` have come as well. */
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

/**
 * The class of size of a payment: 0 from a hundredth of what is due on, 1 from a hundredth of that
 * on, and so forth.
 */
function sizeOf(usdcBase: bigint, dueUsdcBase: bigint): number {
  let size = 0
  for (let base = dueUsdcBase; usdcBase * alwaysTakenShare < base; base /= alwaysTakenShare)
    size += 1
  return size
}
