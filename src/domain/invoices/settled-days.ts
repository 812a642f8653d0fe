import { dayOf } from '../instant.ts'

/** What was due on the invoices that settled on one UTC day, such as `2026-05-01`. */
export type SettledDay = {
  readonly day: string
  readonly invoiceCount: number
  readonly usdcBase: bigint
}

const dayMs = 86_400_000

/** The last `count` UTC days including today, oldest first; without settlements a day is zero. */
export function lastDays(
  days: readonly SettledDay[],
  count: number,
  now: Date,
): readonly SettledDay[] {
  const known = new Map(days.map((one) => [one.day, one]))
  return Array.from({ length: count }, (_, at) => {
    const day = dayOf(new Date(now.getTime() - (count - 1 - at) * dayMs))
    return known.get(day) ?? { day, invoiceCount: 0, usdcBase: 0n }
  })
}
