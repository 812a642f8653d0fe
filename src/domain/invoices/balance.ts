import { serviceAccountId } from '../accounts/account.ts'
import { sumOf } from '../money/money.ts'
import { acceptsTransfer, type Invoice, isOpen } from './invoice.ts'
import { type Payment, sumUsdcBase } from './progress.ts'

/** Confirmed or not. */
export function receivedUsdcBase(invoice: Invoice): bigint {
  return sumUsdcBase(invoice.progress.payments)
}

/**
 * What is due now: credit notes take from what was due at creation. What they give back had to be
 * received, so it stays due.
 */
export function dueUsdcBase({ terms, progress }: Pick<Invoice, 'terms' | 'progress'>): bigint {
  const forgiven = sumOf(
    progress.credits ?? [],
    (credit) => credit.usdcBase - credit.refundUsdcBase,
  )
  return terms.dueUsdcBase - forgiven
}

/** What all credit notes take back, in units of the invoice. */
export function creditedUnits({ progress }: Pick<Invoice, 'progress'>): bigint {
  return sumOf(progress.credits ?? [], ({ totalUnits }) => totalUnits)
}

/** Negative if more has been received than is due. */
export function leftUsdcBase(invoice: Invoice): bigint {
  const receivedBase = receivedUsdcBase(invoice)
  return leftOf({ dueUsdcBase: dueUsdcBase(invoice), receivedUsdcBase: receivedBase })
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

/**
 * What came beyond what was due. The millionths of an asked amount only tell it apart, however the
 * payment was recognised in the end.
 */
export function surplusUsdcBase(invoice: Invoice): bigint {
  const surplusBase = -leftUsdcBase(invoice)
  const { payments } = invoice.progress
  const isAsked = payments.some(({ matchedBy, asked }) => matchedBy === 'asked' || asked)
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

/**
 * The amount by which it is paid without being named; null where it cannot be. Callers without a
 * key could create any amount.
 */
export function owedUsdcBase(invoice: Invoice): bigint | null {
  if (!acceptsTransfer(invoice) || invoice.accountId === serviceAccountId) return null
  const receivedBase = receivedUsdcBase(invoice)
  return owedOf({ dueUsdcBase: dueUsdcBase(invoice), receivedUsdcBase: receivedBase })
}

/**
 * Whether blocks after its due date paid the invoice. Where no block time is on record: whether it
 * had expired before.
 */
export function isLate(invoice: Invoice): boolean {
  const { terms, progress, state } = invoice
  const { dueAt } = terms
  const { payments, failure } = progress
  if (dueAt === null || isOpen(invoice) || state === 'failed') return false
  if (payments.some(({ blockTime }) => blockTime === undefined)) return failure === 'expired'
  const inTime = payments.filter(
    ({ blockTime }) => blockTime && Date.parse(blockTime) <= Date.parse(dueAt),
  )
  return sumUsdcBase(inTime) < dueUsdcBase(invoice)
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

/** What a payer would send: what is left, or all where only dust, less than a hundredth, came. */
export function owedOf(balance: Pick<Balance, 'dueUsdcBase' | 'receivedUsdcBase'>): bigint | null {
  const { dueUsdcBase, receivedUsdcBase } = balance
  if (receivedUsdcBase * alwaysTakenShare < dueUsdcBase) return dueUsdcBase
  return receivedUsdcBase < dueUsdcBase ? leftOf(balance) : null
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
export function balanceOf(invoice: Invoice): Balance {
  const due = { dueUsdcBase: dueUsdcBase(invoice) }
  const { payments } = invoice.progress
  return { ...due, ...receivedWith({ ...due, receivedUsdcBase: 0n, paymentsBySize: [] }, payments) }
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
