/** When a budget restarts at zero; `total` never does. */
export const periods = ['day', 'week', 'month', 'total'] as const

export type Period = (typeof periods)[number]

/** `end` is exclusive, null: none. ISO 8601 with milliseconds. */
export type Span = { readonly start: string; readonly end: string | null }

/** The UTC calendar period that contains `now`; weeks start on Monday, `total` starts at `now`. */
export function spanAt(period: Period, now: Date): Span {
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()]
  const monday = day - ((now.getUTCDay() + 6) % 7)
  switch (period) {
    case 'day':
      return span(Date.UTC(year, month, day), Date.UTC(year, month, day + 1))
    case 'week':
      return span(Date.UTC(year, month, monday), Date.UTC(year, month, monday + 7))
    case 'month':
      return span(Date.UTC(year, month), Date.UTC(year, month + 1))
    case 'total':
      return { start: now.toISOString(), end: null }
  }
}

function span(startMs: number, endMs: number): Span {
  return { start: new Date(startMs).toISOString(), end: new Date(endMs).toISOString() }
}
