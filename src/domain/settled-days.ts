/** What the invoices that settled on one UTC day were due, in millionths of a USDC. */
export type SettledDay = {
  /** `2026-05-01` */
  readonly day: string
  readonly invoiceCount: number
  readonly usdcBase: bigint
}

const dayMs = 86_400_000

/** The days up to and including today, oldest first; those on which nothing settled are there with nothing. */
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

/** The UTC day of an instant. */
export function dayOf(at: Date): string {
  return at.toISOString().slice(0, 10)
}
