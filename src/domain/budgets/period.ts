/** How long a budget counts before it restarts at zero; `total` never restarts. */
export const periods = ['day', 'week', 'month', 'total'] as const

export type Period = (typeof periods)[number]

/** From `start` up to, but not including, `end` (null: no end); ISO 8601 with milliseconds. */
export type Span = { readonly start: string; readonly end: string | null }

/**
 * The period of the UTC calendar that contains `now`. Weeks start on Monday (ISO 8601); `total`
 * starts at `now`.
 */
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
