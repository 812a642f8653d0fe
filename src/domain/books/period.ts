/** UTC days such as `2026-07-01`, from `from` until before `to`; null: without an end. */
export type Days = { readonly from: string | null; readonly to: string | null }

/** Days with a beginning and an end. */
export type Period = { readonly from: string; readonly to: string }

const period = /^(?!0000|9999)(\d{4})(?:-(?:Q([1-4])|(0[1-9]|1[0-2])))?$/

/** The days of a year (`2026`), a quarter (`2026-Q3`) or a month (`2026-10`); null: it is none. */
export function daysOfPeriod(text: string): Period | null {
  const [found, year, quarter, month] = period.exec(text) ?? []
  if (!found) return null
  const length = quarter ? 3 : month ? 1 : 12
  const first = quarter ? 3 * (Number(quarter) - 1) : month ? Number(month) - 1 : 0
  return {
    from: firstOf(Number(year), first),
    to: firstOf(Number(year), first + length),
  }
}

/** The months of a period, such as `2026-10`. */
export function monthsOf({ from, to }: Period): readonly string[] {
  const months: string[] = []
  for (let day = from; day < to; day = dayAfter(day.slice(0, 7))) months.push(day.slice(0, 7))
  return months
}

/** The days of a month. */
export function daysOfMonth(month: string): Period {
  return { from: `${month}-01`, to: dayAfter(month) }
}

/** The day after the last one of a month. */
function dayAfter(month: string): string {
  const [year, number] = month.split('-').map(Number)
  return firstOf(year ?? 0, number ?? 0)
}

/** The first day of a month, counted from 0; the twelfth is the first of the next year. */
function firstOf(year: number, month: number): string {
  const years = `${year + Math.floor(month / 12)}`.padStart(4, '0')
  return `${years}-${`${(month % 12) + 1}`.padStart(2, '0')}-01`
}
