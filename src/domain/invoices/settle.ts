import type { Event } from './evolve.ts'
import type { Payment } from './progress.ts'

/** The ids of a settlement and its receipt. */
export type Ids = { readonly settlementId: string; readonly receiptId: string }

/** Confirmations are counted from the newest block. */
export type Settling = Ids & { readonly confirmations: number }

/** What happens when `payment` completes what is due, or is the last where that is less now. */
export function settle(
  { txHash, blockNumber, from, matchedBy }: Payment,
  { settlementId, receiptId, confirmations }: Settling,
  now: Date,
): readonly Event[] {
  const seen = { txHash, blockNumber, from, confirmations, matchedBy }
  const settlement = { id: settlementId, receiptId, ...seen, settledAt: now.toISOString() }
  return [
    { type: 'invoice.settled', settlement },
    { type: 'settlement.confirmed', settlement },
  ]
}
