/** The periods that bookkeepers ask for on a UTC day such as `2026-11-24`. */
export function periodsAt(day: string): readonly (readonly [period: string, name: string])[] {
  const year = Number(day.slice(0, 4))
  const month = Number(day.slice(5, 7))
  // Months before January are those of the year before.
  const monthsAgo = (count: number) => new Date(Date.UTC(year, month - 1 - count)).toISOString()
  const quarterOf = (at: string) => `${at.slice(0, 4)}-Q${Math.ceil(Number(at.slice(5, 7)) / 3)}`
  return [
    [quarterOf(day), 'This quarter'],
    [quarterOf(monthsAgo(3)), 'Last quarter'],
    [day.slice(0, 7), 'This month'],
    [monthsAgo(1).slice(0, 7), 'Last month'],
    [`${year}`, 'This year'],
    [`${year - 1}`, 'Last year'],
  ]
}

/** The period in the address, null for none, and as the query of an API path. */
export function periodIn(query: string): {
  readonly period: string | null
  readonly asked: string
} {
  const period = new URLSearchParams(query).get('period')
  return { period, asked: period === null ? '' : `?period=${encodeURIComponent(period)}` }
}
