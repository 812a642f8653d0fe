import type { Payment } from '../invoices/progress.ts'
import type { Refund } from './credit-note.ts'
import type { Promised } from './evolve.ts'

/**
 * Shares an amount among those who paid, the newest payment first. Nobody gets back more than they
 * paid, less what earlier notes give them.
 */
export function allocate(
  payments: readonly Pick<Payment, 'from' | 'usdcBase'>[],
  earlier: readonly Pick<Refund, 'payer' | 'usdcBase'>[],
  usdcBase: bigint,
): readonly Promised[] {
  const promised = new Map<string, bigint>()
  const room = new Map<string, bigint>()
  for (const { from, usdcBase } of payments) room.set(from, (room.get(from) ?? 0n) + usdcBase)
  for (const { payer, usdcBase } of earlier) room.set(payer, (room.get(payer) ?? 0n) - usdcBase)
  let left = usdcBase
  for (const { from, usdcBase } of payments.toReversed()) {
    const part = lower(lower(left, usdcBase), room.get(from) ?? 0n)
    if (part <= 0n) continue
    left -= part
    room.set(from, (room.get(from) ?? 0n) - part)
    promised.set(from, (promised.get(from) ?? 0n) + part)
  }
  return [...promised].map(([payer, usdcBase]) => ({ payer, usdcBase }))
}

function lower(one: bigint, other: bigint): bigint {
  return one < other ? one : other
}
