import type { Days } from '../books/period.ts'
import { invalidField } from '../error.ts'
import { dayOf } from '../instant.ts'

/** What was due on the invoices that settled on one UTC day, and what was credited on it. */
export type SettledDay = {
  readonly day: string
  readonly invoiceCount: number
  readonly usdcBase: bigint
  readonly creditNoteCount: number
  readonly creditedBase: bigint
}

const dayMs = 86_400_000
const usualDays = 30
const mostDays = 366

/**
 * The days that a period shows: up to today where it has no end, and 30 where it has no beginning.
 * Errors: `invalid_request` for more than 366.
 */
export function shownDays({ from, to }: Days, now: Date): readonly string[] {
  const endMs = to === null ? Date.parse(dayOf(now)) + dayMs : Date.parse(to)
  const firstMs = from === null ? endMs - usualDays * dayMs : Date.parse(from)
  const count = (endMs - firstMs) / dayMs
  if (count > mostDays)
    throw invalidField('from', `must be at most ${mostDays} days before the end`)
  return Array.from({ length: Math.max(count, 0) }, (_, at) =>
    dayOf(new Date(firstMs + at * dayMs)),
  )
}

/** Every day that is shown, in order; without settlements a day is zero. */
export function everyDay(
  shown: readonly string[],
  known: readonly SettledDay[],
): readonly SettledDay[] {
  const found = new Map(known.map((one) => [one.day, one]))
  return shown.map((day) => found.get(day) ?? { day, ...nothing })
}

const nothing = { invoiceCount: 0, usdcBase: 0n, creditNoteCount: 0, creditedBase: 0n }

/** The sums of several days. */
export function sumOfDays(days: readonly SettledDay[]): Omit<SettledDay, 'day'> {
  return days.reduce<Omit<SettledDay, 'day'>>(
    (sum, one) => ({
      invoiceCount: sum.invoiceCount + one.invoiceCount,
      usdcBase: sum.usdcBase + one.usdcBase,
      creditNoteCount: sum.creditNoteCount + one.creditNoteCount,
      creditedBase: sum.creditedBase + one.creditedBase,
    }),
    nothing,
  )
}
